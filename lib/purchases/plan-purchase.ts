/**
 * Plans what has to change so that the ledger agrees with all facts received of a purchase. Planning is idempotent: once a
 * plan is applied, the next one changes nothing. Design, section 5.
 */
import { countedOf } from './amounts.ts'
import { hasUnmerged, mergeDuplicates } from './duplicates.ts'
import type { KnownFacts, PurchasePlan, RecordedSale } from './plan.ts'
import { planReturns } from './plan-returns.ts'
import { findCredit, planReport, planSale, planUnpaid } from './plan-sale.ts'
import type { Purchase, Trigger } from './purchase.ts'

/** @param trigger a return leaves a recorded sale's credit alone, unless two sales turn out to be one purchase */
export const planPurchase = (received: Purchase, facts: KnownFacts, trigger: Trigger): PurchasePlan => {
  const { recorded } = facts
  const purchase = count(received, facts)
  const { sale, referredAt } = purchase
  if (facts.salesFrom === 'api') return planSaleOfMerchant(purchase, facts, trigger)
  if (recorded && trigger === 'return' && !hasUnmerged(facts)) return planReturns(purchase, recorded)
  if (!sale || !referredAt) {
    return recorded ? planRecorded(purchase, facts, recorded, trigger) : planWait(purchase)
  }
  const paid = { ...purchase, sale, referredAt }
  // A recorded sale of which nothing was paid after all earns nothing.
  return sale.paid.netCents > 0 || recorded
    ? mergeDuplicates(planSale(paid, facts), facts)
    : planUnpaid(paid, facts)
}

/** The purchase with the amounts that count for the program of whoever is credited. */
const count = (purchase: Purchase, facts: KnownFacts): Purchase => {
  const { sale, referredAt } = purchase
  if (!sale || !referredAt) return purchase
  const credit = findCredit({ ...purchase, sale, referredAt }, facts)
  return { ...purchase, sale: { ...sale, paid: countedOf(sale.paid, credit?.partner) } }
}

/** Sales earn as the merchant reports them: the processor reports what was returned, and who the customer is. */
const planSaleOfMerchant = (purchase: Purchase, facts: KnownFacts, trigger: Trigger): PurchasePlan => {
  const { recorded } = facts
  const { sale, referredAt } = purchase
  if (recorded) {
    const isDecided = trigger !== 'return' && recorded.reportedAt !== null
    const plan = isDecided ? planReport(purchase, facts, recorded) : planReturns(purchase, recorded)
    return mergeDuplicates(plan, facts)
  }
  if (!sale || !referredAt) return NO_SALE
  const plan = planUnpaid({ ...purchase, sale, referredAt }, facts)
  return sale.paid.netCents > 0 ? { ...plan, outcome: { code: 'sale_expected_from_api', facts: {} } } : plan
}

/** A sale that no processor's event reports. */
const planRecorded = (
  purchase: Purchase,
  facts: KnownFacts,
  recorded: RecordedSale,
  trigger: Trigger,
): PurchasePlan =>
  trigger === 'again' && recorded.reportedAt
    ? planReport(purchase, facts, recorded)
    : planReturns(purchase, recorded)

/** No sale is known, or not yet. */
const planWait = ({ waitsUntil }: Purchase): PurchasePlan =>
  waitsUntil
    ? { ...NO_SALE, outcome: { code: 'waiting', facts: { until: waitsUntil.toISOString() } } }
    : NO_SALE

const NO_SALE: PurchasePlan = {
  sale: { kind: 'none' },
  customer: null,
  duplicates: [],
  outcome: { code: 'no_sale', facts: {} },
}
