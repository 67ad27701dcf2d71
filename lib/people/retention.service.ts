/** Keeps what names people no longer than the settings say, by cron. docs/privacy.md. */
import { connect } from '../db/connection.ts'
import { inPages } from '../db/in-pages.ts'
import type { DatabaseEnv } from '../db/neon.ts'
import { refusedVisitsSince } from '../tracking/tracking-check.ts'
import {
  anonymizeEvents,
  clearExpired,
  dropMetadata,
  emptyMails,
  removeMailings,
  removeMismatches,
  removeRefusedVisits,
  removeWebhooks,
} from './retention.queries.ts'
import { type DEFAULTS, daysOf, type RetentionSettings } from './retention.ts'

export type RetentionEnv = DatabaseEnv & RetentionSettings

/** Rows per call, and calls per run of the cron and kind: what is overdue at first is gone within a day. */
const PAGES = { page: 500, most: 2 }

/** Removes what is due. Concurrent runs don't disturb each other. @returns what was done; null if nothing was */
export const retain = async (env: RetentionEnv, now: Date) => {
  const before = (setting: keyof typeof DEFAULTS) =>
    new Date(now.getTime() - daysOf(env, setting) * 86_400_000)
  const times = {
    mails: before('MAIL_RETENTION_DAYS'),
    purchases: before('STRIPE_RETENTION_DAYS'),
    metadata: before('METADATA_RETENTION_DAYS'),
    webhooks: before('WEBHOOK_RETENTION_DAYS'),
    mismatches: before('MISMATCH_RETENTION_DAYS'),
  }
  const db = connect(env)
  const mails = await inPages(PAGES, (limit) => emptyMails(db, times.mails, limit))
  const mailings = await inPages(PAGES, (limit) => removeMailings(db, times.mails, limit))
  const purchases = await inPages(PAGES, (limit) => anonymizeEvents(db, times.purchases, limit))
  const metadata = await inPages(PAGES, (limit) => dropMetadata(db, times.metadata, limit))
  const expired = await inPages(PAGES, (limit) => clearExpired(db, now, limit))
  const webhooks = await inPages(PAGES, (limit) => removeWebhooks(db, times.webhooks, limit))
  const mismatches = await inPages(PAGES, (limit) => removeMismatches(db, times.mismatches, limit))
  const refused = await inPages(PAGES, (limit) => removeRefusedVisits(db, refusedVisitsSince(now), limit))
  const done = { mails, mailings, purchases, metadata, expired, webhooks, mismatches, refused }
  return Object.values(done).some((count) => count > 0) ? done : null
}
