/** How far reading is, and where it goes on. */

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
 * @property total how many the platform says there are; null if it doesn't
 */
export type ListProgress = { read: number; total: number | null; pages: number; isDone: boolean }

export type Progress = Partial<Record<Resource, ListProgress>>

/** What is read of a list that the platform does not let this token read. */
export const refusedPage = (resource: Resource): SourcePage => ({
  rows: [{ kind: 'left_out', id: `refused ${resource}`, reason: 'refused', name: resource }],
  next: null,
  total: null,
})

/** Where the next page is. */
export type Place = { resource: Resource; cursor: string | null }

export const NOTHING_READ: ListProgress = { read: 0, total: null, pages: 0, isDone: false }

/**
 * Whether an import needs the row: of commissions, those that are not paid, if what a partner is
 * owed follows from them.
 */
const isImported = (row: SourceRow, { owed }: Pick<Platform, 'owed'>): boolean =>
  row.kind !== 'commission' ||
  (owed === 'commissions' && (row.state === 'pending' || row.state === 'due'))

/**
 * What is kept of a page.
 *
 * @property rows for the import; for a shadow run, those that could not be read
 * @property history for an import: what each commission says of its customer
 * @property commissions for a shadow run
 */
export type Kept = {
  rows: SourceRow[]
  history: { id: string; row: HistoryEntry }[]
  commissions: PlatformCommission[]
}

/** What is kept of a page's rows, of which each id is there once. */
export const keptOf = (
  platform: Pick<Platform, 'owed'>,
  purpose: Purpose,
  all: SourceRow[],
): Kept => {
  // A page that has an item twice has it once.
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
 * Where reading goes on after it has failed, perhaps days ago. A list that is paged by number, and
 * does not say how many rows it has, begins anew: nothing would show that rows were removed
 * meanwhile, which draw others to pages that were read.
 */
export const placeToContinue = (
  platform: Platform,
  { resource, cursor }: Place,
  progress: Progress,
): Place =>
  platform.paging === 'number' && progress[resource]?.total == null
    ? { resource, cursor: null }
    : { resource, cursor }

/**
 * More rows than any program has. A platform that never says it is at the end would fill the
 * database.
 */
const MAX_PAGES = 20_000

/** Whether a list goes on for too long. */
export const isEndless = ({ pages }: ListProgress): boolean => pages >= MAX_PAGES

/**
 * The cursor after a page. In a list that is paged by number, rows that were removed meanwhile draw
 * later ones forward, past the next page; so as many pages are read again. Rows that were added are
 * read twice, which does no harm.
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
  // The rows that moved are on pages before this one, which were read already; before the first,
  // there are none.
  return page === 1 ? next : String(Math.max(page - Math.ceil(removed / pageSize), 1))
}

/**
 * The next page after one was read.
 * @param lists that are read @returns null for the place after all lists
 */
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
