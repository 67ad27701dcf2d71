/** Uploads of the other platform's commissions: each row is valid on its own, and has a key. */

import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { ApiError } from '../http/errors.ts'
import { savePlatformCommissions } from '../imports/commissions/platform-commissions.queries.ts'
import {
  type CommissionRow,
  contentOf,
  IDS_REQUIRED,
  type PlatformCommission,
  type ReadRow,
} from '../imports/commissions/platform-commissions.ts'
import { sha256 } from '../platform/sha256.ts'
import { canonicalJson } from '../values/json.ts'
import type { CommissionUploadResponse } from './shadow.responses.ts'

/** The key of each row: its id, else a hash of its content. Rows that are the same are counted. */
const withKeys = async (rows: CommissionRow[]): Promise<PlatformCommission[]> => {
  const seen = new Map<string, number>()
  const keyed: PlatformCommission[] = []
  for (const row of rows) {
    const { id, ...commission } = row
    const content = canonicalJson(contentOf(row, 0))
    const place = seen.get(content) ?? 0
    seen.set(content, place + 1)
    keyed.push({
      ...commission,
      key: id ?? `hash:${await sha256(canonicalJson(contentOf(row, place)))}`,
    })
  }
  return keyed
}

type Uploaded = CommissionUploadResponse & { isInShadow: boolean }

/**
 * Saves the rows that are valid. Of several with one key, the last one counts.
 *
 * @param programId of a program of the workspace
 * @throws {ApiError} `commission_id_required` if a row has no id, and the platform is read by its
 *   API
 */
export const uploadCommissions = async (
  db: Db,
  act: Act,
  programId: string,
  rows: ReadRow[],
): Promise<Uploaded> => {
  const good = rows.flatMap((read) => ('row' in read ? [read.row] : []))
  const keyed = await withKeys(good)
  const last = new Map(keyed.map((commission) => [commission.key, commission]))
  const haveIds = good.every(({ id }) => id !== null)
  const { isInShadow, needsIds, saved } = await savePlatformCommissions(
    db,
    act,
    programId,
    [...last.values()],
    haveIds,
  )
  if (needsIds) throw new ApiError('commission_id_required', IDS_REQUIRED)
  const keys = keyed.map(({ key }) => key)
  const results = rows.map((read): CommissionUploadResponse['results'][number] => {
    if (!('row' in read)) return { id: read.id, status: 'error', message: read.message }
    const isNew = saved.get(keys.shift() ?? '')
    return {
      id: read.row.id,
      status: isNew === undefined ? 'unchanged' : isNew ? 'created' : 'updated',
    }
  })
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length
  return {
    isInShadow,
    summary: {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      errors: count('error'),
    },
    results,
  }
}
