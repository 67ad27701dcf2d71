/** Processes events and reports: load the purchase, plan it, apply the plan, and again if it changed meanwhile. */
import type { Db } from '../db/connection.ts'
import { endReport, noteReport } from '../tracking/reports.queries.ts'
import { lostRace } from '../unavailable.ts'
import { applyPlan } from './apply.queries.ts'
import type { ProcessorEvent } from './facts.ts'
import type { EventOutcome } from './outcomes.ts'
import type { KnownFacts, PurchasePlan } from './plan.ts'
import { planPurchase } from './plan-purchase.ts'
import { type Purchase, readPurchase, type Trigger, triggerOf } from './purchase.ts'
import { loadKnownFacts } from './purchases.queries.ts'
import type { SaleReport } from './purchases.rpc.ts'
import {
  discountedPurchases,
  endOfWait,
  laterSales,
  loadReceived,
  type Referral,
  saveEvent,
  saveOutcome,
} from './received.queries.ts'

/** Of ten concurrent events of one purchase, one succeeds in each round. */
const ROUNDS = 12

export type Applied = {
  /** The purchase's sale, if there is one. */
  saleId: string | null
  isCredited: boolean
  outcome: EventOutcome
}

type When = { trigger: Trigger; now: Date }

/** Stores an event and processes it, unless it was processed before. An event without keys concerns no purchase. */
export const processEvent = async (
  db: Db,
  workspaceId: string,
  event: ProcessorEvent,
  now: Date,
): Promise<void> => {
  const { id, isDone } = await saveEvent(db, workspaceId, event, now)
  if (isDone) return
  if (event.refusal) return saveOutcome(db, { id, saleId: null, outcome: event.refusal })
  const { saleId, outcome } = event.keys.length
    ? await applyPurchase(db, workspaceId, event.keys, { trigger: triggerOf(event.facts), now })
    : await applyCustomer(db, workspaceId, { ...event, id }, now)
  await saveOutcome(db, { id, saleId, outcome })
}

/** Updates the customer's purchases that a discount shows the coupon of. */
const applyCustomer = async (
  db: Db,
  workspaceId: string,
  { id: eventId, customer, facts }: ProcessorEvent & { id: string },
  now: Date,
): Promise<Pick<Applied, 'saleId' | 'outcome'>> => {
  const discounts = facts.filter((fact) => fact.kind === 'discount')
  const purchases =
    customer && discounts.length > 0
      ? await discountedPurchases(db, workspaceId, { eventId, customer, discounts })
      : []
  for (const keys of purchases) await applyPurchase(db, workspaceId, keys, { trigger: 'sale', now })
  return { saleId: null, outcome: { code: facts.length ? 'customer_noted' : 'ignored', facts: {} } }
}

/**
 * Applies the payments that have waited long enough for an invoice or a checkout. One that fails delays no other.
 *
 * @param connect a connection has the deadline of one request, so each payment gets its own
 * @returns how many were applied, and the failures of the others, which the next run tries again
 */
export const endWaits = async (
  connect: () => Db,
  now: Date,
): Promise<{ applied: number; failures: unknown[] }> => {
  const events = await endOfWait(connect(), now)
  const failures: unknown[] = []
  for (const { id, workspaceId, keys } of events) {
    try {
      const db = connect()
      const { saleId, outcome } = await applyPurchase(db, workspaceId, keys, { trigger: 'sale', now })
      await saveOutcome(db, { id, saleId, outcome })
    } catch (error) {
      failures.push(error)
    }
  }
  return { applied: events.length - failures.length, failures }
}

/**
 * Updates the ledger after everything known of the purchase with these keys. When the purchase shows whose customer the
 * buyer is, the customer's later sales that were recorded before are credited too.
 *
 * @param keys its invoice, payments, charges or checkout
 * @throws {Unavailable} when the database does not confirm it, or concurrent requests kept changing the purchase
 */
export const applyPurchase = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  { trigger, now }: When,
): Promise<Applied> => {
  const { referral, ...applied } = await applyOne(db, workspaceId, keys, { trigger, now })
  const processed = [...keys]
  const next = async () => (referral ? laterSales(db, workspaceId, referral, processed) : [])
  for (let sales = await next(); sales.length > 0; sales = await next()) {
    for (const sale of sales) await applyOne(db, workspaceId, [sale], { trigger: 'sale', now })
    processed.push(...sales)
  }
  return applied
}

/** Updates one purchase, and finds the referral that it shows. */
const applyOne = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  { trigger, now }: When,
): Promise<Applied & { referral: Referral | null }> => {
  for (let round = 0; round < ROUNDS; round++) {
    const received = await loadReceived(db, workspaceId, keys)
    const purchase = readPurchase(received.facts, now)
    const facts = await loadKnownFacts(db, workspaceId, received.keys, purchase)
    const plan = planPurchase(purchase, facts, trigger)
    const result = await applyPlan(db, { workspaceId, purchase, facts, plan, received, now })
    if (result.status === 'conflict') continue
    return {
      saleId: result.saleId,
      isCredited: isCredited(plan),
      outcome: plan.outcome,
      referral: trigger === 'sale' || plan.customer ? findReferral(purchase, facts, plan) : null,
    }
  }
  throw lostRace('the same purchase')
}

const isCredited = ({ sale }: PurchasePlan): boolean => {
  switch (sale.kind) {
    case 'none':
      return false
    case 'create':
    case 'update':
      return sale.change.credit !== null
    case 'keep':
    case 'adjust':
      return sale.recorded.partnerId !== null
  }
}

const findReferral = (
  { customer, referredAt }: Purchase,
  { recorded, customerPartner }: KnownFacts,
  plan: PurchasePlan,
): Referral | null => {
  const partnerId = plan.customer?.partnerId ?? recorded?.partnerId ?? customerPartner?.id
  return customer && referredAt && partnerId ? { customer, partnerId, at: referredAt } : null
}

/**
 * Updates a sale that a processor reported first with the merchant's report of it. An interrupted report has not ended: it
 * is joined again when the merchant repeats it.
 */
export const joinReport = async (db: Db, workspaceId: string, report: SaleReport, now: Date) => {
  await noteReport(db, workspaceId, report)
  const applied = await applyPurchase(db, workspaceId, [report.externalId], { trigger: 'sale', now })
  return { id: await endReport(db, workspaceId, report), attributed: applied.isCredited }
}
