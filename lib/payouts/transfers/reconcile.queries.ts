/** How far each workspace's transfers are read, and what is saved: see reconcile.service.ts. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { isInFlight } from '../payouts.queries.ts'
import { dueKeys } from './stripe-keys.queries.ts'
import type { OurTransfer } from './transfer-metadata.ts'
import { type FoundTransfer, noteFound } from './unexpected-transfers.queries.ts'

/** Transfers that become payouts in one statement. Each takes some milliseconds. */
const ADOPTED_PER_PAGE = 100

/** How far the transfers of a workspace's Stripe account are read. */
export type Reading = {
  ciphertext: string
  /** The transfers before this time were read. */
  since: Date
  /** For an unfinished reading: its newest transfer, and the last one that was read. */
  newest: Date | null
  cursor: string | null
}

/**
 * How far the transfers of a workspace are read; undefined without a key. The last minute is read
 * again, because a transfer may be listed later than one that was made after it.
 */
export const findReading = async (db: Db, workspaceId: string): Promise<Reading | undefined> => {
  const { rows } = await sql<Reading>`
    select k.ciphertext, k.scan_newest as newest, k.scan_cursor as cursor,
           coalesce(k.transfers_read_to - interval '1 minute', w.created_at - interval '1 day') as since
    from stripe_keys k join workspaces w on w.id = k.workspace_id where k.workspace_id = ${workspaceId}`.execute(
    db,
  )
  return rows[0]
}

/** Some of the workspaces whose transfers are to be read again. */
export const listUnread = async (db: Db, now: Date, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select workspace_id as id from (${dueKeys('transfers_read_at', now)} order by transfers_read_at nulls first limit ${limit}) k`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Of a reading: the next one begins at `newest`, or this one continues at `cursor`. */
export type Progress = { newest: Date | null; cursor: string | null }

type Adopted = { payoutId: string; transferId: string; isDeducted: boolean }

export type SavedPage = {
  adopted: Adopted[]
  alarms: FoundTransfer[]
  /** Payouts that are not known to be sent, and were. */
  sent: string[]
  /** Unknown transfers whose accounts are to be read first. */
  unreadAccounts: string[]
}

/**
 * Saves a page of transfers, in one transaction that may be repeated. One of a payout that is not
 * known to be sent makes the sender look it up. One of a payout that has ended is an alarm. One
 * whose payout is unknown becomes a payout.
 */
export const saveTransfers = async (
  db: Db,
  workspaceId: string,
  transfers: OurTransfer[],
  { newest, cursor }: Progress,
  now: Date,
): Promise<SavedPage> => {
  const listed = sql`jsonb_to_recordset(${JSON.stringify(transfers)}::jsonb)
      as x(id text, "payoutId" uuid, "runId" uuid, "programId" uuid, "partnerId" uuid, account text, "amountCents" bigint,
           "reversedCents" bigint, currency text, "cutoffAt" timestamptz, "createdAt" timestamptz)`
  // A concurrent lease must not withdraw that its key was used.
  const used = sql<{ id: string }>`
    update payouts p
    set attempts = p.attempts + 1, key_used_at = coalesce(p.key_used_at, ${now}),
        next_attempt_at = case when p.key_used_at is null then least(p.next_attempt_at, ${now}::timestamptz)
                               else p.next_attempt_at end
    from ${listed} where p.workspace_id = ${workspaceId} and p.id = x."payoutId" and ${isInFlight('p')}
    returning p.id`
  const alarms = noteFound(
    sql`(select x."payoutId" as id, x.id as transfer_id, x."reversedCents" as reversed_cents
         from ${listed} join payouts o on o.workspace_id = ${workspaceId} and o.id = x."payoutId")`,
    now,
  )
  const unknown = sql`
    insert into unknown_transfers (workspace_id, transfer_id, payout_id, run_id, program_id, partner_id, stripe_account_id,
                                   amount_cents, reversed_cents, currency, cutoff_at, created_at)
    select ${workspaceId}::uuid, x.id, x."payoutId", x."runId", x."programId", x."partnerId", x.account, x."amountCents",
           x."reversedCents", x.currency, x."cutoffAt", x."createdAt"
    from ${listed} where not exists (select from payouts p where p.workspace_id = ${workspaceId} and p.id = x."payoutId")
    on conflict (workspace_id, transfer_id) do update set reversed_cents = excluded.reversed_cents`
  const adopted = sql<Adopted>`
    select payout_id as "payoutId", transfer_id as "transferId", is_deducted as "isDeducted"
    from adopt_transfers(${workspaceId}::uuid, ${now}::timestamptz, ${ADOPTED_PER_PAGE}::integer)`
  const unread = sql<{ account: string }>`
    select distinct u.stripe_account_id as account from unknown_transfers u
    where u.workspace_id = ${workspaceId} and u.account_read_at is null
      and (not exists (select from payout_accounts a
                       where a.workspace_id = u.workspace_id and a.stripe_account_id = u.stripe_account_id)
           or not exists (select from partners p where p.workspace_id = u.workspace_id and p.id = u.partner_id))`
  const progress = cursor
    ? sql`update stripe_keys set scan_newest = ${newest}::timestamptz, scan_cursor = ${cursor} where workspace_id = ${workspaceId}`
    : sql`
    update stripe_keys
    set transfers_read_to = greatest(transfers_read_to, ${newest}::timestamptz), transfers_read_at = ${now}::timestamptz,
        scan_newest = null, scan_cursor = null
    where workspace_id = ${workspaceId}`
  const [, inFlight, found, , rows, accounts] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    used.compile(db),
    alarms.compile(db),
    unknown.compile(db),
    adopted.compile(db),
    unread.compile(db),
    progress.compile(db),
  ])
  const sent = inFlight.map(({ id }) => id)
  return {
    adopted: rows,
    alarms: found,
    sent,
    unreadAccounts: accounts.map(({ account }) => account),
  }
}

/** Saves the owners of the accounts of unknown transfers. */
export const saveOwners = async (
  db: Db,
  workspaceId: string,
  owners: { account: string; email: string | null; country: string | null }[],
  now: Date,
): Promise<void> => {
  await sql`
    update unknown_transfers u
    set partner_email = x.email, country = x.country, account_read_at = ${now}
    from jsonb_to_recordset(${JSON.stringify(owners)}::jsonb) as x(account text, email text, country text)
    where u.workspace_id = ${workspaceId} and u.stripe_account_id = x.account`.execute(db)
}
