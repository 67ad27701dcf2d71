/** Calls of imports, and their answers: see import_calls in schema.sql. */
import { type RawBuilder, sql } from 'kysely'
import { newId } from '../db/ids.ts'
import { sha256 } from '../sha256.ts'

/** A call, as a repeat of it is recognized. */
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

/** Replaces the addresses of an erased person in the answers. */
export const eraseFromImports = (
  workspaceId: string,
  addresses: RawBuilder<unknown>,
  marks: RawBuilder<unknown>,
) => sql`
  update import_calls set answer = erase_texts(answer, ${addresses}, ${marks})
  where workspace_id = ${workspaceId} and erase_texts(answer, ${addresses}, ${marks}) <> answer`
