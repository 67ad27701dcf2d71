/**
 * Removes what is no longer needed, some rows per call. Each returns how many it has found: less
 * than the limit if none are left.
 */
import { type RawBuilder, sql } from 'kysely'
import { keysExpireBefore } from '../auth/idempotency/idempotency.queries.ts'
import type { Db } from '../db/connection.ts'
import { anyExists } from '../db/due.queries.ts'

const countOf = async (db: Db, work: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ found: number }>`
    with done as (${work} returning 1) select count(*)::integer as found from done`.execute(db)
  return rows[0]?.found ?? 0
}

/** What names a buyer in the facts of Stripe's events, beside the address that may be its id. */
export const BUYER_FIELDS = sql`array['name', 'fingerprint', 'billingEmail']`

/** From when on what is kept. */
export type KeptSince = Record<
  'mails' | 'purchases' | 'metadata' | 'webhooks' | 'mismatches' | 'refused',
  Date
>

/** What is due to be removed or emptied, oldest first, by kind. */
const due = {
  mails: (before: Date) =>
    sql`select id from mails where sent_at < ${before} and recipient <> '' order by sent_at`,
  mailings: (before: Date) => sql`
          select g.id from mailings g
          where g.created_at < ${before} and not exists (
            select from mails m where m.workspace_id = g.workspace_id and m.sent_at is null and m.failed_at is null
              and m.kind = 'message' and m.occasion = g.id::text)
          order by g.created_at`,
  metadata: (before: Date) => sql`
          select id from events where partner_id is null and metadata is not null and occurred_at < ${before}
          order by occurred_at`,
  purchases: (before: Date) => sql`
          select o.id from processor_events o
          where o.anonymized_at is null and o.occurred_at < ${before}
            and not exists (select from processor_events n where n.keys && o.keys and n.workspace_id = o.workspace_id
                              and n.occurred_at >= ${before})
          order by o.occurred_at`,
  webhooks: (before: Date) =>
    sql`select id from webhook_events where created_at < ${before} order by created_at`,
  mismatches: (before: Date) =>
    sql`select id from report_mismatches where last_at < ${before} order by last_at`,
  refused: (before: Date) =>
    sql`select ctid from refused_visits where day < ${before}::date order by day`,
  addressChanges: (now: Date) =>
    sql`select id from address_changes where expires_at < ${now} order by expires_at`,
  documents: (now: Date) =>
    sql`select id from kept_documents where keep_until < ${now}::date order by keep_until`,
  keys: (now: Date) => sql`
          select workspace_id, hash from idempotency_keys where created_at < ${keysExpireBefore(now)}
          order by created_at`,
}

/** Whether anything is due, as a condition. */
export const needsRetention = (since: KeptSince, now: Date) =>
  sql`${anyExists([
    due.mails(since.mails),
    due.mailings(since.mails),
    due.metadata(since.metadata),
    due.purchases(since.purchases),
    due.webhooks(since.webhooks),
    due.mismatches(since.mismatches),
    due.refused(since.refused),
    due.addressChanges(now),
    due.keys(now),
    due.documents(now),
  ])} or sign_ins_have_expired(${now})`

/**
 * Removes recipient and contents of mails that were sent before a time. The rows stay: that a mail
 * of a kind was sent keeps it from being sent again.
 */
export const emptyMails = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(
    db,
    sql`update mails set recipient = '', details = '{}', last_error = null where id in (
          ${due.mails(before)} limit ${limit} for update skip locked)`,
  )

/**
 * Removes what managers wrote to many partners before a time, unless it is still to be sent to one.
 */
export const removeMailings = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(
    db,
    sql`delete from mailings where id in (${due.mailings(before)} limit ${limit} for update skip locked)`,
  )

/** Removes the metadata of events that nobody was credited with, before a time. */
export const dropMetadata = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(
    db,
    sql`update events set metadata = null where id in (${due.metadata(before)} limit ${limit} for update skip locked)`,
  )

/**
 * Removes addresses and names of buyers from a processor's events of purchases of which nothing was
 * received since a time. Ids and amounts stay, because a late refund is counted by them, and so
 * does the address of a guest, who is known by nothing else.
 */
export const anonymizeEvents = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(
    db,
    sql`update processor_events s
        set email = case when s.customer is null then s.email end, anonymized_at = now(),
            facts = (select coalesce(jsonb_agg(case when f ->> 'customer' is null then f - ${BUYER_FIELDS}
                                                    else f - ${BUYER_FIELDS} || '{"email": null}' end), '[]')
                     from jsonb_array_elements(s.facts) f)
        where s.id in (${due.purchases(before)} limit ${limit} for update skip locked)`,
  )

/** Removes webhooks of before a time, with their deliveries, also one that was resent since. */
export const removeWebhooks = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(db, sql`delete from webhook_events where id in (${due.webhooks(before)} limit ${limit})`)

/** Removes reports that differ from their events, and were not sent again since a time. */
export const removeMismatches = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(
    db,
    sql`delete from report_mismatches where id in (
          ${due.mismatches(before)} limit ${limit} for update skip locked)`,
  )

/** Removes counts of refused visits of before a day. */
export const removeRefusedVisits = (db: Db, before: Date, limit: number): Promise<number> =>
  countOf(db, sql`delete from refused_visits where ctid in (${due.refused(before)} limit ${limit})`)

/**
 * Removes sessions, browsers, sign-in links, Idempotency-Keys and requests to change an address
 * that have expired, and documents of deleted workspaces that need not be kept any more.
 */
export const clearExpired = async (db: Db, now: Date, limit: number): Promise<number> => {
  const [documents, requests, keys, { rows }] = await Promise.all([
    countOf(db, sql`delete from kept_documents where id in (${due.documents(now)} limit ${limit})`),
    countOf(
      db,
      sql`delete from address_changes where id in (
            ${due.addressChanges(now)} limit ${limit} for update skip locked)`,
    ),
    countOf(
      db,
      sql`delete from idempotency_keys where (workspace_id, hash) in (
            ${due.keys(now)} limit ${limit} for update skip locked)`,
    ),
    sql<{ found: number }>`select clear_expired_sign_ins(${now}, ${limit}) as found`.execute(db),
  ])
  return Math.max(documents, requests, keys, rows[0]?.found ?? 0)
}
