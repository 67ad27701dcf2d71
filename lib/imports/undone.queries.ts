/** Partners whose import was undone stay as unusable rows: see undo_import in schema/undo.sql. */
import { sql } from 'kysely'
import { textArray } from '../tracking/events/received.queries.ts'

/**
 * Rolls the batch back if the import of a partner was undone since the read, and prevents that
 * until the end of the batch.
 *
 * @param ids UUIDs
 * @param strength `no key update` to change the partners, `key share` to refer to them
 */
export const partnersStay = (
  ids: readonly string[],
  strength: 'no key update' | 'key share',
) => sql<unknown>`
  select assert_unchanged(bool_and(undone_at is null))
  from (select undone_at from partners where id = any(${textArray([...new Set(ids)])}::uuid[])
        order by id for ${sql.raw(strength)}) p`
