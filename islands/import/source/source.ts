/** Readings of other platforms by API: their URLs and descriptions. */
import type { Purpose } from '../../../lib/imports/sources/source.ts'
import type { ImportSourceResponse } from '../../../lib/imports/sources/sources.responses.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { asOpener } from '../api.ts'
import { byId } from '../dom.ts'

export type Source = ImportSourceResponse

/**
 * What a page reads for.
 *
 * @property programId of the program that is read for; null if the user has to choose one first
 * @property programNameOf the program that is read into; undefined for a shadow run, and for a
 *   program that is gone
 */
export type Reader = {
  workspace: string
  purpose: Purpose
  programId: () => string | null
  programNameOf: (source: Source) => string | undefined
}

/** The address of readings, or of what is below one. */
export const urlOf = (workspace: string, path = ''): string =>
  `/api/workspaces/${encodeURIComponent(workspace)}/import-sources${path}`

const TIMEOUT_MS = 30_000

/** What the platform's menu says of one. */
export const platformOf = (id: string) => {
  const options = [...byId('source-platform', HTMLSelectElement).options]
  const { textContent = id, dataset = {} } = options.find(({ value }) => value === id) ?? {}
  const { account = '', hint = '', caution = '' } = dataset
  return { name: textContent, account, hint, caution }
}

/** Reads JSON. @returns the status, which is 0 if there is no answer */
export const read = async <Body>(url: string): Promise<{ status: number; body: Body | null }> => {
  try {
    const answer = await fetch(url, {
      headers: asOpener(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: answer.status, body: answer.ok ? await answer.json() : null }
  } catch {
    return { status: 0, body: null }
  }
}

/** Deletes what was read. If that fails, the server deletes it later. */
export const discardSource = async (workspace: string, id: string): Promise<void> => {
  await fetch(urlOf(workspace, `/${id}`), { method: 'DELETE', headers: asOpener() }).catch(() => {})
}

/** What is read, and into what. */
const placesOf = ({ purpose, programNameOf }: Reader, source: Source) => {
  const programName = programNameOf(source) ?? ''
  const into = purpose === 'shadow' ? 'shadow' : programName ? 'program' : 'unknown'
  return { platform: platformOf(source.platform).name, into, programName }
}

/** How far it is. */
const progressOf = ({ status, lists, failure }: Source) => ({
  status,
  failure: failure?.message ?? '',
  rows: rowsRead(lists),
})

/** The rows that were read of all lists. */
export const rowsRead = (lists: Source['lists']): number =>
  lists.reduce((sum, { read }) => sum + read, 0)

/** Such as "Reading Rewardful into Friends of Pine Notes". */
export const titleOf = (reader: Reader, source: Source): string =>
  t(m.import_reading_title, placesOf(reader, source))

/** Such as "Rewardful into Friends of Pine Notes, started by ana@example.com: 12 rows read." */
export const stateOf = (reader: Reader, source: Source): string =>
  t(m.import_reading_state, {
    ...placesOf(reader, source),
    ...progressOf(source),
    startedBy: source.startedBy,
  })

/** Such as "12 rows read." */
export const progressText = (source: Source): string =>
  t(m.import_reading_progress, progressOf(source))
