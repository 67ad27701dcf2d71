/** Applies a plan in one write: the sale, its customer, and the rows of the ledger. */
import { type CompiledQuery, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { breaks, isConflict } from '../../db/neon.ts'
import type { KnownFacts, PurchasePlan } from '../../rules/plans/plan.ts'
import { holdsOf } from '../../rules/plans/plan-holds.ts'
import type { Purchase } from '../../rules/plans/purchase.ts'
import { refundsMade } from '../../rules/refunds/returns.ts'
import { tierIn } from '../../rules/steps/steps.ts'
import {
  linkEvents,
  type ReceivedEvents,
  textArray,
} from '../../tracking/events/received.queries.ts'
import { carryHold, saveWithHolds } from './holds.queries.ts'
import { insertCommissions, keepFigures } from './ledger.queries.ts'
import { leaveCustomer, lockCustomer, saveCustomer } from './save-customer.queries.ts'
import { saveDuplicates, saveRefunds, saveSale } from './save-sale.queries.ts'

export type Application = {
  workspaceId: string
  purchase: Purchase
  facts: KnownFacts
  plan: PurchasePlan
  /** The events that the plan was made from. */
  received: ReceivedEvents
  now: Date
  /** What is written with the plan, if it changes anything. */
  more?: CompiledQuery[]
}

/** A conflict: something has changed since it was read. Load the purchase and recompute it. */
export type ApplyResult =
  /**
   * `isMarked`: whether sales of the customer, or of its addresses, are to be recomputed, and
   * `replanFrom`: its own from when on. Absent if the plan left the customer alone.
   */
  { status: 'applied'; isMarked?: boolean; replanFrom?: Date | null } | { status: 'conflict' }

const CONFLICT: ApplyResult = { status: 'conflict' }

/** Applies a plan: all of it, or none. */
export const applyPlan = async (db: Db, application: Application): Promise<ApplyResult> => {
  const { workspaceId, facts, plan } = application
  const { sale, customer, duplicates } = plan
  if (changesNothing(plan))
    return (await confirmSales(db, [application])) ? { status: 'applied' } : CONFLICT

  const saleId = sale.kind === 'create' ? newId() : sale.kind === 'none' ? null : sale.recorded.id
  const { insert, commissionId } = insertCommissions(workspaceId, plan, application.now)
  const statement = sql<{ saleId: string | null }>`
    with customer as (select ${facts.customer?.id ?? null}::uuid as id),
    event as (${saveSale(workspaceId, sale, saleId, commissionId)}),
    duplicate as (${saveDuplicates(workspaceId, duplicates)}),
    commission as (${insert})
    select id as "saleId" from event`
  try {
    const ofMonth = assertMonthCap(application)
    const tier = keepTier(workspaceId, plan)
    const before = [
      lockBuyers([application]),
      customer ? lockCustomer(workspaceId, customer) : sql<unknown>`select`,
      ...ofMonth,
      statement,
      assertSaved(workspaceId, plan, saleId),
      assertCurrent(application),
      ...(plan.refunds.length ? [saveRefunds(workspaceId, plan.refunds, saleId)] : []),
      ...holdOneTimeReward(workspaceId, plan, saleId),
    ].map((part) => part.compile(db))
    const after = [
      ...followSale(application, saleId).map((part) => part.compile(db)),
      ...(application.more ?? []),
      ...[
        ...leaveCustomer(workspaceId, plan, facts.origins),
        ...(customer ? saveCustomer(workspaceId, customer, saleId) : []),
        // Last: other sales of the partner wait for it.
        ...tier,
      ].map((part) => part.compile(db)),
    ]
    const requests = holdsOf(application.plan, application.facts, saleId)
    const [, ...results] = await saveWithHolds(db, application, requests, { before, after })
    const [row] = results[1 + ofMonth.length] as { saleId: string | null }[]
    const [saved] = customer
      ? (results.at(-1 - tier.length) as { isMarked: boolean; replanFrom: Date | null }[])
      : []
    return row ? { status: 'applied', ...saved } : CONFLICT
  } catch (error) {
    if (isConflict(error) || UNIQUE.some((constraint) => breaks(error, constraint))) return CONFLICT
    throw error
  }
}

/** Constraints that a concurrent sale or purchase of the customer may have taken. */
const UNIQUE = ['one_time_rewards_pkey']

/** Rolls the batch back if a sale was not saved: a failed plan must not change the customer. */
const assertSaved = (
  workspaceId: string,
  { sale, duplicates }: PurchasePlan,
  saleId: string | null,
) => {
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

/** Rolls the batch back if newer events exist: their plan may have ended without a change. */
const assertCurrent = ({ workspaceId, received: { keys, count } }: Application) => sql<unknown>`
    select assert_unchanged(count(*) = ${count}::integer) from processor_events
    where workspace_id = ${workspaceId} and keys && ${textArray(keys)}`

export const changesNothing = ({ sale, customer, duplicates, refunds }: PurchasePlan): boolean =>
  (sale.kind === 'none' || sale.kind === 'keep') &&
  !customer &&
  duplicates.length === 0 &&
  refunds.length === 0

/**
 * Confirms that sales that need no change are as they were read, after any concurrent updates of
 * them have committed.
 *
 * @param applications their plans change nothing
 */
export const confirmSales = async (db: Db, applications: Application[]): Promise<boolean> => {
  const kept = applications.flatMap((application) => {
    const { sale } = application.plan
    return sale.kind === 'keep' ? [{ application, sale: sale.recorded }] : []
  })
  const [first] = kept
  if (!first) return true
  const before = [
    lockBuyers(kept.map(({ application }) => application)),
    ...kept.map(
      ({ application, sale: { id, revision } }) => sql<unknown>`
      select assert_unchanged(revision = ${revision}::integer)
      from events where workspace_id = ${application.workspaceId} and id = ${id} for no key update`,
    ),
  ].map((part) => part.compile(db))
  const after = kept.flatMap(({ application, sale }) =>
    followSale(application, sale.id).map((part) => part.compile(db)),
  )
  const requests = kept.flatMap(({ application, sale }) =>
    holdsOf(application.plan, application.facts, sale.id),
  )
  try {
    await saveWithHolds(db, first.application, requests, { before, after })
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

/** Rolls the batch back if a cap of the month leaves another amount than the plan was made by. */
const assertMonthCap = ({ plan: { sale }, facts: { recorded, duplicates } }: Application) => {
  if ((sale.kind !== 'create' && sale.kind !== 'update') || !sale.monthCap) return []
  const own = [recorded, ...duplicates].flatMap((one) => (one ? [one.id] : []))
  return [
    sql<unknown>`
      select assert_month_cap(${JSON.stringify(sale.monthCap)}::jsonb, ${textArray(own)}::uuid[])`,
  ]
}

/** The click of the sale of a plan. */
const clickOf = ({ sale }: PurchasePlan): string | null => {
  if (sale.kind === 'none') return null
  return 'change' in sale ? sale.change.clickId : sale.recorded.clickId
}

/** Locks the sales' addresses and clicks before all else: see lock_click of schema.sql. */
const lockBuyers = (applications: Application[]) => {
  const buyers = applications.flatMap(({ workspaceId, plan, purchase: { email } }) => [
    ...(email !== null && plan.sale.kind !== 'none' ? [{ workspaceId, email }] : []),
    ...[clickOf(plan)].flatMap((clickId) => (clickId === null ? [] : [{ workspaceId, clickId }])),
  ])
  return sql<unknown>`
    select case when email is not null then lock_address("workspaceId", email) else lock_click("workspaceId", "clickId") end
    from (select distinct *
          from jsonb_to_recordset(${JSON.stringify(buyers)}::jsonb) as b ("workspaceId" uuid, email text, "clickId" text)
          order by 1, 2 nulls last, 3) b`
}

/** The statements after the holds of a sale are written: of its events, duplicates and refunds. */
const followSale = (
  { workspaceId, plan: { sale, duplicates }, received }: Application,
  saleId: string | null,
) => {
  if (sale.kind === 'none' || saleId === null) return []
  const refunds = refundsMade(received.facts)
  return [
    ...(received.areLinked ? [] : [linkEvents(workspaceId, received, saleId)]),
    ...(duplicates.length
      ? [
          carryHold(
            workspaceId,
            saleId,
            duplicates.map(({ id }) => id),
          ),
        ]
      : []),
    ...(refunds.length
      ? [
          sql<unknown>`select announce_refunds(${workspaceId}, ${saleId}, ${JSON.stringify(refunds)})`,
        ]
      : []),
  ]
}

/** Releases the one-time rewards of the sale or a duplicate, and takes those that it uses up. */
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
  if (!sale.oneTime) return [release]
  const { programId, products } = sale.oneTime
  // A sale that was paid later and had the reward is recomputed.
  const take = sql<unknown>`
    insert into one_time_rewards (workspace_id, program_id, customer_id, product, event_id)
    select e.workspace_id, ${programId}::uuid, e.customer_id, product, e.id
    from events e cross join unnest(${textArray(products)}::text[]) product
    where e.workspace_id = ${workspaceId} and e.id = ${saleId}
    on conflict on constraint one_time_rewards_pkey do update set event_id = excluded.event_id`
  return [release, take]
}

/** Keeps what was read of a partner's day, if the sale has a tier of that partner for the first time. */
const keepTier = (workspaceId: string, { sale }: PurchasePlan) => {
  if (sale.kind !== 'create' && sale.kind !== 'update') return []
  const { credit } = sale.change
  const tier = tierIn(sale.steps)
  const recorded = sale.kind === 'update' ? sale.recorded : null
  const isKept =
    recorded?.partnerId === credit?.partner.id && tierIn(recorded?.steps ?? []) !== null
  return credit && tier && !isKept ? [keepFigures(workspaceId, credit.partner.id, tier)] : []
}
