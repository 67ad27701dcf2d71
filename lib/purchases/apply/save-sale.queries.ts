/** The sale of a plan, and its duplicates, as parts of the statement that applies the plan. */
import { type RawBuilder, sql } from 'kysely'
import type { DuplicateChange, SaleChange, SalePlan } from '../../rules/plans/plan.ts'
import type { SettledRefund } from '../../rules/refunds/refunds.ts'
import { textArray } from '../../tracking/events/received.queries.ts'

/** Inserts or updates the sale. Returns no row if a concurrent request has done so. */
export const saveSale = (
  workspaceId: string,
  sale: SalePlan,
  saleId: string | null,
  commissionId: string | null,
): RawBuilder<unknown> => {
  switch (sale.kind) {
    case 'none':
      return sql`select null::uuid as id`
    case 'keep':
      // Locked first, as by every other plan: what reviews the sale takes locks that others take
      // after this one.
      return sql`select id from events where workspace_id = ${workspaceId} and id = ${saleId} for no key update`
    case 'adjust':
      return updateSale(workspaceId, sale, sql``)
    case 'update': {
      const { credit, clickId, sale: sold } = sale.change
      const current = sale.keepsCommission ? sql`e.commission_id` : sql`${commissionId}::uuid`
      const changes = sql`
          partner_id = ${credit?.partner.id ?? null}::uuid, attributed_by = ${credit?.attributedBy ?? null}, click_id = ${clickId},
          amount_cents = ${sold.amountCents}::bigint, currency = ${sold.currency}, customer_id = customer.id,
          commission_id = ${current}, occurred_at = ${sale.change.occurredAt}::timestamptz,
          lines = ${linesJson(sale.change)}, country = ${sale.change.country},
          subscription_id = ${sale.change.subscriptionId}, customer_external_id = ${sale.change.customerExternalId},
          addressed_id = ${sale.change.addressedId}, coupons = ${textArray(sale.change.coupons)},`
      return updateSale(workspaceId, sale, changes)
    }
    case 'create':
      return insertSale(workspaceId, sale, saleId, commissionId)
  }
}

const updateSale = (
  workspaceId: string,
  { recorded, returnedCents, steps }: Extract<SalePlan, { kind: 'adjust' | 'update' }>,
  changes: RawBuilder<unknown>,
) => sql`
      update events e
      set ${changes} returned_cents = ${returnedCents}::bigint, steps = ${JSON.stringify(steps)}::jsonb, revision = e.revision + 1,
          is_duplicate = e.is_duplicate and ${steps.some(({ code }) => code === 'commission_rejected')}::boolean
      from customer
      where e.workspace_id = ${workspaceId} and e.id = ${recorded.id} and e.revision = ${recorded.revision}
      returning e.id`

const insertSale = (
  workspaceId: string,
  { change, returnedCents, steps }: Extract<SalePlan, { kind: 'create' }>,
  id: string | null,
  commissionId: string | null,
) => sql`
      insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                          amount_cents, returned_cents, currency, click_id, partner_id, attributed_by, commission_id, steps, occurred_at,
                          subscription_id, addressed_id, lines, country, coupons)
      select ${id}::uuid, ${workspaceId}::uuid, 'sale', ${change.externalId}, 'sale', ${change.customerExternalId},
             customer.id, ${change.sale.amountCents}::bigint, ${returnedCents}::bigint, ${change.sale.currency}, ${change.clickId},
             ${change.credit?.partner.id ?? null}::uuid, ${change.credit?.attributedBy ?? null}, ${commissionId}::uuid,
             ${JSON.stringify(steps)}::jsonb, ${change.occurredAt}::timestamptz, ${change.subscriptionId},
             ${change.addressedId}, ${linesJson(change)}, ${change.country}, ${textArray(change.coupons)}
      from customer
      on conflict (workspace_id, kind, external_id) do nothing
      returning id`

/** The lines of a sale; null without them. */
const linesJson = ({ lines }: SaleChange) => sql`${lines && JSON.stringify(lines)}::jsonb`

/** Updates the duplicates. Returns fewer rows if a concurrent request has changed one. */
export const saveDuplicates = (
  workspaceId: string,
  duplicates: DuplicateChange[],
): RawBuilder<unknown> => {
  if (duplicates.length === 0) return sql`select null::uuid as id where false`
  const rows = duplicates.map(({ reversals: _, ...row }) => row)
  return sql`
      update events e
      set partner_id = d."partnerId", attributed_by = d."attributedBy", commission_id = null, steps = d.steps, customer_id = customer.id,
          revision = e.revision + 1
      from customer, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as d (id uuid, revision integer, "partnerId" uuid, "attributedBy" text, steps jsonb)
      where e.workspace_id = ${workspaceId} and e.id = d.id and e.revision = d.revision
      returning e.id`
}

/**
 * Records refunds that the merchant reported as those of the sale, whose credit is theirs too.
 * After the sale is saved.
 */
export const saveRefunds = (
  workspaceId: string,
  refunds: SettledRefund[],
  saleId: string | null,
) => {
  const rows = refunds.map((refund) => ({ ...refund, amountCents: Number(refund.amountCents) }))
  return sql<unknown>`
    update events r
    set sale_id = s.id, amount_cents = d."amountCents", currency = d.currency, steps = d.steps, partner_id = s.partner_id,
        attributed_by = s.attributed_by, customer_id = s.customer_id, customer_external_id = s.customer_external_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as d (id uuid, "amountCents" bigint, currency text, steps jsonb), events s
    where r.workspace_id = ${workspaceId} and r.id = d.id and s.workspace_id = r.workspace_id and s.id = ${saleId}`
}
