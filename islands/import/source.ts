/** What is read from another platform by its API: where the server has it, and what is said of it. */
import type { Purpose } from '../../lib/imports/sources/source.ts'
import type { ImportSourceResponse } from '../../lib/imports/sources/sources.responses.ts'
import { counted } from '../../lib/plural.ts'
import { asOpener } from './api.ts'
import { byId } from './dom.ts'

export type Source = ImportSourceResponse

/**
 * What a page reads for.
 *
 * @property programId of the program that is read for; null if the user has to choose one first
 * @property targetOf what is read into, in words
 */
export type Reader = {
  workspace: string
  purpose: Purpose
  programId: () => string | null
  targetOf: (source: Source) => string
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
    const answer = await fetch(url, { headers: asOpener(), signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: answer.status, body: answer.ok ? await answer.json() : null }
  } catch {
    return { status: 0, body: null }
  }
}

/** Deletes what was read. Whoever is too late, or offline, leaves it to be deleted later. */
export const discardSource = async (workspace: string, id: string): Promise<void> => {
  await fetch(urlOf(workspace, `/${id}`), { method: 'DELETE', headers: asOpener() }).catch(() => {})
}

/** "Rewardful into Friends of Pine Notes". */
export const titleOf = ({ targetOf }: Reader, source: Source): string =>
  `${platformOf(source.platform).name} into ${targetOf(source)}`

/** How far it is, in words. */
export const stateOf = ({ status, lists, failure }: Source): string => {
  if (status === 'failed') return `not read. ${failure?.message ?? ''}`
  const read = lists.reduce((sum, list) => sum + list.read, 0)
  return status === 'ready' ? `${counted(read, 'row')} read.` : `reading, ${counted(read, 'row')} so far.`
}
