/**
 * Customers whom an import names and leaves as they are, beside the undo of the import that made
 * them so.
 */
import { sql } from 'kysely'
import type { ImportCall } from '../import-calls.queries.ts'

/** A customer as it was read. An undo changes `importedAt`, or removes the customer. */
export type LeftCustomer = { id: string; importedAt: string }

/** The ids as a list. */
export const idsOf = (left: LeftCustomer[]) => sql`${left.map(({ id }) => id)}::uuid[]`

/**
 * Makes the undo of any import, and the beginning of that of this one, wait for the end of the
 * batch.
 */
export const lockUndo = (workspaceId: string, { importId }: ImportCall) => sql<unknown>`
  select pg_advisory_xact_lock_shared(hashtextextended(${`${workspaceId} undo`}, 0)),
         pg_advisory_xact_lock_shared(hashtextextended(${`import ${importId}`}, 0))`

/**
 * Rolls the batch back if a manager has begun to undo the import, or if the undo of another one, or
 * a merge, has changed one of the customers since it was read. A statement of its own: it sees what
 * was committed while the former one waited.
 */
export const nothingUndone = (
  workspaceId: string,
  { importId }: ImportCall,
  left: LeftCustomer[],
) => sql<unknown>`
  select assert_unchanged(not import_is_undone(${workspaceId}, ${importId}) and ${left.length} = (
    select count(*) from unnest(${idsOf(left)}, ${left.map(({ importedAt }) => importedAt)}::timestamptz[]) as n (id, imported_at),
      lateral (select imported_at, merged_into from customers where id = n.id offset 0) c
    where c.imported_at >= n.imported_at and c.merged_into is null))`
