/** The ledger rows of a plan, as one part of the statement that applies it. Expects `customer`, `event` and `duplicate`. */
import { type RawBuilder, sql } from 'kysely'
import { newId } from '../db/ids.ts'
import type { PurchasePlan, SalePlan } from './plan.ts'
import type { Reversal } from './reversals.ts'

/** Inserts the new commission with what is reversed of it, and the reversals of earlier commissions. */
export const insertCommissions = (
  workspaceId: string,
  { sale, duplicates }: PurchasePlan,
  now: Date,
): RawBuilder<unknown> => {
  const reversals = [
    ...('reversals' in sale ? sale.reversals : []),
    ...duplicates.flatMap((duplicate) => duplicate.reversals),
  ]
  // Ids are in order of creation: lists show the reversal of a commission before the one that replaces it.
  const rows = [
    ...reversals.map((reversal) => reversalRow(workspaceId, reversal, now)),
    ...('commission' in sale ? commissionRows(workspaceId, sale, now) : []),
  ]
  return rows.length
    ? sql`insert into commissions (${COMMISSION_COLUMNS}) ${sql.join(rows, sql` union all `)}`
    : sql`select`
}

const COMMISSION_COLUMNS = sql.raw(
  'id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, replaces_id, amount_cents, currency, one_time, payable_at, created_at',
)

const commissionRows = (
  workspaceId: string,
  { commission, change }: Extract<SalePlan, { kind: 'create' | 'update' }>,
  now: Date,
): RawBuilder<unknown>[] => {
  if (!commission) return []
  const id = newId()
  const { partner, payableAt, currency } = commission
  const made = sql`
      select ${id}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, 'sale', null::uuid, ${commission.replacesId}::uuid,
             ${commission.amountCents}::bigint, ${currency}, ${commission.oneTime}::boolean,
             ${payableAt}::timestamptz, ${change.occurredAt}::timestamptz
      from customer, event`
  if (!commission.reversedCents) return [made]
  const reversed = sql`
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, 'reversal', ${id}::uuid, null::uuid, ${-commission.reversedCents}::bigint,
             ${currency}, false, ${payableAt}::timestamptz, ${now}::timestamptz
      from customer, event`
  return [made, reversed]
}

/** A reversal copies the commission that it reverses, but for the amount. */
const reversalRow = (workspaceId: string, { reversesId, amountCents }: Reversal, now: Date) => sql`
      select ${newId()}::uuid, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
             'reversal', c.id, null::uuid, ${amountCents}::bigint, c.currency, false, c.payable_at, ${now}::timestamptz
      from commissions c join (select id from event union select id from duplicate) e on e.id = c.event_id
      where c.workspace_id = ${workspaceId} and c.id = ${reversesId}`
