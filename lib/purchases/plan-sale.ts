/** Plans whom a sale is credited to, and what it earns. */
import type { AttributedBy, Credit } from '../tracking/attribution.ts'
import { type Decision, decide } from '../tracking/decide.ts'
import type { Report } from '../tracking/report.ts'
import type { Money } from '../tracking/rewards.ts'
import type { Step } from '../tracking/steps.ts'
import { hasUnmerged } from './duplicates.ts'
import type { CustomerChange, KnownCustomer, KnownFacts, PurchasePlan, RecordedSale } from './plan.ts'
import { planReturns, saleFacts } from './plan-returns.ts'
import { keepRejected } from './possible-duplicates.ts'
import type { Purchase } from './purchase.ts'
import { type Returned, returnedOf, reversedOf } from './returns.ts'
import { replacedStep, reverseAll, reversedSteps, reverseTo } from './reversals.ts'

/** A purchase of which it is known what was paid. */
export type PaidPurchase = Purchase & { sale: NonNullable<Purchase['sale']>; referredAt: Date }

/** Whom a purchase is credited to, whatever its amount. */
export const findCredit = (purchase: PaidPurchase, facts: KnownFacts): Credit | null => {
  const report = reportOf(purchase, facts, { amountCents: 0n, currency: 'USD' })
  return decideSale(report, facts, purchase, purchase.sale.paidAt).credit
}

/** Nothing was paid yet, as in a trial; but the referring partner is to be credited with later payments. */
export const planUnpaid = (purchase: PaidPurchase, facts: KnownFacts): PurchasePlan => {
  const { checkout, referredAt } = purchase
  const report = reportOf(purchase, facts, { amountCents: 0n, currency: 'USD' })
  const { credit } = decideSale(report, facts, purchase, referredAt)
  const isReferred = credit !== null && (checkout !== null || credit.by !== 'customer')
  return {
    sale: { kind: 'none' },
    customer: isReferred ? changeCustomer(purchase, facts, report, credit) : null,
    duplicates: [],
    outcome: isReferred
      ? { code: 'customer_kept', facts: { slug: credit.partner.slug } }
      : { code: 'nothing_paid', facts: {} },
  }
}

/** Records the sale, updates it, or keeps it, and reverses what was returned of it. */
export const planSale = (purchase: PaidPurchase, facts: KnownFacts): PurchasePlan => {
  const { recorded } = facts
  const { paid, paidAt } = purchase.sale
  const sale = { amountCents: BigInt(paid.netCents), currency: paid.currency }
  const report = reportOf(purchase, facts, sale)
  const decision = keepRejected(decideSale(report, facts, purchase, paidAt), recorded?.steps ?? [])
  const { credit } = decision
  const customer = credit && changeCustomer(purchase, facts, report, credit)

  if (recorded && !changesSale(recorded, sale, decision)) {
    const plan = planReturns(purchase, recorded)
    const isKnown = !hasUnmerged(facts) && knowsCustomer(purchase, facts.customer, report.customerExternalId)
    return isKnown ? plan : { ...plan, customer }
  }

  const returned = returnedOf(purchase.returns, {
    amountCents: BigInt(paid.grossCents),
    currency: paid.currency,
  })
  const change = {
    externalId: report.externalId,
    customerExternalId: report.customerExternalId,
    sale,
    clickId: decision.clickId,
    credit,
    occurredAt: paidAt,
    needsUnknownCustomer: credit === null && facts.customer === null,
  }
  return {
    sale: recorded
      ? {
          kind: 'update',
          recorded,
          change,
          ...planCommission(decision, recorded, returned),
        }
      : {
          kind: 'create',
          change,
          steps: [...decision.steps, ...reversedSteps(decision.commission, returned)],
          commission: newCommission(decision, returned),
          oneTimeProgramId: oneTimeProgramOf(decision),
        },
    customer,
    duplicates: [],
    outcome: credit
      ? { code: 'sale_credited', facts: { ...saleFacts(report.externalId, sale), slug: credit.partner.slug } }
      : { code: 'sale_not_credited', facts: saleFacts(report.externalId, sale) },
  }
}

const oneTimeProgramOf = ({ commission, credit }: Decision): string | null =>
  commission?.oneTime && credit ? credit.partner.programId : null

/** The commission of a new sale. */
const newCommission = ({ commission, credit }: Decision, returned: Returned) =>
  commission && credit
    ? {
        ...commission,
        partner: credit.partner,
        reversedCents: reversedOf(commission.amountCents, returned),
        replacesId: null,
      }
    : null

/** What becomes of a recorded sale's commission: it is kept, or reversed and replaced by another one or none. */
const planCommission = (
  decision: Decision,
  { commission: current, lastCommissionId, steps }: RecordedSale,
  returned: Returned,
) => {
  const { commission, credit } = decision
  const isKept =
    current !== null &&
    commission !== null &&
    current.partnerId === credit?.partner.id &&
    !differs(current, commission)
  const made = isKept ? null : newCommission(decision, returned)
  return {
    steps: [
      ...decision.steps,
      ...steps.filter(({ code }) => code === 'commission_replaced'),
      ...(current && !isKept ? [replacedStep(current)] : []),
      ...reversedSteps(commission, returned),
    ],
    commission: made && {
      ...made,
      replacesId: lastCommissionId,
    },
    keepsCommission: isKept,
    oneTimeProgramId: oneTimeProgramOf(decision),
    reversals: isKept ? reverseTo(current, reversedOf(current.amountCents, returned)) : reverseAll(current),
  }
}

/** The sale, as if the merchant had reported it. */
const reportOf = (purchase: Purchase, facts: KnownFacts, sale: Money): Report => {
  const { recorded, customer, click } = facts
  const externalId = recorded?.externalId ?? purchase.externalId ?? ''
  return {
    kind: 'sale',
    externalId,
    // The merchant's own id, if it is known. A guest has no id but the address.
    customerExternalId:
      reportedCustomer(purchase, facts) ??
      customer?.externalId ??
      purchase.customer ??
      purchase.email ??
      externalId,
    customerEmail: purchase.email,
    customerName: purchase.name,
    clickId: click?.id ?? purchase.clickId,
    eventName: 'sale',
    metadata: null,
    sale,
  }
}

/** The customer's id in the recorded sales: the merchant's own, if one of them has it. */
const reportedCustomer = (
  { customer, email }: Purchase,
  { recorded, duplicates }: KnownFacts,
): string | undefined =>
  [recorded, ...duplicates].find(
    (sale) => sale && ![customer, email, sale.externalId].includes(sale.customerExternalId),
  )?.customerExternalId ?? recorded?.customerExternalId

const decideSale = (
  report: Report,
  { click, customerPartner, coupon }: KnownFacts,
  { referredAt, sale: { isProration = false } }: PaidPurchase,
  paidAt: Date,
): Decision =>
  decide(report, { click, customerPartner, purchase: { coupon, referredAt, isProration } }, paidAt)

/** Whether the customer is known by both the merchant's id and the processor's. */
const knowsCustomer = (
  purchase: Purchase,
  customer: KnownCustomer | null,
  customerExternalId: string,
): boolean =>
  customer !== null &&
  (purchase.customer === null || customer.processorCustomerId !== null) &&
  customer.externalId === customerExternalId

/** Whether any of the sales has earned a commission, reversed or not. */
const _isRewarded = (sales: RecordedSale[]): boolean => sales.some(({ commission }) => commission !== null)

/** Which reason to credit a partner prevails. */
const WEIGHT: Record<AttributedBy, number> = { coupon: 3, click: 2, customer: 1 }

/**
 * Whether a sale earns another amount than was recorded, or one for the first time: its duplicate earned it before, or it
 * was reported after the terms were changed, and paid before.
 */
const earnsOtherwise = (recorded: RecordedSale, commission: Money | null): boolean =>
  commission !== null && (recorded.commission === null || differs(recorded.commission, commission))

/** Whether the partner was banned when the sale was paid, and credited because it was active when it was reported. */
const wasInactive = ({ commission }: RecordedSale, steps: Step[]): boolean =>
  steps.some(({ code, facts }) => code === 'partner_inactive' && facts.slug === commission?.slug)

/** Whether the recorded sale has to be updated after the new decision. */
const changesSale = (
  recorded: RecordedSale,
  sale: Money,
  { credit, commission, steps }: Decision,
): boolean => {
  if (credit === null) {
    return recorded.partnerId === null ? differs(recorded.sale, sale) : wasInactive(recorded, steps)
  }
  const { partner, by } = credit
  const { partnerId, attributedBy: before } = recorded
  if (partnerId === partner.id) return differs(recorded.sale, sale) || earnsOtherwise(recorded, commission)
  if (before === null || WEIGHT[by] > WEIGHT[before]) return true
  // A coupon may belong to another partner by now: the sale stays credited to the partner who had it then.
  if (by === 'click') return before === 'click'
  const isFirst = steps.some(({ code, facts }) => code === 'customer' && facts.because === 'first_partner')
  return by === 'customer' && (before === 'customer' || (before === 'click' && isFirst))
}

const differs = (a: Money, b: Money): boolean => a.amountCents !== b.amountCents || a.currency !== b.currency

const changeCustomer = (
  purchase: PaidPurchase,
  { customer, customerPartner }: KnownFacts,
  report: Report,
  { partner, by }: Credit,
): CustomerChange => ({
  externalId: report.customerExternalId,
  processorCustomerId: purchase.customer,
  email: purchase.email,
  name: purchase.name,
  partnerId: partner.id,
  // Only a coupon or a click refers a customer; under `attribution: "first"`, the first partner keeps it.
  referral:
    by !== 'customer' && (customer === null || partner.attribution === 'last' || customerPartner === null)
      ? {
          origin: purchase.checkout?.id ?? report.externalId,
          source: by,
          attribution: partner.attribution,
          at: purchase.referredAt,
        }
      : null,
})
