/**
 * Plans what has to change so that the ledger agrees with all facts received of a purchase.
 * Planning is idempotent: once a plan is applied, the next one changes nothing. Design, section 5.
 */
import { canonicalJson } from '../../values/json.ts'
import { countedOf, countedPart } from '../decisions/amounts.ts'
import { type SettledRefund, settleRefunds } from '../refunds/refunds.ts'
import { hasUnmerged, mergeDuplicates } from './duplicates.ts'
import type { KnownFacts, PurchasePlan, RecordedSale, SalePlan } from './plan.ts'
import { planReturns } from './plan-returns.ts'
import { findCredit, planReport, planSale, planUnpaid } from './plan-sale.ts'
import type { Purchase, Trigger } from './purchase.ts'

/**
 * @param trigger a return leaves a recorded sale's credit alone, unless two sales turn out to be
 *   one purchase
 */
export const planPurchase = (
  purchase: Purchase,
  facts: KnownFacts,
  trigger: Trigger,
): PurchasePlan => {
  const plan = planLedger(purchase, facts, trigger)
  return { ...plan, refunds: planRefunds(plan.sale, facts) }
}

/** The reported refunds that are not recorded as the sale has them after the plan. */
const planRefunds = (sale: SalePlan, { refunds }: KnownFacts): SettledRefund[] => {
  if (sale.kind === 'none' || refunds.length === 0) return []
  const { externalId } = 'change' in sale ? sale.change : sale.recorded
  const sold = 'change' in sale ? sale.change.sale : sale.recorded.sale
  const saleId = sale.kind === 'create' ? null : sale.recorded.id
  return settleRefunds(refunds, { ...sold, externalId }).filter((settled) => {
    const recorded = refunds.find(({ id }) => id === settled.id)
    return (
      saleId === null ||
      recorded?.saleId !== saleId ||
      recorded.amountCents !== settled.amountCents ||
      recorded.currency !== settled.currency ||
      canonicalJson(recorded.steps) !== canonicalJson(settled.steps)
    )
  })
}

const planLedger = (received: Purchase, facts: KnownFacts, trigger: Trigger): PurchasePlan => {
  const { recorded } = facts
  const purchase = count(received, facts)
  const { sale, referredAt } = purchase
  if (facts.salesFrom === 'api') {
    const plan = planSaleOfMerchant(purchase, facts, trigger)
    // The setting of the report's time is in force until it is known when the payment was made.
    return recorded && !sale ? planWait(purchase, plan) : plan
  }
  if (recorded && trigger === 'return' && !hasUnmerged(facts))
    return planReturns(purchase, recorded, facts)
  if (!sale || !referredAt) {
    const plan = recorded ? planRecorded(purchase, facts, recorded, trigger) : NO_SALE
    return planWait(purchase, mergeDuplicates(plan, facts))
  }
  const paid = { ...purchase, sale, referredAt }
  // A recorded sale of which nothing was paid after all earns nothing.
  return sale.paid.netCents > 0 || recorded
    ? mergeDuplicates(planSale(paid, facts), facts)
    : planUnpaid(paid, facts)
}

/** The purchase with the amounts that count in the credited partner's program. */
const count = (purchase: Purchase, facts: KnownFacts): Purchase => {
  const { sale, referredAt, returns } = purchase
  if (!sale || !referredAt) return purchase
  const partner = findCredit({ ...purchase, sale, referredAt }, facts)?.partner
  return {
    ...purchase,
    sale: { ...sale, paid: countedOf(sale.paid, partner) },
    returns: { ...returns, noted: returns.noted.map((part) => countedPart(part, partner)) },
  }
}

/** A sale that earns as the merchant reports it. The processor reports its returns and customer. */
const planSaleOfMerchant = (
  purchase: Purchase,
  facts: KnownFacts,
  trigger: Trigger,
): PurchasePlan => {
  const { recorded } = facts
  const { sale, referredAt } = purchase
  if (recorded) {
    const isDecided = trigger !== 'return' && recorded.reportOccurredAt !== null
    const plan = isDecided
      ? planReport(purchase, facts, recorded)
      : planReturns(purchase, recorded, facts)
    return mergeDuplicates(plan, facts)
  }
  if (!sale || !referredAt) return NO_SALE
  const plan = planUnpaid({ ...purchase, sale, referredAt }, facts)
  return sale.paid.netCents > 0
    ? { ...plan, outcome: { code: 'sale_expected_from_api', facts: {} } }
    : plan
}

/** A sale that no processor's event reports. */
const planRecorded = (
  purchase: Purchase,
  facts: KnownFacts,
  recorded: RecordedSale,
  trigger: Trigger,
): PurchasePlan =>
  trigger === 'again' && recorded.reportOccurredAt
    ? planReport(purchase, facts, recorded)
    : planReturns(purchase, recorded, facts)

/** A waiting payment is recomputed after its wait, also if the merchant reported it meanwhile. */
const planWait = ({ waitsUntil }: Purchase, plan: PurchasePlan): PurchasePlan =>
  waitsUntil
    ? { ...plan, outcome: { code: 'waiting', facts: { until: waitsUntil.toISOString() } } }
    : plan

const NO_SALE: PurchasePlan = {
  sale: { kind: 'none' },
  customer: null,
  duplicates: [],
  refunds: [],
  outcome: { code: 'no_sale', facts: {} },
}
