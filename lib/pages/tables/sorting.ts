import type { Sorting } from './table.tsx'
/** Sorts lists by a click on a column's heading. The order is in the URL, like the filters. */

export type Order = 'asc' | 'desc'

/** What a list is sorted by. */
export type Sorted<Column extends string> = { by: Column; order: Order }

/**
 * Reverses a list that is newest first.
 * @param path of the list @param query its filters; the page is the first one again
 */
export const sortingByTime = (
  path: string,
  { cursor: _, order: __, ...filters }: Readonly<Record<string, string>>,
  order: Order,
): Sorting => {
  const next = new URLSearchParams({
    ...filters,
    ...(order === 'desc' && { order: 'asc' }),
  }).toString()
  return {
    href: next ? `${path}?${next}` : path,
    direction: order === 'asc' ? 'ascending' : 'descending',
  }
}

/**
 * Sorts by a column, or reverses the order if the list is already sorted by it.
 *
 * @param path  of the list
 * @param query its filters; the page is the first one again
 * @param first the order of the first click
 */
export const sortingBy = <Column extends string>(
  path: string,
  query: Readonly<Record<string, string>>,
  current: Sorted<Column>,
  column: Column,
  first: Order = 'desc',
): Sorting => {
  const isCurrent = current.by === column
  const reversed: Order = current.order === 'asc' ? 'desc' : 'asc'
  const { cursor: _, ...filters } = query
  const next = new URLSearchParams({
    ...filters,
    sort: column,
    order: isCurrent ? reversed : first,
  })
  const direction = current.order === 'asc' ? 'ascending' : 'descending'
  return { href: `${path}?${next}`, direction: isCurrent ? direction : null }
}
