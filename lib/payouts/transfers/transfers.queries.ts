/** The queue of payouts to send by Stripe: leases them, and saves what became of them. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { dueRows, type Lease, leaseOf, oneAttempt } from '../../db/leases.queries.ts'
import { type AccountReading, saveReadingsQuery } from '../accounts/account-checks.queries.ts'
import { freeing } from '../balances/freeing.queries.ts'
import type { NoticeReason } from '../notices/notices.ts'
import { isInFlight } from '../payouts.queries.ts'
import { type FoundTransfer, noteFound } from './unexpected-transfers.queries.ts'

/** A leased payout, with what its transfer and mail need. A `canceling` one is only looked up. */
export type DuePayout = {
  id: string
  workspaceId: string
  runId: string
  programId: string
  partnerId: string
  partnerName: string | null
  email: string
  programName: string
  currency: string
  amountCents: bigint
  stripeAccountId: string
  /** The cutoff of its run. */
  cutoffAt: Date
  keyVersion: number
  /** When this version of the idempotency key was first used, or may have been. */
  keyUsedAt: Date
  /** Whether this version of the key may have been used before. True for a repeated lease. */
  isKeyUsed: boolean
  /** Whether any version may have been: the transfer is looked up before it is asked for. */
  mayBeSent: boolean
  /** The number of attempts, this one included. Identifies the lease. */
  attempts: number
  isCanceling: boolean
  /** The database's time of the lease, before any request to Stripe. */
  askedAt: string
  /** The workspace's encrypted Stripe key; null if it was removed. */
  encryptedKey: string | null
}

/** The same for known payouts, without the index, of which Postgres would read every entry. */
const isStillInFlight = sql`p.status in ('processing', 'canceling') and p.canceled_at is null and p.stripe_account_id is not null`

/** Whether the payout `p` is to be sent, or looked up, and claims no more. */
const isReady = (p: string) => sql`${isInFlight(p)} and ${sql.ref(`${p}.claimed_at`)} is not null`

export const duePayouts = (now: Date) => sql`
  select from payouts p where ${isReady('p')} and p.next_attempt_at <= ${now}::timestamptz`

type Page = {
  /** Leases payouts of this workspace only. null: of all workspaces, which take turns. */
  workspaceId: string | null
  /** The start of the Worker's run. */
  now: Date
  /** Its id is the same for all pages of the Worker's run: no payout is leased twice in one run. */
  lease: Lease
  limit: number
}

/**
 * Leases due payouts of any run in one statement, and marks their keys as used before they are.
 * Concurrent Workers get different payouts. If a slow Worker's lease expires and another Worker has
 * the payout, Stripe deduplicates by the idempotency key.
 *
 * A repeat after an unseen commit gets the same payouts. Their keys then count as used before,
 * because the row no longer shows which lease marked them.
 */
export const leasePayouts = async (
  db: Db,
  { workspaceId, now, lease, limit }: Page,
): Promise<DuePayout[]> => {
  const isOpen = (p: string) => sql`${isReady(p)}
        and (${workspaceId}::uuid is null or ${sql.ref(`${p}.workspace_id`)} = ${workspaceId}::uuid)`
  const isDue = (p: string) => sql`${isOpen(p)}
        and ${sql.ref(`${p}.lease_id`)} is distinct from ${lease.id}::uuid
        and ${sql.ref(`${p}.next_attempt_at`)} <= ${now}::timestamptz`
  const { rows } = await sql<DuePayout>`
    with ${dueRows({ table: 'payouts', isOpen, isDue, lease, limit })}, leased as (
      update payouts p
      set key_used_at = coalesce(p.key_used_at, ${now}), ${leaseOf(lease)},
          attempts = p.attempts + ${oneAttempt('p', lease)}
      from due where p.id = due.id
      returning p.*, due.place, old.key_used_at is not null as is_key_used
    )
    select l.id, l.workspace_id as "workspaceId", l.run_id as "runId", l.program_id as "programId",
           r.cutoff_at as "cutoffAt", l.partner_id as "partnerId", pa.name as "partnerName", pa.email,
           g.name as "programName", l.currency, l.amount_cents as "amountCents",
           l.stripe_account_id as "stripeAccountId", l.key_version as "keyVersion", l.key_used_at as "keyUsedAt",
           l.is_key_used as "isKeyUsed", l.is_key_used or l.key_version > 1 as "mayBeSent", l.attempts,
           clock_timestamp()::text as "askedAt",
           l.cancel_requested_at is not null as "isCanceling", k.ciphertext as "encryptedKey"
    from leased l
    join partners pa on pa.id = l.partner_id
    join programs g on g.id = l.program_id
    join payout_runs r on r.id = l.run_id
    left join stripe_keys k on k.workspace_id = l.workspace_id
    order by l.place`.execute(db)
  return rows
}

/** Which leased payouts are not to be sent any more: they were canceled, or have ended. */
export const listStopped = async (db: Db, ids: string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select p.id from payouts p
    where p.id = any (${sql.val(ids)}::uuid[]) and (p.cancel_requested_at is not null or not (${isStillInFlight}))`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Saves a new key version before its use, if Stripe has forgotten the key and has no transfer.
 *
 * @returns false if another Worker did so, or the payout was sent or is to be canceled meanwhile
 */
export const renewKey = async (
  db: Db,
  { id, keyVersion }: { id: string; keyVersion: number },
  now: Date,
): Promise<boolean> => {
  const { rows } = await sql`
    update payouts p set key_version = ${keyVersion + 1}, key_used_at = ${now}
    where p.id = ${id} and p.key_version in (${keyVersion}, ${keyVersion + 1}) and ${isStillInFlight}
      and p.cancel_requested_at is null
      and (p.key_version = ${keyVersion} or p.key_used_at = ${now})
    returning p.id`.execute(db)
  return rows.length > 0
}

export type TransferResult = {
  id: string
  keyVersion: number
  /** Identifies the lease. */
  attempts: number
  /**
   * `failed`: refused permanently, its commissions are payable again. `spent`: refused for now, and
   * Stripe repeats that for the same key. `untried`: this key version was never used. `later`:
   * unknown. `canceled`: no transfer exists, and the key has expired.
   */
  outcome: 'sent' | 'failed' | 'spent' | 'untried' | 'later' | 'canceled'
  transferId: string | null
  /** What was reversed of a transfer that was found, in minor units. */
  reversedCents: number
  error: string | null
  /** Stripe's code of a permanent refusal. */
  failureCode: string | null
  /** The reason for a mail to managers, once per run. */
  problem?: NoticeReason | undefined
  nextAttemptAt: Date
  /** Whether the look-up failed although the key has expired; null without a look-up. */
  isUnreachable: boolean | null
  /** The mail to the partner, if the payout was sent or has failed. */
  mail: { id: string; details: Record<string, string | null> } | null
  /** The account's state after a refusal because of the account. */
  reading?: AccountReading | undefined
}

/**
 * Saves the results of a page in one idempotent transaction. `sent` applies to any key version,
 * other results to theirs only. `untried` marks the key as unused, unless another Worker has leased
 * the payout since. A `canceling` payout ends here if no request can be in flight: its key was
 * never used, or all requests were refused.
 *
 * @returns sent payouts that had failed or were canceled before, which must never happen
 */
export const saveTransferResults = async (
  db: Db,
  results: TransferResult[],
  now: Date,
): Promise<FoundTransfer[]> => {
  const reported = sql`jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as x(id uuid, "keyVersion" integer, attempts integer, outcome text, "transferId" text, "reversedCents" bigint, error text, "failureCode" text, problem text, "nextAttemptAt" timestamptz, "isUnreachable" boolean, mail jsonb)`
  const isSameAttempt = sql`p.id = x.id and p.key_version = x."keyVersion" and ${isStillInFlight}`
  const sent = sql`
    update payouts p
    set paid_at = ${now}, transfer_id = x."transferId", last_error = null,
        reversed_cents = least(x."reversedCents", p.amount_cents),
        reversed_at = case when x."reversedCents" > 0 then ${now}::timestamptz end
    from ${reported} where x.outcome = 'sent' and p.id = x.id and ${isStillInFlight}`
  const failed = sql`
    update payouts p set failed_at = ${now}, is_freeing = true, last_error = x.error, failure_code = x."failureCode"
    from ${reported} where x.outcome = 'failed' and ${isSameAttempt}`
  const waiting = sql`
    update payouts p
    set last_error = coalesce(x.error, p.last_error), next_attempt_at = x."nextAttemptAt",
        key_version = p.key_version + case when x.outcome = 'spent' then 1 else 0 end,
        key_used_at = case when x.outcome = 'later' then p.key_used_at end,
        unreachable_since = case when x."isUnreachable" then coalesce(p.unreachable_since, ${now})
                                 when x."isUnreachable" is null then p.unreachable_since end,
        -- If this is repeated after an unseen commit, the next attempt is saved already.
        failed_look_ups = case when x."isUnreachable" is null or p.next_attempt_at = x."nextAttemptAt" then p.failed_look_ups
                               when x."isUnreachable" then p.failed_look_ups + 1 else 0 end
    from ${reported}
    where ${isSameAttempt}
      and (x.outcome in ('spent', 'later') or x.outcome = 'untried' and p.attempts = x.attempts)`
  const canceled = sql`
    update payouts p set canceled_at = ${now}, is_freeing = true, last_error = null
    from ${reported}
    where p.id = x.id and ${isStillInFlight} and p.cancel_requested_at is not null
      and (p.key_used_at is null or x.outcome = 'canceled' and p.key_version = x."keyVersion")`
  const ended = sql`p.id in (select x.id from ${reported} where x.outcome <> 'sent')`
  const mails = sql`
    insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at, next_attempt_at)
    select (x.mail->>'id')::uuid, p.workspace_id, case x.outcome when 'sent' then 'payout_sent' else 'payout_failed' end,
           pa.email, p.partner_id, p.id, x.mail->'details', ${now}::timestamptz, ${now}::timestamptz
    from ${reported}
    join payouts p on p.id = x.id
                  and (x.outcome = 'sent' and p.status = 'paid' or x.outcome = 'failed' and p.status = 'failed')
    join partners pa on pa.id = p.partner_id
    where x.mail is not null
    on conflict do nothing`
  const notices = sql`
    insert into payout_run_notices (workspace_id, run_id, reason, created_at)
    select distinct p.workspace_id, p.run_id, x.problem, ${now}::timestamptz
    from ${reported} join payouts p on p.id = x.id and p.status = case x.problem when 'failed' then 'failed' else 'processing' end
    where x.problem is not null
    on conflict do nothing`
  const found = noteFound(
    sql`(select x.id, x."transferId" as transfer_id, x."reversedCents" as reversed_cents
    from ${reported} where x.outcome = 'sent')`,
    now,
  )
  const [, , , , , , , rows] = await db.batch([
    sent.compile(db),
    failed.compile(db),
    waiting.compile(db),
    canceled.compile(db),
    ...freeing(db, ended),
    mails.compile(db),
    found.compile(db),
    notices.compile(db),
    saveReadingsQuery(results.flatMap(({ reading }) => reading ?? [])).compile(db),
  ])
  return rows
}
