/** Processes events and reports: loads, plans and applies a purchase, and retries conflicts. */

import type { CompiledQuery } from 'kysely'
import { tieCustomers } from '../../customers/tie.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { planPurchase } from '../../rules/plans/plan-purchase.ts'
import { readPurchase, type Trigger, triggerOf } from '../../rules/plans/purchase.ts'
import type { ProcessorEvent } from '../../rules/purchases/facts.ts'
import type { EventOutcome } from '../../rules/purchases/outcomes.ts'
import type { HandCreditStep } from '../../rules/steps/steps.ts'
import {
  discountedPurchases,
  loadReceived,
  type ReceivedEvents,
  saveEvent,
  saveOutcome,
} from '../../tracking/events/received.queries.ts'
import { applyPlan } from './apply.queries.ts'
import { type AddressedPayment, nextByAddress } from './by-address.queries.ts'
import { markCardSales } from './cards.queries.ts'
import { loadKnownFacts } from './purchases.queries.ts'
import { replanCustomer } from './replan.service.ts'
import { formerCustomerOf } from './save-customer.queries.ts'
import { tieFirst } from './tie-first.service.ts'

/** Of ten concurrent events of one customer, one succeeds in each round, or ties its ids. */
const ROUNDS = 24

type When = {
  trigger: Trigger
  now: Date
  /** A manager's decision whom the sale is credited to, and what is written with it. */
  byHand?: { step: HandCreditStep; statementsFor: (customerId: string | null) => CompiledQuery[] }
}

/** Stores an event and processes it once. An event without keys concerns no purchase. */
export const processEvent = async (
  db: Db,
  workspaceId: string,
  event: ProcessorEvent,
  now: Date,
): Promise<void> => {
  const { id, isDone } = await saveEvent(db, workspaceId, event, now)
  if (isDone) return
  if (event.refusal) return saveOutcome(db, id, event.refusal)
  const outcome = event.keys.length
    ? await applyPurchase(db, workspaceId, event.keys, { trigger: triggerOf(event.facts), now })
    : await applyCustomer(db, workspaceId, { ...event, id }, now)
  await saveOutcome(db, id, outcome)
}

/** Ties the ids that an event names, and updates the purchases whose coupon a discount shows. */
const applyCustomer = async (
  db: Db,
  workspaceId: string,
  { id: eventId, customer, facts }: ProcessorEvent & { id: string },
  now: Date,
): Promise<EventOutcome> => {
  for (const fact of facts) {
    if (fact.kind !== 'identity') continue
    const identities = [fact.customer, fact.customerExternalId].map(identityOf)
    const tied = await tieCustomers(
      db,
      workspaceId,
      identities,
      { source: 'customer', evidence: fact.customer },
      now,
    )
    await replanReferred(db, workspaceId, tied, now)
  }
  const discounts = facts.filter((fact) => fact.kind === 'discount')
  const purchases =
    customer && discounts.length > 0
      ? await discountedPurchases(db, workspaceId, { eventId, customer, discounts })
      : []
  for (const keys of purchases) await applyPurchase(db, workspaceId, keys, { trigger: 'sale', now })
  return { code: facts.length ? 'customer_noted' : 'ignored', facts: {} }
}

/**
 * Updates the ledger by everything known of the purchase with these keys, and recomputes the
 * customer's later sales that depend on what has changed.
 *
 * @param keys its invoice, payments, charges or checkout
 * @param loaded its events, if they were loaded before
 * @returns the outcome of the event that it is updated by
 * @throws {Unavailable} when the database does not confirm it, or concurrent requests kept changing
 *   the purchase
 */
export const applyPurchase = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  when: When,
  loaded?: ReceivedEvents,
): Promise<EventOutcome> => {
  const { markedIds, outcome } = await applyOne(db, workspaceId, keys, when, loaded)
  for (const id of markedIds) await replanReferred(db, workspaceId, id, when.now)
  return outcome
}

/** Per request, because each is planned. More payments of a shared address stay marked. */
const PAYMENTS_BY_ADDRESS = 50

/** Recomputes the marked sales of a customer, and those of its addresses. */
export const replanReferred = async (
  db: Db,
  workspaceId: string,
  customerId: string,
  now: Date,
): Promise<void> => {
  await replanCustomer(db, workspaceId, customerId, now)
  let after: AddressedPayment | null = null
  for (let payments = 0; payments < PAYMENTS_BY_ADDRESS; payments++) {
    const next = await nextByAddress(db, workspaceId, customerId, after)
    if (!next) break
    const { markedIds } = await applyOne(db, workspaceId, next.keys, { trigger: 'again', now })
    // More payments of this customer may be marked: this loop continues with them.
    for (const id of markedIds) await replanCustomer(db, workspaceId, id, now)
    after = next
  }
}

/**
 * Updates one purchase.
 * @returns the ids of its customer and its former one too, if sales of them are to be recomputed
 */
const applyOne = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  { trigger, now, byHand }: When,
  loaded?: ReceivedEvents,
): Promise<{ outcome: EventOutcome; markedIds: string[] }> => {
  let received = loaded ?? (await loadReceived(db, workspaceId, keys))
  for (let round = 0; round < ROUNDS; round++) {
    const purchase = readPurchase(received.facts, now, received.beginnings)
    const facts = await loadKnownFacts(
      db,
      workspaceId,
      received.keys,
      purchase,
      trigger,
      byHand?.step,
    )
    const evidence = facts.recorded?.externalId ?? purchase.externalId ?? keys[0] ?? null
    if (await tieFirst(db, workspaceId, purchase, facts, evidence, now)) continue
    const plan = planPurchase(purchase, facts, trigger)
    const more = byHand?.statementsFor(facts.customer?.id ?? null) ?? []
    const result = await applyPlan(db, {
      workspaceId,
      purchase,
      facts,
      plan,
      received,
      now,
      more,
    })
    if (result.status === 'conflict') {
      received = await loadReceived(db, workspaceId, keys)
      continue
    }
    // Sales of others are recomputed by the cron, as what an address learned later changes.
    const byCard = facts.card.isShared
      ? await markCardSales(db, workspaceId, received.keys, purchase, facts)
      : []
    const { isMarked = facts.customer?.isMarked ?? false } = result
    const own = facts.customer?.id
    const marked = [(isMarked || byCard.some((id) => id === own)) && own, formerCustomerOf(plan)]
    return {
      outcome: plan.outcome,
      markedIds: marked.filter((id) => typeof id === 'string'),
    }
  }
  throw lostRace('the same purchase')
}
