/** Payouts by bank that came back: marking them, which makes their commissions payable again. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { formatMoney } from '../../values/money.ts'
import { freeing } from '../balances/freeing.queries.ts'
import { type PayoutRow, payoutQuery } from '../payouts.queries.ts'
import { isReturnable } from './returned-payouts.ts'

/**
 * Marks a payout of a confirmed run as returned, in one transaction. Its commissions are payable
 * again, and the partner gets a mail. Idempotent, and serialized with payout runs.
 *
 * @param id a UUID
 * @param reason a sentence, which the partner reads
 * @param portalUrl the link in the mail, to the page for payment details if the workspace has one
 * @returns the payout, unchanged if it cannot be returned: see `returnRefusalOf`; undefined if the
 *   workspace has no such payout
 */
export const returnPayout = async (
  db: Db,
  act: Act,
  id: string,
  { reason, portalUrl }: { reason: string; portalUrl: string },
): Promise<PayoutRow | undefined> => {
  const { workspaceId, now } = act
  const before = await payoutQuery(db, workspaceId, id).executeTakeFirst()
  if (!before || !isReturnable(before)) return before

  // A confirmed run does not change, so this holds until the payout is returned.
  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id} and status = 'paid'`
  const { amountCents, currency } = before
  const details = { amount: formatMoney(amountCents, currency), reason }
  const markReturned = sql`
    with returned as (
      update payouts set returned_at = ${now}, return_reason = ${reason}, is_freeing = true
      where ${isReady}
      returning id, workspace_id, partner_id, program_id
    )
    insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at, next_attempt_at)
    select ${newId()}::uuid, r.workspace_id, 'payout_returned', p.email, p.id, r.id,
           jsonb_build_object('partnerName', p.name, 'programName', g.name, 'portalUrl',
             case when w.manual_payouts and (w.paypal_payouts or w.wise_payouts or w.iban_payouts)
                  then ${portalUrl} || '/payment?workspace=' || w.id else ${portalUrl} end) || ${JSON.stringify(details)}::jsonb,
           ${now}::timestamptz, ${now}::timestamptz
    from returned r join partners p on p.id = r.partner_id join programs g on g.id = r.program_id
    join workspaces w on w.id = r.workspace_id
    on conflict do nothing`
  const isThis = sql`p.workspace_id = ${workspaceId} and p.id = ${id}`
  const [, , , , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'payout.returned',
      subjectId: id,
      details: { amountCents: Number(amountCents), currency, reason },
      when: sql<SqlBool>`exists (select from payouts where ${isReady})`,
    }).compile(),
    markReturned.compile(db),
    ...freeing(db, isThis),
    payoutQuery(db, workspaceId, id).compile(),
  ])
  return after
}
