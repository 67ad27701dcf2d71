/** Compares the purchases that a processor lists with the ledger, and records what is missing. */

import type { Db } from '../../db/connection.ts'
import type { PartnerTerms } from '../../rules/attribution/attribution.ts'
import { countedOf } from '../../rules/decisions/amounts.ts'
import type { KnownFacts, PurchasePlan } from '../../rules/plans/plan.ts'
import { planPurchase } from '../../rules/plans/plan-purchase.ts'
import { readPurchase, type Trigger, triggerOf } from '../../rules/plans/purchase.ts'
import type { Fact, ListedPurchase, ProcessorEvent } from '../../rules/purchases/facts.ts'
import { factsOf, type ReceivedFact } from '../../rules/purchases/received.ts'
import { loadReceived, saveEvent, saveOutcome } from '../../tracking/events/received.queries.ts'
import type { Money } from '../../values/money.ts'
import { applyPurchase } from '../apply/apply.service.ts'
import { loadKnownFacts } from '../apply/purchases.queries.ts'
import { explainMissing, isMissing, type Prediction, predictFacts } from './reconciliation.ts'

/** A listed purchase that the ledger lacks, or has incompletely. */
export type MissingSale = {
  externalId: string
  paid: Money
  explanation: string
  listed: ListedPurchase
}

/** Predictions for the customers of earlier missing sales, by customer id or address. */
export type Predictions = Map<string, Prediction>

const keysOf = ({ events }: ListedPurchase): string[] => [
  ...new Set(events.flatMap(({ keys }) => keys)),
]

/** Whether a received fact says as much as a listed one; an unpaid checkout says less. */
const covers = (received: Fact, listed: Fact): boolean => {
  if (received.kind === 'invoice' && listed.kind === 'invoice') {
    return (
      received.id === listed.id &&
      (listed.coupons ?? []).every((id) => received.coupons?.includes(id))
    )
  }
  if (received.kind === 'payment' && listed.kind === 'payment') {
    return received.invoice === listed.invoice && received.payment === listed.payment
  }
  if (received.kind === 'refund' && listed.kind === 'refund') {
    return received.id === listed.id && received.status === listed.status
  }
  if (received.kind === 'dispute' && listed.kind === 'dispute') {
    return received.id === listed.id && received.status === listed.status
  }
  if (received.kind === 'intent' && listed.kind === 'intent') return received.id === listed.id
  if (received.kind === 'credit_note' && listed.kind === 'credit_note') {
    return received.id === listed.id && received.isVoid === listed.isVoid
  }
  if (received.kind !== 'checkout' || listed.kind !== 'checkout') return false
  return received.id === listed.id && (received.paid !== null || listed.paid === null)
}

/** A refund alone leaves the credit of its sale alone. */
const triggerFor = ({ events }: ListedPurchase): Trigger =>
  triggerOf(events.flatMap(({ facts }) => facts))

const isCovered = (fact: Fact, received: ReceivedFact[]): boolean =>
  received.some((known) => covers(known.fact, fact))

/**
 * The events that say more than was received. Which payment paid an invoice matters only to a
 * purchase that lacks something.
 */
const findUnreceived = ({ events }: ListedPurchase, received: ReceivedFact[]): ProcessorEvent[] =>
  events.filter(({ facts }) =>
    facts.some((fact) => fact.kind !== 'payment' && !isCovered(fact, received)),
  )

/** Likewise, and the events that tie an invoice to its payment. */
const findUnsaved = ({ events }: ListedPurchase, received: ReceivedFact[]): ProcessorEvent[] =>
  events.filter(({ facts }) => facts.some((fact) => !isCovered(fact, received)))

/**
 * Plans a listed purchase without writing anything. Purchases must be passed in the order in which
 * they were paid.
 *
 * @param predictions updated with what recording the purchase would change of its customer
 * @returns null when nothing is missing
 */
export const findMissing = async (
  db: Db,
  workspaceId: string,
  listed: ListedPurchase,
  predictions: Predictions,
): Promise<MissingSale | null> => {
  const received = await loadReceived(db, workspaceId, keysOf(listed))
  const unreceived = findUnreceived(listed, received.facts)
  const all = [...received.facts, ...unreceived.flatMap(factsOf)]
  const purchase = readPurchase(all, new Date(), received.beginnings)
  const buyer = purchase.customer ?? purchase.email ?? ''

  const loaded = await loadKnownFacts(db, workspaceId, received.keys, purchase)
  const facts = predictFacts(loaded, predictions.get(buyer), purchase.subscription)
  const plan = planPurchase(purchase, facts, triggerFor(listed))
  const isReferred = plan.outcome.code === 'customer_kept' && facts.tie !== null
  if (!isMissing(plan, unreceived.length > 0) && !(isReferred && unreceived.length > 0)) return null

  const partner = findPartner(facts, plan)
  if (partner && buyer) {
    const commission = 'commission' in plan.sale ? plan.sale.commission : null
    const isRewarded = commission !== null
    const rewardedAt = isRewarded ? (purchase.sale?.paidAt ?? null) : null
    const before = predictions.get(buyer)
    predictions.set(buyer, {
      partner,
      rewardedAt: before?.rewardedAt ?? rewardedAt,
      products: [...(before?.products ?? []), ...(commission?.products ?? [])],
      subscriptions: [
        ...(before?.subscriptions ?? []),
        ...(isRewarded ? [purchase.subscription] : []),
      ],
    })
  }
  const { netCents, currency } = purchase.sale
    ? countedOf(purchase.sale.paid)
    : { netCents: 0, currency: '' }
  const paid = 'change' in plan.sale ? plan.sale.change.sale : facts.recorded?.sale
  return {
    externalId: facts.recorded?.externalId ?? purchase.externalId ?? '',
    paid: paid ?? { amountCents: BigInt(netCents), currency },
    explanation: explainMissing(plan),
    listed,
  }
}

/** The customer's partner once the plan is applied. */
const findPartner = (
  { coupon, click, customerPartner }: KnownFacts,
  { sale }: PurchasePlan,
): PartnerTerms | undefined => {
  const credited = 'change' in sale ? sale.change.credit?.partner : undefined
  return credited ?? coupon?.partner ?? click?.partner ?? customerPartner ?? undefined
}

/** Records a listed purchase as if its missing events were received now. Idempotent. */
export const recordListed = async (
  db: Db,
  workspaceId: string,
  listed: ListedPurchase,
  now: Date,
): Promise<void> => {
  const received = await loadReceived(db, workspaceId, keysOf(listed))
  const ids: string[] = []
  for (const event of findUnsaved(listed, received.facts)) {
    ids.push((await saveEvent(db, workspaceId, event, now)).id)
  }
  const trigger = triggerFor(listed)
  const outcome = await applyPurchase(db, workspaceId, keysOf(listed), { trigger, now })
  for (const id of ids) await saveOutcome(db, id, outcome)
}
