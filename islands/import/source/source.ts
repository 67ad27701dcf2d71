/** Readings of other platforms by API: their URLs and descriptions. */
import type { Purpose } from '../../../lib/imports/sources/source.ts'
import type { ImportSourceResponse } from '../../../lib/imports/sources/sources.responses.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { asOpener } from '../api.ts'
import { byId } from '../dom.ts'

export type Source = ImportSourceResponse

/**
 * The target of a page's readings.
 *
 * @property programId null if the user has to choose a program first
 * @property programNameOf undefined for a shadow run, and for a deleted program
 */
export type Reader = {
  workspace: string
  purpose: Purpose
  programId: () => string | null
  programNameOf: (source: Source) => string | undefined
}

/** The URL of readings, or of a path below. */
export const urlOf = (workspace: string, path = ''): string =>
  `/api/workspaces/${encodeURIComponent(workspace)}/import-sources${path}`

const TIMEOUT_MS = 30_000

/** The platform's entry in the menu. */
export const platformOf = (id: string) => {
  const options = [...byId('source-platform', HTMLSelectElement).options]
  const { textContent = id, dataset = {} } = options.find(({ value }) => value === id) ?? {}
  const { account = '', hint = '', caution = '' } = dataset
  return { name: textContent, account, hint, caution }
}

/** Reads JSON. @returns the status, which is 0 without a response */
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

/** Deletes a reading. If that fails, the server deletes it later. */
export const discardSource = async (workspace: string, id: string): Promise<void> => {
  await fetch(urlOf(workspace, `/${id}`), { method: 'DELETE', headers: asOpener() }).catch(() => {})
}

/** The platform, and the target program. */
const placesOf = ({ purpose, programNameOf }: Reader, source: Source) => {
  const programName = programNameOf(source) ?? ''
  const into = purpose === 'shadow' ? 'shadow' : programName ? 'program' : 'unknown'
  return { platform: platformOf(source.platform).name, into, programName }
}

const progressOf = ({ status, lists, failure }: Source) => ({
  status,
  failure: failure?.message ?? '',
  rows: rowsRead(lists),
})

/** The rows of all lists. */
export const rowsRead = (lists: Source['lists']): number =>
  lists.reduce((sum, { read }) => sum + read, 0)

/** For example, "Reading Rewardful into Friends of Pine Notes". */
export const titleOf = (reader: Reader, source: Source): string =>
  t(m.import_reading_title, placesOf(reader, source))

/**
 * For example, "Rewardful into Friends of Pine Notes, started by ana@example.com: 12 rows read."
 */
export const stateOf = (reader: Reader, source: Source): string =>
  t(m.import_reading_state, {
    ...placesOf(reader, source),
    ...progressOf(source),
    startedBy: source.startedBy,
  })

/** For example, "12 rows read." */
export const progressText = (source: Source): string =>
  t(m.import_reading_progress, progressOf(source))
