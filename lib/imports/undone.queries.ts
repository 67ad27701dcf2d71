/**
 * Partners whose import was undone stay as rows that nobody may use any more: see
 * undo_import in schema.sql.
 */
import { sql } from 'kysely'
import { textArray } from '../tracking/events/received.queries.ts'

/**
 * Rolls the batch back if the import of a partner was undone since it was read, and keeps it from
 * being undone meanwhile.
 *
 * @param ids UUIDs
 * @param strength of the locks: `no key update` for what changes the partners, `key share` for what
 *   refers to them
 */
export const partnersStay = (
  ids: readonly string[],
  strength: 'no key update' | 'key share',
) => sql<unknown>`
  select assert_unchanged(bool_and(undone_at is null))
  from (select undone_at from partners where id = any(${textArray([...new Set(ids)])}::uuid[])
        order by id for ${sql.raw(strength)}) p`
