/** Unexpected transfers: of canceled, failed or unsent payouts, or second ones of a payout. */
import { type RawBuilder, sql } from 'kysely'

/** The actor of the audit entry. */
const STRIPE = 'Stripe'

/** A transfer that should not exist. The partner may be paid twice. */
export type FoundTransfer = { workspaceId: string; payoutId: string; transferId: string }

/** Whether the payout `p` was marked as sent by a manager, so that its transfer is not known. */
const isUnknown = sql`p.paid_at is not null and p.transfer_id is null`

/**
 * Saves transfers of payouts that have ended. If a manager has marked the payout as sent, its
 * transfer is saved with it. Any other, unless it was reversed in full, is an alarm: an audit
 * entry, and a mail to managers, who decide. Idempotent.
 *
 * @param transfers a query of `id`, of the payout, `transfer_id` and `reversed_cents`
 * @returns a query of the alarms
 */
export const noteFound = (transfers: RawBuilder<unknown>, now: Date) => sql<FoundTransfer>`
  with found as (
    update payouts p
    set transfer_id = case when ${isUnknown} then x.transfer_id else p.transfer_id end,
        reversed_cents = case when ${isUnknown} then least(x.reversed_cents, p.amount_cents) else p.reversed_cents end,
        reversed_at = case when ${isUnknown} and x.reversed_cents > 0 then ${now}::timestamptz else p.reversed_at end,
        found_transfer_id = case when not (${isUnknown}) then x.transfer_id end,
        found_at = case when not (${isUnknown}) then ${now}::timestamptz end
    from ${transfers} x
    where p.id = x.id and p.transfer_id is distinct from x.transfer_id and p.found_transfer_id is null
      and p.stripe_account_id is not null
      and (${isUnknown} or num_nonnulls(p.paid_at, p.canceled_at, p.failed_at) > 0 and x.reversed_cents < p.amount_cents)
    returning p.id, p.workspace_id, p.run_id, p.amount_cents, p.currency, p.found_transfer_id
  ), notice as (
    insert into payout_run_notices (workspace_id, run_id, reason, created_at)
    select distinct workspace_id, run_id, 'found_sent', ${now}::timestamptz from found where found_transfer_id is not null
    on conflict (run_id, reason) do update set mailed_at = null
  ), entry as (
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select uuidv7(), workspace_id, ${STRIPE}, 'payout.found_sent', id,
           jsonb_build_object('transferId', found_transfer_id, 'amountCents', amount_cents, 'currency', currency),
           ${now}::timestamptz
    from found where found_transfer_id is not null
  )
  select workspace_id as "workspaceId", id as "payoutId", found_transfer_id as "transferId"
  from found where found_transfer_id is not null`
