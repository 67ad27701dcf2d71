/** Payouts of connected accounts to their owners' banks, as stored. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { formatMoney } from '../../values/money.ts'
import type { AccountPayout, BankStatus } from './banks.ts'

/**
 * Where the money of a payout `po` is, as a column: see BANK_STATUSES. null if Stripe did not send
 * it, or if nothing is known. Payouts in the currency of the transfer count; if the account has
 * none, it converts, and all of them count.
 */
export const bankStatus = sql<BankStatus | null>`(
  case when po.status = 'paid' and po.transfer_id is not null then (
    with own as (
      select ap.*, ap.currency = po.currency as is_same, bool_or(ap.currency = po.currency) over () as has_same
      from account_payouts ap
      where ap.workspace_id = po.workspace_id and ap.stripe_account_id = po.stripe_account_id
    ), relevant as (select * from own where is_same or not has_same)
    select case
      when exists (select from relevant where status = 'paid' and created_at >= po.paid_at) then 'paid'
      when ac.pays_bank is false then 'refused'
      when (select status = 'failed' and (created_at >= po.paid_at or ac.pays_bank is null)
            from relevant order by created_at desc, id desc limit 1) then 'refused'
      when po.paid_at > now() - interval '14 days' then 'on_its_way' end
    from payout_accounts ac
    where ac.workspace_id = po.workspace_id and ac.stripe_account_id = po.stripe_account_id) end)`

/**
 * Saves a payout of an account that the workspace knows; of others, nothing. Events may arrive
 * twice and out of order: a failure is final. A failure is mailed to the account's owner once.
 */
export const noteAccountPayout = async (
  db: Db,
  workspaceId: string,
  { id, stripeAccountId, currency, amountCents, status, createdAt, failure }: AccountPayout,
  { now, portalUrl }: { now: Date; portalUrl: string },
): Promise<void> => {
  const note = sql`
    insert into account_payouts (workspace_id, id, stripe_account_id, currency, amount_cents, status, created_at, received_at)
    select workspace_id, ${id}, stripe_account_id, ${currency}, ${amountCents}::bigint, ${status}, ${createdAt}::timestamptz,
           ${now}::timestamptz
    from payout_accounts where workspace_id = ${workspaceId} and stripe_account_id = ${stripeAccountId}
    on conflict (workspace_id, id) do update set status = excluded.status, received_at = excluded.received_at
    where account_payouts.status = 'paid' and excluded.status = 'failed'`
  const mail = sql`
    insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
    select ${newId()}::uuid, p.workspace_id, 'bank_refused', p.email, p.id, ap.id,
           jsonb_build_object('partnerName', p.name, 'workspaceName', w.name, 'amount', ${formatMoney(amountCents, currency)}::text,
                              'reason', ${failure}::text, 'portalUrl', ${portalUrl}::text),
           ${now}::timestamptz, ${now}::timestamptz
    from account_payouts ap
    join payout_accounts a on (a.workspace_id, a.stripe_account_id) = (ap.workspace_id, ap.stripe_account_id)
    join partners p on p.workspace_id = a.workspace_id and p.email = a.email
    join workspaces w on w.id = p.workspace_id
    where ap.workspace_id = ${workspaceId} and ap.id = ${id} and ${status}::text = 'failed'
    order by p.id limit 1
    on conflict do nothing`
  await db.batch([note.compile(db), mail.compile(db)])
}
