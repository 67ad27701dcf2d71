/** Recomputes the sales of a customer that depend on what has changed. */
import type { Db } from '../../db/connection.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { planPurchase } from '../../rules/plans/plan-purchase.ts'
import { type Purchase, readPurchase } from '../../rules/plans/purchase.ts'
import { loadAllReceived, type ReceivedEvents } from '../../tracking/events/received.queries.ts'
import { type Application, applyPlan, changesNothing, confirmSales } from './apply.queries.ts'
import { loadAllKnownFacts } from './purchases.queries.ts'
import { type NextSales, nextSales, type Planned, type SalePosition } from './replan.queries.ts'
import { formerCustomerOf } from './save-customer.queries.ts'
import { tieFirst } from './tie-first.service.ts'

/** More than an uninterrupted customer needs: each round plans several sales. */
const ROUNDS = 1_000

/** Sales that are read together: few after a change, which makes the others obsolete. */
const SALES = { few: 4, many: 32 }

/**
 * Recomputes the sales of a customer that depend on what has changed, in the order in which they
 * were paid. Continues from the mark if something else changes the customer meanwhile. The mark
 * moves with the planned sales, so an interrupted request leaves the rest to the next one.
 */
export const replanCustomer = async (
  db: Db,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<void> => {
  const left = new Set<string>()
  await replanSales({ db, workspaceId, now, left }, id)
  for (const customerId of left) await replanSales({ db, workspaceId, now, left }, customerId)
}

/** What recomputing needs; `left` collects the customers whom a sale has left. */
type Replan = { db: Db; workspaceId: string; now: Date; left: Set<string> }

const replanSales = async (replan: Replan, id: string): Promise<void> => {
  const { db, workspaceId } = replan
  let last: Planned | null = null
  let limit = SALES.few
  for (let round = 0; round < ROUNDS; round++) {
    const next: NextSales | null = await nextSales(db, workspaceId, id, last, limit)
    if (!next) return
    const before = next.revision
    last = next.sales.length ? await planSales(replan, next) : null
    limit = last?.revision === before ? Math.min(limit * 2, SALES.many) : SALES.few
  }
  throw lostRace('the same customer')
}

type Sale = { position: SalePosition; received: ReceivedEvents; purchase: Purchase }

/**
 * Plans some sales of a customer. What was read of later ones is read again after a change.
 *
 * @returns the last one, or null if the customer was changed by something else, or earlier sales
 *   are marked now
 */
const planSales = async (replan: Replan, next: NextSales): Promise<Planned | null> => {
  const { db, workspaceId, now } = replan
  const ids = next.sales.map(({ externalId }) => [externalId])
  const received = await loadAllReceived(db, workspaceId, ids)
  let rest = next.sales.flatMap((position, place): Sale[] => {
    const its = received[place]
    return its
      ? [{ position, received: its, purchase: readPurchase(its.facts, now, its.beginnings) }]
      : []
  })
  let last: Planned | null = null
  let { revision } = next
  while (rest.length > 0) {
    const planned = await planUntilChange(replan, { ...next, revision }, rest)
    const sale = planned && rest[planned.count - 1]
    if (!sale) return null
    revision = planned.revision
    last = { sale: sale.position, customerId: next.customerId, revision }
    rest = rest.slice(planned.count)
  }
  return last
}

/**
 * Plans sales up to the first one that changes.
 * @returns how many, and the customer's revision after them, or null as above
 */
const planUntilChange = async (
  { db, workspaceId, now, left }: Replan,
  { customerId, revision, replanFrom }: NextSales,
  sales: Sale[],
): Promise<{ count: number; revision: number } | null> => {
  const wanted = sales.map(({ purchase, received: { keys } }) => ({ purchase, keys }))
  const known = await loadAllKnownFacts(db, workspaceId, wanted, 'again')
  const kept: Application[] = []
  for (const [place, { purchase, received }] of sales.entries()) {
    const facts = known[place]
    if (!facts) break
    const { customer, recorded } = facts
    if (customer?.id === customerId && customer.revision !== revision) return null
    const evidence = recorded?.externalId ?? purchase.externalId
    if (await tieFirst(db, workspaceId, purchase, facts, evidence, now)) return null
    const plan = planPurchase(purchase, facts, 'again')
    const application = { workspaceId, purchase, facts, plan, received, now }
    if (changesNothing(plan)) {
      kept.push(application)
      continue
    }
    if (!(await confirmSales(db, kept))) return null
    const result = await applyPlan(db, application)
    if (result.status === 'conflict') return null
    const former = formerCustomerOf(plan)
    if (former !== null) left.add(former)
    if (customer?.id !== customerId) return null
    // It was referred before it was paid, so sales that were planned before depend on it, too.
    if (result.replanFrom && result.replanFrom < replanFrom) return null
    return { count: place + 1, revision: revision + (plan.customer ? 1 : 0) }
  }
  return (await confirmSales(db, kept)) ? { count: kept.length, revision } : null
}
