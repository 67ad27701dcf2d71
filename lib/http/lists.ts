/** Pagination of lists: `{"data", "nextCursor"}`, newest first. */
import * as z from 'zod'

/** The query parameters of every list. */
export const Page = z.object({
  cursor: z.uuid().optional().meta({ description: 'The `nextCursor` of the previous page.' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** The query parameters of a list that can start with its oldest rows. */
export const OrderedPage = z.object({
  ...Page.shape,
  order: z
    .enum(['desc', 'asc'])
    .default('desc')
    .meta({ description: '`asc` lists oldest first. Send it with each page.' }),
})

/** A page of a list, and the cursor of the next one. */
export type Listed<Item> = { data: Item[]; nextCursor: string | null }

/**
 * A page of rows. Queries fetch one row more than the limit, which shows whether there is a next page.
 *
 * @param rows    at most `limit` + 1
 * @param present turns a row into its response
 */
export function page<Row extends { id: string }>(rows: Row[], limit: number): Listed<Row>
export function page<Row extends { id: string }, Item>(
  rows: Row[],
  limit: number,
  present: (row: Row) => Item,
): Listed<Item>
export function page<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  present: (row: Row) => unknown = (row) => row,
): Listed<unknown> {
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(present),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
