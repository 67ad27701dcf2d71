/** A call of an import, as a repeat of it is recognized. */
import { newId } from '../db/ids.ts'
import { sha256 } from '../sha256.ts'

export type ImportCall = {
  /** Also of its entry in the audit log. */
  id: string
  /** Its own id if the caller named no import. */
  importId: string
  hash: string
}

/**
 * @param importId what the caller's calls for one file have in common, if it says so
 * @param body all that the caller sent
 */
export const importCall = async (
  endpoint: 'partners' | 'customers',
  importId: string | null | undefined,
  body: unknown,
): Promise<ImportCall> => {
  const id = newId()
  const hash = importId ? await sha256(`${endpoint}\n${JSON.stringify(body)}`) : ''
  return { id, importId: importId ?? id, hash }
}
