/** Removes what is no longer needed, some rows per call. */
import { type RawBuilder, sql } from 'kysely'
import { keysExpireBefore } from '../auth/idempotency/idempotency.queries.ts'
import type { Db } from '../db/connection.ts'
import { anyExists } from '../db/due.queries.ts'

/** What names a buyer in the facts of Stripe's events, apart from the address that may be its id. */
export const BUYER_FIELDS = sql`array['name', 'fingerprint', 'billingEmail']`

/** A fact, `f`, without the metadata of its lines. What was bought stays, as amounts do. */
export const FACT = sql`
  case when f ? 'lines' then f || jsonb_build_object('lines', without_metadata(f -> 'lines')) else f end`

/**
 * @property due the rows that are due before a time, oldest first
 * @property drop removes or empties these rows
 */
type Rule = {
  due: (before: Date) => RawBuilder<unknown>
  drop: (rows: RawBuilder<unknown>) => RawBuilder<unknown>
}

const RULES = {
  /** Mails stay without recipient and contents, so that no mail is sent twice. */
  mails: {
    due: (before) =>
      sql`select id from mails where sent_at < ${before} and recipient <> '' order by sent_at`,
    drop: (rows) => sql`
      update mails set recipient = '', details = '{}', last_error = null
      where id in (${rows} for update skip locked)`,
  },
  /** What managers wrote to many partners, unless it is still to be sent to one of them. */
  mailings: {
    due: (before) => sql`
      select g.id from mailings g
      where g.created_at < ${before} and not exists (
        select from mails m
        where m.workspace_id = g.workspace_id and m.sent_at is null and m.failed_at is null
          and m.kind = 'message' and m.occasion = g.id::text)
      order by g.created_at`,
    drop: (rows) => sql`delete from mailings where id in (${rows} for update skip locked)`,
  },
  /** Metadata of events that are credited to nobody, and of their lines. */
  metadata: {
    due: (before) => sql`
      select id from events
      where partner_id is null
        and (metadata is not null or jsonb_path_exists(lines, '$[*].metadata'))
        and occurred_at < ${before}
      order by occurred_at`,
    drop: (rows) => sql`
      update events set metadata = null, lines = without_metadata(lines) where id in (${rows} for update skip locked)`,
  },
  /**
   * Addresses and names of buyers in a processor's events, once a purchase has had no event for so
   * long. Ids and amounts stay, because a late refund is counted by them. So does the address of a
   * guest, who is known by nothing else.
   */
  purchases: {
    due: (before) => sql`
      select o.id from processor_events o
      where o.anonymized_at is null and o.occurred_at < ${before}
        and not exists (
          select from processor_events n
          where n.keys && o.keys and n.workspace_id = o.workspace_id and n.occurred_at >= ${before})
      order by o.occurred_at`,
    drop: (rows) => sql`
      update processor_events s
      set email = case when s.customer is null then s.email end, anonymized_at = now(),
          facts = (
            select coalesce(jsonb_agg(case when f ->> 'customer' is null then (${FACT}) - ${BUYER_FIELDS}
                                           else (${FACT}) - ${BUYER_FIELDS} || '{"email": null}' end), '[]')
            from jsonb_array_elements(s.facts) f)
      where s.id in (${rows} for update skip locked)`,
  },
  /** Webhooks with their deliveries, also those that were resent since. */
  webhooks: {
    due: (before) =>
      sql`select id from webhook_events where created_at < ${before} order by created_at`,
    drop: (rows) => sql`delete from webhook_events where id in (${rows})`,
  },
  /** Reports that differ from their events, and were not sent again since. */
  mismatches: {
    due: (before) =>
      sql`select id from report_mismatches where last_at < ${before} order by last_at`,
    drop: (rows) => sql`delete from report_mismatches where id in (${rows} for update skip locked)`,
  },
  /** Counts of refused visits. */
  refused: {
    due: (before) => sql`select ctid from refused_visits where day < ${before}::date order by day`,
    drop: (rows) => sql`delete from refused_visits where ctid in (${rows})`,
  },
  /** What tiers have counted of days of which no sale is likely to be reported any more. */
  tiers: {
    due: (before) => sql`select ctid from tier_figures where day < ${before}::date order by day`,
    drop: (rows) => sql`delete from tier_figures where ctid in (${rows})`,
  },
  addressChanges: {
    due: (before) =>
      sql`select id from address_changes where expires_at < ${before} order by expires_at`,
    drop: (rows) => sql`delete from address_changes where id in (${rows} for update skip locked)`,
  },
  /** Documents of deleted workspaces. */
  documents: {
    due: (before) =>
      sql`select id from kept_documents where keep_until < ${before}::date order by keep_until`,
    drop: (rows) => sql`delete from kept_documents where id in (${rows})`,
  },
  /** Idempotency-Keys. */
  keys: {
    due: (before) => sql`
      select workspace_id, hash from idempotency_keys
      where created_at < ${keysExpireBefore(before)} order by created_at`,
    drop: (rows) => sql`
      delete from idempotency_keys where (workspace_id, hash) in (${rows} for update skip locked)`,
  },
} satisfies Record<string, Rule>

/** Kinds whose rows have a time of expiry. The others are kept for a time that settings change. */
const EXPIRING = ['addressChanges', 'documents', 'keys'] as const

type Kind = keyof typeof RULES
export type KeptKind = Exclude<Kind, (typeof EXPIRING)[number]>

/** Rows of each kind that are older are due. */
export type KeptSince = Record<KeptKind, Date>

/** Whether anything is due, as a condition. */
export const needsRetention = (since: KeptSince, now: Date) => {
  const times = { ...since, addressChanges: now, documents: now, keys: now }
  const due = Object.entries(times).map(([kind, before]) => RULES[kind as Kind].due(before))
  return sql`${anyExists(due)} or sign_ins_have_expired(${now})`
}

/** @returns how many rows were due: less than the limit if none are left */
export const removeDue = async (
  db: Db,
  kind: Kind,
  before: Date,
  limit: number,
): Promise<number> => {
  const { due, drop } = RULES[kind]
  const { rows } = await sql<{ found: number }>`
    with done as (${drop(sql`${due(before)} limit ${limit}`)} returning 1)
    select count(*)::integer as found from done`.execute(db)
  return rows[0]?.found ?? 0
}

/**
 * Removes sessions, browsers, sign-in links, Idempotency-Keys, requests to change an address and
 * kept documents that have expired.
 */
export const clearExpired = async (db: Db, now: Date, limit: number): Promise<number> => {
  const [{ rows }, ...counts] = await Promise.all([
    sql<{ found: number }>`select clear_expired_sign_ins(${now}, ${limit}) as found`.execute(db),
    ...EXPIRING.map((kind) => removeDue(db, kind, now, limit)),
  ])
  return Math.max(rows[0]?.found ?? 0, ...counts)
}
