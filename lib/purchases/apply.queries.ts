/** Applies a plan in one write: the sale, its customer, and the rows of the ledger. */
import { type RawBuilder, sql } from 'kysely'
import { IDENTITY_KEY } from '../customers/identities.queries.ts'
import { type Identity, identityOf } from '../customers/identities.ts'
import { breaks, type Db, isConflict } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockCustomer } from '../db/locks.queries.ts'
import { noteReceived } from './expected-sales.queries.ts'
import { insertCommissions } from './ledger.queries.ts'
import type { CustomerChange, DuplicateChange, KnownFacts, PurchasePlan, SalePlan } from './plan.ts'
import { holdPossibleDuplicate, releaseTied } from './possible-duplicates.queries.ts'
import type { Purchase } from './purchase.ts'
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
  if (isSaleKept && !customer && duplicates.length === 0) return confirmSale(db, application)

  const saleId = sale.kind === 'create' ? newId() : sale.kind === 'none' ? null : sale.recorded.id
  const { insert, commissionId } = insertCommissions(workspaceId, plan, application.now)
  const statement = sql<{ saleId: string | null }>`
    with customer as (${customer ? saveCustomer(application, customer) : sql`select null::uuid as id`}),
    identity as (${insertOwnIdentities(application)}),
    referral as (${insertReferral(workspaceId, customer)}),
    withdrawn as (delete from referrals r using customer
                  where r.customer_id = customer.id and ${isWithdrawn(application)}),
    event as (${saveSale(application, saleId, commissionId)}),
    duplicate as (${saveDuplicates(workspaceId, duplicates)}),
    commission as (${insert})
    select id as "saleId" from event`
  const buyer = purchase.customer ?? ('change' in sale ? sale.change.customerExternalId : '')
  try {
    const [, rows] = await db.batch([
      lockCustomer(workspaceId, buyer).compile(db),
      statement.compile(db),
      assertSaved(workspaceId, plan, saleId).compile(db),
      ...holdOneTimeReward(workspaceId, plan, saleId).map((part) => part.compile(db)),
      assertCurrent(application).compile(db),
      ...review(application, saleId).map((part) => part.compile(db)),
    ])
    const [row] = rows
    return row ? { status: 'applied', saleId: row.saleId } : CONFLICT
  } catch (error) {
    if (isConflict(error) || UNIQUE.some((constraint) => breaks(error, constraint))) return CONFLICT
    throw error
  }
}

/** The constraints that a concurrent sale, or another purchase of the same customer, may have won. */
const UNIQUE = ['one_time_rewards_program_id_customer_id_key', IDENTITY_KEY]

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
const confirmSale = async (db: Db, application: Application): Promise<ApplyResult> => {
  const {
    workspaceId,
    plan: { sale },
  } = application
  if (sale.kind !== 'keep') return { status: 'applied', saleId: null }
  const { id, revision } = sale.recorded
  const [rows] = await db.batch([
    sql<{ revision: number }>`
      select revision from events where workspace_id = ${workspaceId} and id = ${id} for update`.compile(db),
    ...review(application, id).map((part) => part.compile(db)),
  ])
  return rows[0]?.revision === revision ? { status: 'applied', saleId: id } : CONFLICT
}

/** The statements that compare the sale with those that the merchant reported by API. */
const review = (
  { workspaceId, purchase, facts, plan: { sale, duplicates }, now }: Application,
  saleId: string | null,
) => {
  if (sale.kind === 'none' || saleId === null) return []
  const clickId = 'change' in sale ? sale.change.clickId : sale.recorded.clickId
  const saved = { workspaceId, saleId, clickId, grossCents: purchase.sale?.paid.grossCents ?? null }
  const isNew = 'commission' in sale && sale.commission?.replacesId === null
  return [
    ...(duplicates.length ? [releaseTied({ workspaceId, saleId, now })] : []),
    ...holdPossibleDuplicate({ ...saved, isNew, now }),
    ...(facts.salesFrom === 'both' || facts.salesFrom === 'api' ? [] : [noteReceived(saved)]),
  ]
}

/** Releases the one-time reward that the sale or a duplicate of it held, and takes the one that it uses up at present. */
const holdOneTimeReward = (
  workspaceId: string,
  { sale, duplicates }: PurchasePlan,
  saleId: string | null,
) => {
  if (sale.kind !== 'create' && sale.kind !== 'update') return []
  const held = JSON.stringify([saleId, ...duplicates.map(({ id }) => id)])
  const release = sql<unknown>`
    delete from one_time_rewards
    where workspace_id = ${workspaceId} and event_id in (select value::uuid from jsonb_array_elements_text(${held}::jsonb))`
  if (!sale.oneTimeProgramId) return [release]
  const take = sql<unknown>`
    insert into one_time_rewards (workspace_id, program_id, customer_id, event_id)
    select workspace_id, ${sale.oneTimeProgramId}::uuid, customer_id, id from events
    where workspace_id = ${workspaceId} and id = ${saleId}`
  return [release, take]
}

/** Inserts the customer, or updates the known one. */
const saveCustomer = (application: Application, change: CustomerChange): RawBuilder<unknown> => {
  const { workspaceId, facts, now } = application
  const { externalId, processorCustomerId, email, name, partnerId, referral } = change
  if (!facts.customer) {
    return sql`
      insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at)
      values (${newId()}, ${workspaceId}, ${externalId}, ${email}, ${name}, ${partnerId}, ${now})
      on conflict (id) do nothing -- the retry of an unconfirmed commit
      returning id`
  }
  // A customer that the processor reported first has the processor's id until the merchant reports its own.
  return sql`
      update customers cu
      set email = coalesce(cu.email, ${email}),
          name = coalesce(cu.name, ${name}),
          external_id = case when cu.external_id = ${processorCustomerId} then ${externalId} else cu.external_id end,
          partner_id = case when ${referral?.at ?? null}::timestamptz is not null and not exists (
            select from referrals r where r.customer_id = cu.id and r.referred_at > ${referral?.at ?? null}::timestamptz
                                      and not ${isWithdrawn(application)})
            then ${partnerId}::uuid else cu.partner_id end,
          revision = cu.revision + 1
      where cu.workspace_id = ${workspaceId} and cu.id = ${facts.customer.id}
      returning id`
}

/** Adds the identities of the purchase to its customer, except those of other customers. */
const insertOwnIdentities = ({ workspaceId, purchase, facts, plan, now }: Application) => {
  const change = plan.customer
  if (!change) return sql`select`
  const isReported = ![purchase.customer, purchase.email, purchase.externalId].includes(change.externalId)
  const strong = [
    ...(purchase.customer ? [purchase.customer] : []),
    ...(isReported ? [change.externalId] : []),
  ]
  const identities: Identity[] = strong.map(identityOf)
  if (identities.length === 0 && !facts.customer) identities.push({ kind: 'guest', value: change.externalId })
  return identities.length
    ? sql`
      insert into customer_identities (workspace_id, customer_id, kind, value, created_at)
      select ${workspaceId}::uuid, customer.id, i.kind, i.value, ${now}::timestamptz
      from customer, jsonb_to_recordset(${JSON.stringify(identities)}::jsonb) as i (kind text, value text)
      where not (${facts.customer !== null}::boolean and exists (
        select from customer_identities other
        where other.workspace_id = ${workspaceId} and other.kind <> 'email' and (other.kind, other.value) = (i.kind, i.value)))`
    : sql`select`
}

/** Whether a referral, `r`, came from this purchase while it was credited to another partner. */
const isWithdrawn = ({ received, facts, plan: { customer } }: Application): RawBuilder<unknown> => {
  const recorded = [facts.recorded, ...facts.duplicates].flatMap((sale) => (sale ? [sale.id] : []))
  const origin = customer?.referral?.origin
  return origin
    ? sql`(r.origin = any(${textArray([...received.keys, ...recorded])}) and r.origin <> ${origin})`
    : sql`false`
}

const insertReferral = (workspaceId: string, customer: CustomerChange | null) => {
  if (!customer?.referral) return sql`select`
  const { origin, source, attribution, at } = customer.referral
  return sql`
      insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at)
      select ${workspaceId}::uuid, id, ${origin}, ${customer.partnerId}::uuid, ${source}, ${attribution}, ${at}::timestamptz
      from customer
      on conflict (customer_id, origin) do update
        set partner_id = excluded.partner_id, source = excluded.source, referred_at = excluded.referred_at`
}

/** Inserts or updates the sale. Returns no row if a concurrent request has done so. */
const saveSale = (
  application: Application,
  saleId: string | null,
  commissionId: string | null,
): RawBuilder<unknown> => {
  const { sale } = application.plan
  switch (sale.kind) {
    case 'none':
    case 'keep':
      return sql`select ${saleId}::uuid as id from customer`
    case 'adjust':
      return updateSale(application.workspaceId, sale, sql``)
    case 'update': {
      const { credit, clickId, sale: sold } = sale.change
      const current = sale.keepsCommission ? sql`e.commission_id` : sql`${commissionId}::uuid`
      const changes = sql`
          partner_id = ${credit?.partner.id ?? null}::uuid, attributed_by = ${credit?.by ?? null}, click_id = ${clickId},
          amount_cents = ${sold.amountCents}::bigint, currency = ${sold.currency}, customer_id = customer.id,
          commission_id = ${current},`
      return updateSale(application.workspaceId, sale, changes)
    }
    case 'create':
      return insertSale(application, sale, saleId, commissionId)
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
  commissionId: string | null,
) => sql`
      insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                          amount_cents, currency, click_id, partner_id, attributed_by, commission_id, steps,
                          occurred_at)
      select ${id}::uuid, ${workspaceId}::uuid, 'sale', ${change.externalId}, 'sale', ${change.customerExternalId},
             customer.id, ${change.sale.amountCents}::bigint, ${change.sale.currency}, ${change.clickId},
             ${change.credit?.partner.id ?? null}::uuid, ${change.credit?.by ?? null},
             ${commissionId}::uuid, ${JSON.stringify(steps)}::jsonb, ${change.occurredAt}::timestamptz
      from customer
      where not (${change.needsUnknownCustomer}::boolean and exists (
        select from customer_identities i
        where i.workspace_id = ${workspaceId} and i.kind <> 'email' and i.value = ${purchase.customer ?? change.customerExternalId}))
      on conflict (workspace_id, kind, external_id) do nothing
      returning id`

/** Updates the duplicates. Returns fewer rows if a concurrent request has changed one. */
const saveDuplicates = (workspaceId: string, duplicates: DuplicateChange[]): RawBuilder<unknown> => {
  if (duplicates.length === 0) return sql`select null::uuid as id where false`
  const rows = duplicates.map(({ reversals: _, ...row }) => row)
  return sql`
      update events e
      set partner_id = d."partnerId", attributed_by = d."attributedBy", commission_id = null, steps = d.steps,
          revision = e.revision + 1
      from customer, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as d (id uuid, revision integer, "partnerId" uuid, "attributedBy" text, steps jsonb)
      where e.workspace_id = ${workspaceId} and e.id = d.id and e.revision = d.revision
      returning e.id`
}
