/** Keeps totals short to read, and clicks no longer than they count, by cron. */
import { connect } from '../db/connection.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { endClicks, foldTotals } from './upkeep.queries.ts'

export type UpkeepEnv = DatabaseEnv & {
  /** How many days a click is kept after it has expired. Without it, 30. */
  CLICK_RETENTION_DAYS?: string
}

const DEFAULT_RETENTION_DAYS = 30
/** Differences per call: about a second. */
const DELTAS_PER_PAGE = 20_000
const CLICKS_PER_PAGE = 5_000
/** Calls per run of the cron, of each kind. With one mail per call beside them, they fit in what the free plan allows. */
const MOST_PAGES = 10

const keptDays = ({ CLICK_RETENTION_DAYS }: UpkeepEnv): number => {
  const days = Number(CLICK_RETENTION_DAYS ?? DEFAULT_RETENTION_DAYS)
  if (!Number.isInteger(days) || days < 0 || days > 36_500)
    throw new Error('CLICK_RETENTION_DAYS must be a whole number of days, from 0 to 36500.')
  return days
}

/** Repeats a call until it has found less than a page. @returns how many it has found in all */
const repeat = async (page: number, call: (limit: number) => Promise<number>): Promise<number> => {
  let found = 0
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const more = await call(page)
    found += more
    if (more < page) break
  }
  return found
}

/** Folds the totals, and removes clicks. Concurrent runs don't disturb each other. @returns what was done; null if nothing was */
export const upkeep = async (env: UpkeepEnv) => {
  const days = keptDays(env)
  const db = connect(env)
  const folded = await repeat(DELTAS_PER_PAGE, (limit) => foldTotals(db, limit))
  const clicks = await repeat(CLICKS_PER_PAGE, (limit) => endClicks(db, days, limit))
  return folded || clicks ? { folded, clicks } : null
}
