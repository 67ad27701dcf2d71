/** What a purchase comes to, in one write: the sale, its customer, and the rows of the ledger. */
import { type RawBuilder, sql } from 'kysely'
import { breaks, type Db, isDivisionByZero } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomer } from '../db/locks.queries.ts'
import type { CustomerChange, PurchaseFacts, SaleChange, Settlement } from './plan.ts'
import type { Purchase } from './purchase.ts'
import { ownTimes, type Told, textArray } from './purchases.queries.ts'
import type { Reversal } from './reversals.ts'

type Settling = {
  workspaceId: string
  purchase: Purchase
  facts: PurchaseFacts
  settlement: Settlement
  /** What the settlement was made from. */
  told: Told
  now: Date
}

/**
 * Saves what has to change for a purchase: all of it, or none.
 *
 * @returns the sale's id, null where there is none; undefined when something has changed since it was read, so that
 *   it is to be read and settled again
 */
export const saveSettlement = async (db: Db, settling: Settling): Promise<string | null | undefined> => {
  const { workspaceId, purchase, facts, settlement } = settling
  const { sale, customer, duplicates } = settlement
  const recordedId = facts.recorded?.id ?? null
  const newSaleId = newId()
  const changesSale = sale !== null || settlement.steps !== null
  if (!changesSale && !customer && duplicates.length === 0) return confirmSale(db, settling)

  const statement = sql<{ eventId: string | null }>`
    with customer as (${customer ? saveCustomer(settling, customer) : sql`select null::uuid as id`}),
    referral as (${customer?.referredAt ? insertReferral(workspaceId, customer, customer.referredAt) : sql`select`}),
    withdrawn as (delete from referrals r using customer
                  where r.customer_id = customer.id and ${isWithdrawn(settling)}),
    event as (${changesSale ? saveSale(settling, newSaleId) : sql`select ${recordedId}::uuid as id from customer`}),
    duplicate as (${saveDuplicates(settling)}),
    commission as (${insertCommissions(settling)})
    select id as "eventId" from event`
  const lock = lockCustomer(workspaceId, purchase.customer ?? sale?.customerExternalId ?? '')
  try {
    const [, rows] = await db.batch([
      lock.compile(db),
      statement.compile(db),
      refuseHalf(settling, recordedId ?? newSaleId).compile(db),
      refuseStale(settling).compile(db),
    ])
    return rows[0]?.eventId
  } catch (error) {
    if (isDivisionByZero(error) || RACED.some((constraint) => breaks(error, constraint))) return undefined
    throw error
  }
}

/**
 * Fails, and takes the whole batch along, when a sale was made or changed by somebody else meanwhile: the customer
 * must not be told of a decision that does not hold.
 */
const refuseHalf = ({ workspaceId, facts, settlement }: Settling, saleId: string) => {
  const { sale, steps, duplicates } = settlement
  const revision = facts.recorded ? facts.recorded.revision + 1 : 0
  const changed = [
    ...(sale || steps ? [{ id: saleId, revision }] : []),
    ...duplicates.map((duplicate) => ({ id: duplicate.id, revision: duplicate.revision + 1 })),
  ]
  return sql<unknown>`
    select 1 / (count(*) = ${changed.length}::integer)::integer
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as changed (id uuid, revision integer)
    join events e on e.workspace_id = ${workspaceId} and e.id = changed.id and e.revision = changed.revision`
}

/**
 * Fails, and takes the whole batch along, when Stripe has told more of the purchase since it was read: whoever told it may
 * have found nothing to change, and be gone.
 */
const refuseStale = ({ workspaceId, told: { keys, events } }: Settling) => sql<unknown>`
    select 1 / (count(*) = ${events}::integer)::integer from stripe_events
    where workspace_id = ${workspaceId} and keys && ${textArray(keys)}`

/**
 * Makes sure that a sale for which nothing has to change is still as it was read. Whoever changes it from less than is
 * known by now is waited for.
 */
const confirmSale = async (db: Db, { workspaceId, facts }: Settling): Promise<string | null | undefined> => {
  if (!facts.recorded) return null
  const { rows } = await sql<{ revision: number }>`
    select revision from events where workspace_id = ${workspaceId} and id = ${facts.recorded.id} for update`.execute(
    db,
  )
  return rows[0]?.revision === facts.recorded.revision ? facts.recorded.id : undefined
}

/** What another sale, or another sight of the same customer, may have taken meanwhile. */
const RACED = [
  'commissions_one_time_key',
  'customers_workspace_id_external_id_key',
  'customers_workspace_id_stripe_customer_id_key',
]

/** Makes the customer, or tells the one that is there what Stripe knows of it. Gives none when it was made meanwhile. */
const saveCustomer = (settling: Settling, change: CustomerChange): RawBuilder<unknown> => {
  const { workspaceId, facts, now } = settling
  const { externalId, stripeCustomerId, email, name, partnerId, referredAt } = change
  if (!facts.customer) {
    return sql`
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at, stripe_customer_id)
      values (${newId()}, ${workspaceId}, ${externalId}, ${email}, ${name}, ${partnerId}, ${now}, ${stripeCustomerId})
      on conflict do nothing
      returning id`
  }
  // Where Stripe was first, the customer goes by Stripe's id until the merchant tells its own.
  return sql`
      update customers cu
      set email = coalesce(cu.email, ${email}),
          name = coalesce(cu.name, ${name}),
          stripe_customer_id = coalesce(cu.stripe_customer_id, case when not exists (
            select from customers other
            where other.workspace_id = ${workspaceId} and other.stripe_customer_id = ${stripeCustomerId})
            then ${stripeCustomerId} end),
          external_id = case when cu.external_id = ${stripeCustomerId} and not exists (
            select from customers other where other.workspace_id = ${workspaceId} and other.external_id = ${externalId})
            then ${externalId} else cu.external_id end,
          partner_id = case when ${referredAt}::timestamptz is not null and not exists (
            select from referrals r where r.customer_id = cu.id and r.referred_at > ${referredAt}::timestamptz
                                      and not ${isWithdrawn(settling)})
            then ${partnerId}::uuid else cu.partner_id end
      where cu.workspace_id = ${workspaceId} and cu.id = ${facts.customer.id}
      returning id`
}

/** Whether a referral, `r`, came with this very purchase, when that was still credited to another partner. */
const isWithdrawn = ({ purchase, facts, settlement }: Settling): RawBuilder<unknown> => {
  const credited = settlement.sale?.credit?.partner.id ?? settlement.customer?.partnerId
  const others = [facts.recorded, ...facts.duplicates].flatMap((sale) =>
    sale && credited && sale.partnerId !== credited
      ? sql`(r.partner_id = ${sale.partnerId}
             and r.referred_at in (${ownTimes(purchase)}, ${sale.occurredAt}::timestamptz))`
      : [],
  )
  return others.length ? sql`(${sql.join(others, sql` or `)})` : sql`false`
}

const insertReferral = (workspaceId: string, { partnerId }: CustomerChange, referredAt: Date) => sql`
      insert into referrals (workspace_id, customer_id, partner_id, referred_at)
      select ${workspaceId}::uuid, id, ${partnerId}::uuid, ${referredAt}::timestamptz from customer
      on conflict do nothing`

/** Makes the sale, or changes it. Gives none when it was made or changed meanwhile. */
const saveSale = (settling: Settling, newSaleId: string): RawBuilder<unknown> => {
  const { facts, settlement } = settling
  const { sale, steps } = settlement
  const { recorded } = facts
  if (!recorded)
    return sale ? insertSale(settling, sale, newSaleId) : sql`select null::uuid as id where false`
  const changes = sale
    ? sql`partner_id = ${sale.credit?.partner.id ?? null}::uuid, attributed_by = ${sale.credit?.by ?? null},
          click_id = ${sale.clickId}, amount_cents = ${sale.sale.amountCents}::bigint, currency = ${sale.sale.currency},
          customer_id = customer.id,`
    : sql``
  return sql`
      update events e
      set ${changes} steps = ${JSON.stringify(steps ?? recorded.steps)}::jsonb, revision = e.revision + 1
      from customer
      where e.workspace_id = ${settling.workspaceId} and e.id = ${recorded.id} and e.revision = ${recorded.revision}
      returning e.id`
}

/** Has the duplicates say what they are. Gives fewer when one was changed meanwhile. */
const saveDuplicates = ({ workspaceId, settlement: { duplicates } }: Settling): RawBuilder<unknown> =>
  duplicates.length === 0
    ? sql`select null::uuid as id where false`
    : sql`
      update events e
      set partner_id = d."partnerId", attributed_by = d."attributedBy", steps = d.steps, revision = e.revision + 1
      from customer, jsonb_to_recordset(${JSON.stringify(duplicates)}::jsonb)
             as d (id uuid, revision integer, "partnerId" uuid, "attributedBy" text, steps jsonb)
      where e.workspace_id = ${workspaceId} and e.id = d.id and e.revision = d.revision
      returning e.id`

const insertSale = ({ workspaceId, purchase, settlement }: Settling, sale: SaleChange, id: string) => sql`
      insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                          amount_cents, currency, click_id, partner_id, attributed_by, steps, occurred_at)
      select ${id}::uuid, ${workspaceId}::uuid, 'sale', ${sale.externalId}, 'sale', ${sale.customerExternalId},
             customer.id, ${sale.sale.amountCents}::bigint, ${sale.sale.currency}, ${sale.clickId},
             ${sale.credit?.partner.id ?? null}::uuid, ${sale.credit?.by ?? null},
             ${JSON.stringify(settlement.steps)}::jsonb, ${sale.occurredAt}::timestamptz
      from customer
      where not (${sale.needsUnknownCustomer}::boolean and exists (
        select from customers where workspace_id = ${workspaceId}
                                and ${purchase.customer ?? sale.customerExternalId} in (external_id, stripe_customer_id)))
      on conflict (workspace_id, kind, external_id) do nothing
      returning id`

/** The rows of the ledger: what is taken back or given again, and what stands in its place, or is earned first. */
const insertCommissions = ({ workspaceId, settlement, now }: Settling): RawBuilder<unknown> => {
  const { commission, sale, reversals } = settlement
  const insert = sql`insert into commissions (${COMMISSION_COLUMNS})`
  const taken = reversals.map((reversal) => reversalRow(workspaceId, reversal, now))
  if (!commission || !sale) return taken.length ? sql`${insert} ${sql.join(taken, UNION)}` : sql`select`

  const id = newId()
  const { partner, payableAt, currency } = commission
  const made = sql`
      select ${id}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, 'sale', null::uuid, ${commission.replacesId}::uuid,
             ${commission.amountCents}::bigint, ${currency}, ${commission.oneTime}::boolean,
             ${payableAt}::timestamptz, ${sale.occurredAt}::timestamptz
      from customer, event`
  const reversedAtOnce = sql`
      select ${newId()}::uuid, ${workspaceId}::uuid, ${partner.programId}::uuid, ${partner.id}::uuid, customer.id, event.id,
             ${commission.rewardId}::uuid, 'reversal', ${id}::uuid, null::uuid, ${-commission.reversedCents}::bigint,
             ${currency}, false, ${payableAt}::timestamptz, ${now}::timestamptz
      from customer, event`
  return sql`${insert} ${sql.join([made, ...(commission.reversedCents ? [reversedAtOnce] : []), ...taken], UNION)}`
}

const UNION = sql` union all `

const COMMISSION_COLUMNS = sql.raw(
  'id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, replaces_id, amount_cents, currency, one_time, payable_at, created_at',
)

/** A reversal has everything of the commission that it reverses but its amount. */
const reversalRow = (workspaceId: string, { reversesId, amountCents }: Reversal, now: Date) => sql`
      select ${newId()}::uuid, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
             'reversal', c.id, null::uuid, ${amountCents}::bigint, c.currency, false, c.payable_at, ${now}::timestamptz
      from commissions c join (select id from event union select id from duplicate) e on e.id = c.event_id
      where c.workspace_id = ${workspaceId} and c.id = ${reversesId}`
