/** Removes what names people once it is due, by cron. docs/privacy.md. */
import { connect } from '../db/connection.ts'
import { inPages, mostPages } from '../db/in-pages.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { refusedVisitsSince } from '../tracking/checks/tracking-check.ts'
import { eraseDue } from './deletion.queries.ts'
import { clearExpired, type KeptKind, type KeptSince, removeDue } from './retention.queries.ts'
import { type DEFAULTS, daysOf, type RetentionSettings } from './retention.ts'

export type RetentionEnv = DatabaseEnv & RetentionSettings & { MAX_FETCHES?: string }

/** Rows per call. Erasing a page of a workspace takes about half a second. */
const PAGE = 500
const ERASED_PAGE = 2_000
/** Calls of each kind that one run of the cron makes on the free plan. */
const LEAST_PAGES = 2
const LEAST_ERASED_PAGES = 5

/** Processors report a sale again for weeks, and merchants correct some of a quarter. */
const TIER_DAYS = 92

/** The time since which each kind is kept. */
export const keptSince = (env: RetentionEnv, now: Date): KeptSince => {
  const before = (setting: keyof typeof DEFAULTS) =>
    new Date(now.getTime() - daysOf(env, setting) * 86_400_000)
  return {
    mails: before('MAIL_RETENTION_DAYS'),
    mailings: before('MAIL_RETENTION_DAYS'),
    purchases: before('STRIPE_RETENTION_DAYS'),
    metadata: before('METADATA_RETENTION_DAYS'),
    webhooks: before('WEBHOOK_RETENTION_DAYS'),
    mismatches: before('MISMATCH_RETENTION_DAYS'),
    refused: refusedVisitsSince(now),
    tiers: new Date(now.getTime() - TIER_DAYS * 86_400_000),
  }
}

/**
 * Removes what is due. May run concurrently.
 * @returns how many rows of each kind were due; null if none were
 */
export const retain = async (env: RetentionEnv, now: Date) => {
  const pages = { page: PAGE, most: mostPages(LEAST_PAGES, env) }
  const db = connect(env)
  const done: Record<string, number> = {}
  for (const [kind, before] of Object.entries(keptSince(env, now)))
    done[kind] = await inPages(pages, (limit) => removeDue(db, kind as KeptKind, before, limit))
  done.expired = await inPages(pages, (limit) => clearExpired(db, now, limit))
  return Object.values(done).some((count) => count > 0) ? done : null
}

/**
 * Erases some rows of workspaces whose deletion is due. May run concurrently.
 * @returns how many; null if none were due
 */
export const eraseWorkspaces = async (env: RetentionEnv, now: Date) => {
  const db = connect(env)
  const pages = { page: ERASED_PAGE, most: mostPages(LEAST_ERASED_PAGES, env) }
  const rows = await inPages(pages, (limit) => eraseDue(db, now, limit))
  return rows > 0 ? { rows } : null
}
