/** Erases workspaces whose deletion is due, by cron. docs/privacy.md. */
import { connect } from '../db/connection.ts'
import { inPages, mostPages } from '../db/in-pages.ts'
import { eraseDue } from './deletion.queries.ts'
import type { RetentionEnv } from './retention.service.ts'

/** Rows per call: about half a second. */
const PAGE = 2_000
/** Calls per run of the cron, on the free plan. */
const LEAST_PAGES = 5

/**
 * Erases what is due, some of it. Concurrent runs don't disturb each other.
 * @returns what was done; null if nothing was
 */
export const eraseWorkspaces = async (env: RetentionEnv, now: Date) => {
  const db = connect(env)
  const pages = { page: PAGE, most: mostPages(LEAST_PAGES, env) }
  const rows = await inPages(pages, (limit) => eraseDue(db, now, limit))
  return rows > 0 ? { rows } : null
}
