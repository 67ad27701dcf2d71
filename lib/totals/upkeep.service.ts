/** Keeps totals short to read, and clicks no longer than they count, by cron. */
import { connect } from '../db/connection.ts'
import { inPages } from '../db/in-pages.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { wholeDays } from '../people/retention.ts'
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

/** Folds the totals, and removes clicks. Concurrent runs don't disturb each other. @returns what was done; null if nothing was */
export const upkeep = async (env: UpkeepEnv) => {
  const days = wholeDays('CLICK_RETENTION_DAYS', env.CLICK_RETENTION_DAYS, DEFAULT_RETENTION_DAYS, 0)
  const db = connect(env)
  const folded = await inPages({ page: DELTAS_PER_PAGE, most: MOST_PAGES }, (limit) => foldTotals(db, limit))
  const clicks = await inPages({ page: CLICKS_PER_PAGE, most: MOST_PAGES }, (limit) =>
    endClicks(db, days, limit),
  )
  return folded || clicks ? { folded, clicks } : null
}
