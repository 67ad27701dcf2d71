/** The customer of a plan, as statements of the batch that applies it. */
import { sql } from 'kysely'
import type { CustomerChange, PurchasePlan } from '../../rules/plans/plan.ts'
import { textArray } from '../../tracking/events/received.queries.ts'

/** Locks the customer, and rolls the batch back if it is not as it was read. */
export const lockCustomer = (workspaceId: string, { id, revision }: CustomerChange) => sql<unknown>`
  select assert_unchanged(exists (
    select from customers where workspace_id = ${workspaceId} and id = ${id} and revision = ${revision} for no key update))`

/** The customer whom a sale leaves, because it turns out to be another one's. */
export const formerCustomerOf = ({ sale, customer }: PurchasePlan): string | null =>
  sale.kind === 'update' && customer && sale.recorded.customerId !== customer.id
    ? sale.recorded.customerId
    : null

/**
 * Withdraws what the purchase has referred of the customer that its sale leaves, and marks that
 * customer's later sales: one of them may earn the one-time reward now.
 */
export const leaveCustomer = (workspaceId: string, plan: PurchasePlan, origins: string[]) => {
  const customerId = formerCustomerOf(plan)
  if (customerId === null || plan.sale.kind !== 'update') return []
  const { id, occurredAt } = plan.sale.recorded
  return [
    sql<unknown>`
      with withdrawn as (
        delete from referrals where customer_id = ${customerId} and origin = any(${textArray(origins)})
        returning referred_at
      ), since (since) as (select least(${occurredAt}::timestamptz, min(referred_at)) from withdrawn)
      update customers c
      set revision = c.revision + 1,
          replan_from = case when exists (
            select from events e where e.customer_id = c.id and e.kind = 'sale' and e.id <> ${id} and e.occurred_at >= since)
            then least(c.replan_from, since) else c.replan_from end
      from since
      where c.workspace_id = ${workspaceId} and c.id = ${customerId} and c.merged_into is null`,
    sql<unknown>`
      update customers set partner_id = present_owner(id)
      where workspace_id = ${workspaceId} and id = ${customerId} and merged_into is null`,
  ]
}

/** Replaces the purchase's referrals, and marks the later payments that depend on the change. */
export const saveCustomer = (
  workspaceId: string,
  change: CustomerChange,
  saleId: string | null,
) => {
  const { id, email, name, referral, origins, replanFrom } = change
  const withdraw = sql<unknown>`
    delete from referrals
    where customer_id = ${id} and origin = any(${textArray(origins)}) and origin <> ${referral?.origin ?? ''}`
  const refer = referral
    ? sql<unknown>`
    insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at)
    values (${workspaceId}, ${id}, ${referral.origin}, ${referral.partnerId}, ${referral.source}, ${referral.attribution},
            ${referral.referredAt})
    on conflict (customer_id, origin) do update
      set partner_id = excluded.partner_id, source = excluded.source, attribution = excluded.attribution,
          referred_at = excluded.referred_at, clicked_at = null`
    : sql<unknown>`select`
  const since = sql`date_trunc('second', ${replanFrom}::timestamptz)`
  // Of several customers with an address, the one referred last has its payments.
  const addressedFrom =
    referral && origins.length
      ? sql`addressed_since(${workspaceId}, c.id, ${since})`
      : sql`null::timestamptz`
  const update = sql<unknown>`
    update customers c
    set email = coalesce(c.email, ${email}), name = coalesce(c.name, ${name}), partner_id = present_owner(c.id),
        revision = c.revision + 1,
        replan_from = case when addressed_elsewhere(${workspaceId}, c.id, ${since}) is not null or exists (
          select from events e
          where e.customer_id = c.id and e.kind = 'sale' and e.id is distinct from ${saleId}
            and e.occurred_at >= ${since})
          then least(c.replan_from, ${since}) else c.replan_from end,
        addressed_from = least(c.addressed_from, ${addressedFrom})
    where c.workspace_id = ${workspaceId} and c.id = ${id}
    returning c.replan_from as "replanFrom",
              c.replan_from is not null or c.addressed_from is not null as "isMarked"`
  return origins.length ? [withdraw, refer, update] : [update]
}
