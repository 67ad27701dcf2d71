/** Keeps what names people no longer than the settings say, by cron. docs/privacy.md. */
import { connect } from '../db/connection.ts'
import { inPages, mostPages } from '../db/in-pages.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { refusedVisitsSince } from '../tracking/checks/tracking-check.ts'
import {
  anonymizeEvents,
  clearExpired,
  dropMetadata,
  emptyMails,
  type KeptSince,
  removeMailings,
  removeMismatches,
  removeRefusedVisits,
  removeWebhooks,
} from './retention.queries.ts'
import { type DEFAULTS, daysOf, type RetentionSettings } from './retention.ts'

export type RetentionEnv = DatabaseEnv & RetentionSettings & { MAX_FETCHES?: string }

/** Rows per call. */
const PAGE = 500
/** Calls per run of the cron, of each kind, on the free plan. */
const LEAST_PAGES = 2

/** From when on each kind is kept. */
export const keptSince = (env: RetentionEnv, now: Date): KeptSince => {
  const before = (setting: keyof typeof DEFAULTS) =>
    new Date(now.getTime() - daysOf(env, setting) * 86_400_000)
  return {
    mails: before('MAIL_RETENTION_DAYS'),
    purchases: before('STRIPE_RETENTION_DAYS'),
    metadata: before('METADATA_RETENTION_DAYS'),
    webhooks: before('WEBHOOK_RETENTION_DAYS'),
    mismatches: before('MISMATCH_RETENTION_DAYS'),
    refused: refusedVisitsSince(now),
  }
}

/**
 * Removes what is due. Concurrent runs don't disturb each other.
 * @returns what was done; null if nothing was
 */
export const retain = async (env: RetentionEnv, now: Date) => {
  const times = keptSince(env, now)
  const pages = { page: PAGE, most: mostPages(LEAST_PAGES, env) }
  const db = connect(env)
  const mails = await inPages(pages, (limit) => emptyMails(db, times.mails, limit))
  const mailings = await inPages(pages, (limit) => removeMailings(db, times.mails, limit))
  const purchases = await inPages(pages, (limit) => anonymizeEvents(db, times.purchases, limit))
  const metadata = await inPages(pages, (limit) => dropMetadata(db, times.metadata, limit))
  const expired = await inPages(pages, (limit) => clearExpired(db, now, limit))
  const webhooks = await inPages(pages, (limit) => removeWebhooks(db, times.webhooks, limit))
  const mismatches = await inPages(pages, (limit) => removeMismatches(db, times.mismatches, limit))
  const refused = await inPages(pages, (limit) => removeRefusedVisits(db, times.refused, limit))
  const done = { mails, mailings, purchases, metadata, expired, webhooks, mismatches, refused }
  return Object.values(done).some((count) => count > 0) ? done : null
}
