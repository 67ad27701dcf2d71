/** The ledger rows of a plan. Part of its statement, after `customer`, `event` and `duplicate`. */
import { type RawBuilder, sql } from 'kysely'
import { newId } from '../../db/ids.ts'
import type { CommissionPlan, PurchasePlan, SalePlan } from '../../rules/plans/plan.ts'
import type { Reversal } from '../../rules/refunds/reversals.ts'
import type { TierFacts } from '../../rules/tiers/tiers.ts'

/** What an event earns from now on, and what of its former commission is reversed. */
type DecidedEvent = {
  commission: CommissionPlan | null
  reversals: Reversal[]
  change: { occurredAt: Date }
}

/**
 * Inserts the new commission with what is reversed of it, and the reversals of earlier commissions.
 *
 * @returns the part of the statement, and the id of the new commission, if there is one
 */
export const insertCommissions = (
  workspaceId: string,
  { sale, duplicates }: { sale: SalePlan | DecidedEvent; duplicates: PurchasePlan['duplicates'] },
  now: Date,
  kind: 'sale' | 'lead' = 'sale',
): { insert: RawBuilder<unknown>; commissionId: string | null } => {
  const reversals = [
    ...('reversals' in sale ? sale.reversals : []),
    ...duplicates.flatMap((duplicate) => duplicate.reversals),
  ]
  // Ids are in order of creation: lists show the reversal of a commission before the one that
  // replaces it.
  const reversed = reversals.map((reversal) => reversalRow(workspaceId, reversal, now))
  const commissionId = 'commission' in sale && sale.commission ? newId() : null
  const rows = [
    ...reversed,
    ...(commissionId && 'commission' in sale
      ? commissionRows(workspaceId, sale, { id: commissionId, kind, now })
      : []),
  ]
  const insert = rows.length
    ? sql`insert into commissions (${COMMISSION_COLUMNS}) ${sql.join(rows, sql` union all `)}`
    : sql`select`
  return { insert, commissionId }
}

const COMMISSION_COLUMNS = sql.raw(
  'id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, replaces_id, amount_cents, currency, payable_at, created_at',
)

const commissionRows = (
  workspaceId: string,
  { commission, change }: Pick<DecidedEvent, 'commission' | 'change'>,
  { id, kind, now }: { id: string; kind: 'sale' | 'lead'; now: Date },
): RawBuilder<unknown>[] => {
  if (!commission) return []
  const { partner, payableAt, currency } = commission
  const made = sql`
      select ${id}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, ${kind}, null::uuid, ${commission.replacesId}::uuid,
             ${commission.amountCents}::bigint, ${currency},
             ${payableAt}::timestamptz, ${change.occurredAt}::timestamptz
      from customer, event`
  if (!commission.reversedCents) return [made]
  const reversed = sql`
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, 'reversal', ${id}::uuid, null::uuid, ${-commission.reversedCents}::bigint,
             ${currency}, ${payableAt}::timestamptz, ${now}::timestamptz
      from customer, event`
  return [made, reversed]
}

/** A reversal copies the commission that it reverses, but for the amount. */
const reversalRow = (workspaceId: string, { reversesId, amountCents }: Reversal, now: Date) => sql`
      select ${newId()}::uuid, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
             'reversal', c.id, null::uuid, ${amountCents}::bigint, c.currency, c.payable_at, ${now}::timestamptz
      from commissions c join (select id from event union select id from duplicate) e on e.id = c.event_id
      where c.workspace_id = ${workspaceId} and c.id = ${reversesId}`

/** Keeps what the tier of a decision has counted: see keep_figures in schema/tiers.sql. */
export const keepFigures = (workspaceId: string, partnerId: string, tier: TierFacts) =>
  sql<unknown>`select keep_figures(${workspaceId}, ${partnerId}, ${JSON.stringify(tier)}::jsonb)`
