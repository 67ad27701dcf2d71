/** How far a source is read, and which page is next. */

import type { PlatformCommission } from '../commissions/platform-commissions.ts'
import { type HistoryEntry, historyEntry } from './history/history.ts'
import type { Platform } from './platforms/platform.ts'
import type { Purpose, Resource } from './source.ts'
import { commissionOf } from './source-commissions.ts'
import type { SourcePage, SourceRow } from './source-rows.ts'

/**
 * How far a list is read.
 *
 * @property read rows, each counted once
 * @property total the rows that the platform reports; null if it doesn't
 */
export type ListProgress = { read: number; total: number | null; pages: number; isDone: boolean }

export type Progress = Partial<Record<Resource, ListProgress>>

/** The page of a list that the platform refuses to this token. */
export const refusedPage = (resource: Resource): SourcePage => ({
  rows: [{ kind: 'left_out', id: `refused ${resource}`, reason: 'refused', name: resource }],
  next: null,
  total: null,
})

export type Place = { resource: Resource; cursor: string | null }

export const NOTHING_READ: ListProgress = { read: 0, total: null, pages: 0, isDone: false }

/** Whether an import needs a row: unpaid commissions, if they say what partners are owed. */
const isImported = (row: SourceRow, { owed }: Pick<Platform, 'owed'>): boolean =>
  row.kind !== 'commission' ||
  (owed === 'commissions' && (row.state === 'pending' || row.state === 'due'))

/**
 * What is kept of a page.
 *
 * @property rows for the import; for a shadow run, those that could not be read
 * @property history for an import: what each commission adds to its customer
 * @property commissions for a shadow run
 */
export type Kept = {
  rows: SourceRow[]
  history: { id: string; row: HistoryEntry }[]
  commissions: PlatformCommission[]
}

export const keptOf = (
  platform: Pick<Platform, 'owed'>,
  purpose: Purpose,
  all: SourceRow[],
): Kept => {
  // A page may contain an item twice.
  const page = [...new Map(all.map((row) => [row.id, row])).values()]
  if (purpose === 'import') {
    const rows = page.filter((row) => isImported(row, platform))
    const history = page.flatMap((row) =>
      row.kind === 'commission' ? [{ id: row.id, row: historyEntry(row) }] : [],
    )
    return { rows, history, commissions: [] }
  }
  const read = page.map((row) => ({
    row,
    commission: row.kind === 'commission' ? commissionOf(row) : null,
  }))
  const commissions = read.flatMap(({ commission }) => commission ?? [])
  const rows = read
    .filter(({ commission }) => commission === null)
    .map(({ row: { id } }): SourceRow => ({ kind: 'left_out', id, reason: 'unreadable', name: id }))
  return { rows, history: [], commissions }
}

/**
 * Where a failed source continues, perhaps days later. A list that is paged by number without a
 * total starts again: nothing would show that rows were removed, which shifts the pages.
 */
export const placeToContinue = (
  platform: Platform,
  { resource, cursor }: Place,
  progress: Progress,
): Place =>
  platform.paging === 'number' && progress[resource]?.total == null
    ? { resource, cursor: null }
    : { resource, cursor }

/** More pages than any program has. A list without an end would fill the database. */
const MAX_PAGES = 20_000

export const isEndless = ({ pages }: ListProgress): boolean => pages >= MAX_PAGES

/**
 * The cursor after a page. If rows were removed from a list that is paged by number, later rows
 * shift forward, past the next page. So as many pages are read again. Reading rows twice does no
 * harm.
 */
const cursorAfter = (
  { paging, pageSize }: Platform,
  cursor: string | null,
  { next, total }: SourcePage,
  before: number | null,
): string | null => {
  const removed = before === null || total === null ? 0 : before - total
  if (paging !== 'number' || removed <= 0) return next
  const page = Number(cursor ?? '1')
  // The shifted rows are on earlier pages. Before the first page, there are none.
  return page === 1 ? next : String(Math.max(page - Math.ceil(removed / pageSize), 1))
}

/** The place of the next page; null after all lists. @param lists that are read */
export const placeAfter = (
  platform: Platform,
  lists: Resource[],
  { resource, cursor }: Place,
  page: SourcePage,
  before: ListProgress,
): Place | null => {
  // Before the first page, the total is an estimate.
  const next = cursorAfter(platform, cursor, page, before.pages > 0 ? before.total : null)
  if (next !== null) return { resource, cursor: next }
  const following = lists[lists.indexOf(resource) + 1]
  return following ? { resource: following, cursor: null } : null
}
