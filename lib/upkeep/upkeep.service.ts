/** Keeps totals short to read, and clicks no longer than they count, by cron. */
import { connect, type Db } from '../db/connection.ts'
import { inPages, mostPages } from '../db/in-pages.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { wholeDays } from '../people/retention.ts'
import { endClicks, foldTotals } from '../totals/upkeep.queries.ts'

export type UpkeepEnv = DatabaseEnv & {
  /** Days that a click is kept after it has expired; 30 by default. */
  CLICK_RETENTION_DAYS?: string
  MAX_FETCHES?: string
}

const DEFAULT_RETENTION_DAYS = 30
/** Differences per call: about a second. */
const DELTAS_PER_PAGE = 20_000
const CLICKS_PER_PAGE = 5_000
/** Calls per run, of each kind, on the free plan. */
const LEAST_PAGES = 10

export const clickDays = (env: UpkeepEnv): number =>
  wholeDays('CLICK_RETENTION_DAYS', env.CLICK_RETENTION_DAYS, DEFAULT_RETENTION_DAYS, 0)

/** Folds the totals, as far as one call may take. @returns how many differences */
export const fold = (env: UpkeepEnv, db: Db): Promise<number> =>
  inPages({ page: DELTAS_PER_PAGE, most: mostPages(LEAST_PAGES, env) }, (limit) =>
    foldTotals(db, limit),
  )

/**
 * Folds the totals, and removes clicks. Concurrent runs don't disturb each other.
 * @returns what was done; null if nothing was
 */
export const upkeep = async (env: UpkeepEnv) => {
  const days = clickDays(env)
  const db = connect(env)
  const folded = await fold(env, db)
  const clicks = await inPages(
    { page: CLICKS_PER_PAGE, most: mostPages(LEAST_PAGES, env) },
    (limit) => endClicks(db, days, limit),
  )
  return folded || clicks ? { folded, clicks } : null
}
