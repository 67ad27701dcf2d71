/** Payouts about which a manager decides, because Stripe cannot be asked any more whether they were sent. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { formatMoney } from '../money.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { byIndexes, endFreeing, freeCommissions } from './freeing.queries.ts'
import { type PayoutRow, payoutQuery } from './payouts.queries.ts'
import {
  MIN_FAILED_LOOK_UPS,
  MIN_UNREACHABLE_HOURS,
  type ResolutionRequest,
  unresolvableReason,
} from './resolution.ts'

/** How long Stripe is asked for the transfers of payouts that were resolved, once a day. */
const FOLLOW_UP_DAYS = 90
const DAY_MS = 86_400_000

/**
 * Marks a payout that is being canceled as sent, or as not sent, in one transaction: it is paid, and the partner gets a
 * mail, or its commissions are payable again. Idempotent, and serialized with payout runs.
 *
 * @param id        a UUID
 * @param portalUrl the link in the mail
 * @returns the payout after that, unchanged if nobody may decide: see `resolutionRefusalOf`; undefined if the workspace has
 *          no such payout
 */
export const resolvePayout = async (
  db: Db,
  act: Act,
  id: string,
  { outcome, reason, portalUrl }: ResolutionRequest & { portalUrl: string },
): Promise<PayoutRow | undefined> => {
  const { workspaceId, now } = act
  const before = await payoutQuery(db, workspaceId, id).executeTakeFirst()
  if (!before || unresolvableReason(before, now)) return before

  const { amountCents, currency } = before
  const isSent = outcome === 'sent'
  // A look-up that succeeds meanwhile ends the payout, or resets these.
  const isReady = sql<SqlBool>`
    workspace_id = ${workspaceId} and id = ${id} and status = 'canceling' and canceled_at is null
    and failed_look_ups >= ${MIN_FAILED_LOOK_UPS}
    and unreachable_since <= ${now}::timestamptz - make_interval(hours => ${MIN_UNREACHABLE_HOURS})`
  const mail = { amount: formatMoney(amountCents, currency), method: 'stripe', portalUrl }
  const resolve = sql`
    with resolved as (
      update payouts
      set resolved_at = ${now}, resolution_reason = ${reason}, last_error = null, next_attempt_at = ${now},
          paid_at = case when ${isSent} then ${now}::timestamptz end,
          canceled_at = case when not ${isSent}::boolean then ${now}::timestamptz end, is_freeing = not ${isSent}::boolean
      where ${isReady} returning id, workspace_id, partner_id, program_id
    )
    insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at, next_attempt_at)
    select ${newId()}::uuid, r.workspace_id, 'payout_sent', p.email, p.id, r.id,
           jsonb_build_object('partnerName', p.name, 'programName', g.name) || ${JSON.stringify(mail)}::jsonb,
           ${now}::timestamptz, ${now}::timestamptz
    from resolved r join partners p on p.id = r.partner_id join programs g on g.id = r.program_id
    where ${isSent} on conflict do nothing`
  const isThis = sql`p.workspace_id = ${workspaceId} and p.id = ${id}`
  const [, , , , , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'payout.resolved',
      subjectId: id,
      details: { outcome, reason, amountCents: Number(amountCents), currency },
      when: sql<SqlBool>`exists (select from payouts where ${isReady})`,
    }).compile(),
    resolve.compile(db),
    byIndexes.compile(db),
    freeCommissions(isThis).compile(db),
    endFreeing(isThis).compile(db),
    payoutQuery(db, workspaceId, id).compile(),
  ])
  return after
}

/** A payout that was resolved, whose transfer is looked up in case Stripe answers again. */
export type ResolvedPayout = { id: string; workspaceId: string; encryptedKey: string }

/** Leases payouts that were resolved, each once a day, in workspaces with a key. */
export const leaseResolved = async (db: Db, now: Date, limit: number): Promise<ResolvedPayout[]> => {
  const { rows } = await sql<ResolvedPayout>`
    update payouts p set next_attempt_at = ${new Date(now.getTime() + DAY_MS)}
    from (
      select r.id, k.ciphertext from payouts r join stripe_keys k on k.workspace_id = r.workspace_id
      where r.resolved_at is not null and r.transfer_id is null and r.found_transfer_id is null
        and r.resolved_at > ${now}::timestamptz - make_interval(days => ${FOLLOW_UP_DAYS})
        and r.next_attempt_at <= ${now}::timestamptz
      order by r.next_attempt_at limit ${limit} for update of r skip locked) due
    where p.id = due.id
    returning p.id, p.workspace_id as "workspaceId", due.ciphertext as "encryptedKey"`.execute(db)
  return rows
}

/** The actor of the audit entry. */
const STRIPE = 'Stripe'

/**
 * Saves the transfer of a payout that was resolved. Of one marked as not sent, managers are mailed, because the partner may
 * be paid twice, unless it was reversed in full. Idempotent.
 *
 * @param transfer what was reversed of it is in minor units
 */
export const noteFoundTransfer = async (
  db: Db,
  { id, workspaceId }: ResolvedPayout,
  { transferId, reversedCents }: { transferId: string; reversedCents: number },
  now: Date,
): Promise<void> => {
  await sql`
    with found as (
      update payouts
      set transfer_id = case when paid_at is not null then ${transferId} end,
          reversed_cents = case when paid_at is not null then least(${reversedCents}::bigint, amount_cents) else 0 end,
          reversed_at = case when paid_at is not null and ${reversedCents}::bigint > 0 then ${now}::timestamptz end,
          found_transfer_id = case when canceled_at is not null then ${transferId} end
      where id = ${id} and resolved_at is not null and transfer_id is null and found_transfer_id is null
        and (paid_at is not null or ${reversedCents}::bigint < amount_cents)
      returning id, workspace_id, run_id, amount_cents, currency, canceled_at
    ), notice as (
      insert into payout_run_notices (workspace_id, run_id, reason, created_at)
      select workspace_id, run_id, 'found_sent', ${now}::timestamptz from found where canceled_at is not null
      on conflict (run_id, reason) do update set mailed_at = null
    )
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}::uuid, ${workspaceId}::uuid, ${STRIPE}, 'payout.found_sent', id,
           jsonb_build_object('transferId', ${transferId}::text, 'amountCents', amount_cents, 'currency', currency),
           ${now}::timestamptz
    from found where canceled_at is not null`.execute(db)
}
