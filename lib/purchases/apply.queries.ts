/** Applies a plan in one write: the sale, its customer, and the rows of the ledger. */
import { type RawBuilder, sql } from 'kysely'
import { breaks, type Db, isConflict } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomer } from '../db/locks.queries.ts'
import { insertCommissions } from './ledger.queries.ts'
import type { CustomerChange, DuplicateChange, KnownFacts, PurchasePlan, SalePlan } from './plan.ts'
import type { Purchase } from './purchase.ts'
import { ownTimes } from './purchases.queries.ts'
import { type ReceivedEvents, textArray } from './received.queries.ts'

type Application = {
  workspaceId: string
  purchase: Purchase
  facts: KnownFacts
  plan: PurchasePlan
  /** The events that the plan was made from. */
  received: ReceivedEvents
  now: Date
}

/** After a conflict, something has changed since it was read: load the purchase and plan it again. */
export type ApplyResult = { status: 'applied'; saleId: string | null } | { status: 'conflict' }

const CONFLICT: ApplyResult = { status: 'conflict' }

/** Applies a plan: all of it, or none. */
export const applyPlan = async (db: Db, application: Application): Promise<ApplyResult> => {
  const { workspaceId, purchase, plan } = application
  const { sale, customer, duplicates } = plan
  const isSaleKept = sale.kind === 'none' || sale.kind === 'keep'
  if (isSaleKept && !customer && duplicates.length === 0) return confirmSale(db, workspaceId, sale)

  const saleId = sale.kind === 'create' ? newId() : sale.kind === 'none' ? null : sale.recorded.id
  const statement = sql<{ saleId: string | null }>`
    with customer as (${customer ? saveCustomer(application, customer) : sql`select null::uuid as id`}),
    referral as (${customer?.referredAt ? insertReferral(workspaceId, customer, customer.referredAt) : sql`select`}),
    withdrawn as (delete from referrals r using customer
                  where r.customer_id = customer.id and ${isWithdrawn(application)}),
    event as (${saveSale(application, saleId)}),
    duplicate as (${saveDuplicates(workspaceId, duplicates)}),
    commission as (${insertCommissions(workspaceId, plan, application.now)})
    select id as "saleId" from event`
  const buyer = purchase.customer ?? ('change' in sale ? sale.change.customerExternalId : '')
  try {
    const [, rows] = await db.batch([
      lockCustomer(workspaceId, buyer).compile(db),
      statement.compile(db),
      assertSaved(workspaceId, plan, saleId).compile(db),
      assertCurrent(application).compile(db),
    ])
    const [row] = rows
    return row ? { status: 'applied', saleId: row.saleId } : CONFLICT
  } catch (error) {
    if (isConflict(error) || UNIQUE.some((constraint) => breaks(error, constraint))) return CONFLICT
    throw error
  }
}

/** The constraints that a concurrent sale, or another purchase of the same customer, may have won. */
const UNIQUE = [
  'commissions_one_time_key',
  'customers_workspace_id_external_id_key',
  'customers_workspace_id_processor_customer_id_key',
]

/** Rolls the batch back if a sale was not saved: the customer must not be changed by a plan that did not hold. */
const assertSaved = (workspaceId: string, { sale, duplicates }: PurchasePlan, saleId: string | null) => {
  const changed = [
    ...(sale.kind === 'create' ? [{ id: saleId, revision: 0 }] : []),
    ...(sale.kind === 'update' || sale.kind === 'adjust'
      ? [{ id: saleId, revision: sale.recorded.revision + 1 }]
      : []),
    ...duplicates.map(({ id, revision }) => ({ id, revision: revision + 1 })),
  ]
  return sql<unknown>`
    select assert_unchanged(count(*) = ${changed.length}::integer)
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as changed (id uuid, revision integer)
    join events e on e.workspace_id = ${workspaceId} and e.id = changed.id and e.revision = changed.revision`
}

/** Rolls the batch back if newer events exist: their own plan may have found nothing to change, and ended. */
const assertCurrent = ({ workspaceId, received: { keys, count } }: Application) => sql<unknown>`
    select assert_unchanged(count(*) = ${count}::integer) from processor_events
    where workspace_id = ${workspaceId} and keys && ${textArray(keys)}`

/** Confirms that a sale that needs no change is as it was read, after any concurrent update of it has committed. */
const confirmSale = async (db: Db, workspaceId: string, sale: SalePlan): Promise<ApplyResult> => {
  if (sale.kind !== 'keep') return { status: 'applied', saleId: null }
  const { id, revision } = sale.recorded
  const { rows } = await sql<{ revision: number }>`
    select revision from events where workspace_id = ${workspaceId} and id = ${id} for update`.execute(db)
  return rows[0]?.revision === revision ? { status: 'applied', saleId: id } : CONFLICT
}

/** Inserts the customer, or updates the known one. Returns no row if a concurrent request has inserted it. */
const saveCustomer = (application: Application, change: CustomerChange): RawBuilder<unknown> => {
  const { workspaceId, facts, now } = application
  const { externalId, processorCustomerId, email, name, partnerId, referredAt } = change
  if (!facts.customer) {
    return sql`
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at, processor_customer_id)
      values (${newId()}, ${workspaceId}, ${externalId}, ${email}, ${name}, ${partnerId}, ${now}, ${processorCustomerId})
      on conflict do nothing
      returning id`
  }
  // A customer that the processor reported first has the processor's id until the merchant reports its own.
  return sql`
      update customers cu
      set email = coalesce(cu.email, ${email}),
          name = coalesce(cu.name, ${name}),
          processor_customer_id = coalesce(cu.processor_customer_id, case when not exists (
            select from customers other
            where other.workspace_id = ${workspaceId} and other.processor_customer_id = ${processorCustomerId})
            then ${processorCustomerId} end),
          external_id = case when cu.external_id = ${processorCustomerId} and not exists (
            select from customers other where other.workspace_id = ${workspaceId} and other.external_id = ${externalId})
            then ${externalId} else cu.external_id end,
          partner_id = case when ${referredAt}::timestamptz is not null and not exists (
            select from referrals r where r.customer_id = cu.id and r.referred_at > ${referredAt}::timestamptz
                                      and not ${isWithdrawn(application)})
            then ${partnerId}::uuid else cu.partner_id end
      where cu.workspace_id = ${workspaceId} and cu.id = ${facts.customer.id}
      returning id`
}

/** Whether a referral, `r`, came from this purchase while it was credited to another partner. */
const isWithdrawn = ({ purchase, facts, plan: { sale, customer } }: Application): RawBuilder<unknown> => {
  const credited = ('change' in sale ? sale.change.credit?.partner.id : undefined) ?? customer?.partnerId
  const others = [facts.recorded, ...facts.duplicates].flatMap((recorded) =>
    recorded && credited && recorded.partnerId !== credited
      ? sql`(r.partner_id = ${recorded.partnerId}
             and r.referred_at in (${ownTimes(purchase)}, ${recorded.occurredAt}::timestamptz))`
      : [],
  )
  return others.length ? sql`(${sql.join(others, sql` or `)})` : sql`false`
}

const insertReferral = (workspaceId: string, { partnerId }: CustomerChange, referredAt: Date) => sql`
      insert into referrals (workspace_id, customer_id, partner_id, referred_at)
      select ${workspaceId}::uuid, id, ${partnerId}::uuid, ${referredAt}::timestamptz from customer
      on conflict do nothing`

/** Inserts or updates the sale. Returns no row if a concurrent request has done so. */
const saveSale = (application: Application, saleId: string | null): RawBuilder<unknown> => {
  const { sale } = application.plan
  switch (sale.kind) {
    case 'none':
    case 'keep':
      return sql`select ${saleId}::uuid as id from customer`
    case 'adjust':
      return updateSale(application.workspaceId, sale, sql``)
    case 'update': {
      const { credit, clickId, sale: sold } = sale.change
      const changes = sql`
          partner_id = ${credit?.partner.id ?? null}::uuid, attributed_by = ${credit?.by ?? null}, click_id = ${clickId},
          amount_cents = ${sold.amountCents}::bigint, currency = ${sold.currency}, customer_id = customer.id,`
      return updateSale(application.workspaceId, sale, changes)
    }
    case 'create':
      return insertSale(application, sale, saleId)
  }
}

const updateSale = (
  workspaceId: string,
  { recorded, steps }: Extract<SalePlan, { kind: 'adjust' | 'update' }>,
  changes: RawBuilder<unknown>,
) => sql`
      update events e
      set ${changes} steps = ${JSON.stringify(steps)}::jsonb, revision = e.revision + 1
      from customer
      where e.workspace_id = ${workspaceId} and e.id = ${recorded.id} and e.revision = ${recorded.revision}
      returning e.id`

const insertSale = (
  { workspaceId, purchase }: Application,
  { change, steps }: Extract<SalePlan, { kind: 'create' }>,
  id: string | null,
) => sql`
      insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                          amount_cents, currency, click_id, partner_id, attributed_by, steps, occurred_at)
      select ${id}::uuid, ${workspaceId}::uuid, 'sale', ${change.externalId}, 'sale', ${change.customerExternalId},
             customer.id, ${change.sale.amountCents}::bigint, ${change.sale.currency}, ${change.clickId},
             ${change.credit?.partner.id ?? null}::uuid, ${change.credit?.by ?? null},
             ${JSON.stringify(steps)}::jsonb, ${change.occurredAt}::timestamptz
      from customer
      where not (${change.needsUnknownCustomer}::boolean and exists (
        select from customers
        where workspace_id = ${workspaceId}
          and ${purchase.customer ?? change.customerExternalId} in (external_id, processor_customer_id)))
      on conflict (workspace_id, kind, external_id) do nothing
      returning id`

/** Updates the duplicates. Returns fewer rows if a concurrent request has changed one. */
const saveDuplicates = (workspaceId: string, duplicates: DuplicateChange[]): RawBuilder<unknown> => {
  if (duplicates.length === 0) return sql`select null::uuid as id where false`
  const rows = duplicates.map(({ reversals: _, ...row }) => row)
  return sql`
      update events e
      set partner_id = d."partnerId", attributed_by = d."attributedBy", steps = d.steps, revision = e.revision + 1
      from customer, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as d (id uuid, revision integer, "partnerId" uuid, "attributedBy" text, steps jsonb)
      where e.workspace_id = ${workspaceId} and e.id = d.id and e.revision = d.revision
      returning e.id`
}
