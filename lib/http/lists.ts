/** Lists: pages of `{"data", "nextCursor"}`, newest first. */
import * as z from 'zod'

/** What every list takes: where to go on, and how many. */
export const Page = z.object({
  cursor: z.uuid().optional().meta({ description: 'The `nextCursor` of the page before.' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/**
 * A page of what was read. Reading one row more than was asked for tells whether there is a next page.
 *
 * @param rows at most `limit` + 1
 */
export const page = <Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  present: (row: Row) => Item,
): { data: Item[]; nextCursor: string | null } => {
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(present),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
