/** The answers of imports: see import_calls in schema.sql. */
import { type RawBuilder, sql } from 'kysely'

/** Replaces the addresses of an erased person in the answers. */
export const eraseFromImports = (
  workspaceId: string,
  addresses: RawBuilder<unknown>,
  marks: RawBuilder<unknown>,
) => sql`
  update import_calls set answer = erase_texts(answer, ${addresses}, ${marks})
  where workspace_id = ${workspaceId} and erase_texts(answer, ${addresses}, ${marks}) <> answer`
