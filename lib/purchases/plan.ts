/**
 * Settling a purchase: what has to change so that the ledger says what all facts about the purchase together come to.
 * Settled again, it changes nothing more; and the facts may have come in any order. Design, section 5.
 */
import type { AttributedBy, Facts, PartnerTerms } from '../tracking/attribution.ts'
import { type Decision, decide, type NewCommission, type Report } from '../tracking/decide.ts'
import type { Money } from '../tracking/rewards.ts'
import type { Step } from '../tracking/steps.ts'
import { type DuplicateChange, hasUnmerged, mergeDuplicates } from './duplicates.ts'
import type { StripeOutcome } from './outcomes.ts'
import { type Purchase, returnedOf, reversedOf } from './purchase.ts'
import {
  type Reversal,
  replacedStep,
  reverse,
  reversedSteps,
  type StandingCommission,
  takeBack,
} from './reversals.ts'

/** A sale that is recorded, with the commission that stands for it now. */
export type RecordedSale = {
  id: string
  externalId: string
  customerExternalId: string
  occurredAt: Date
  partnerId: string | null
  attributedBy: AttributedBy | null
  /** The click that was reported by the merchant, or that the checkout carried. */
  clickId: string | null
  sale: Money
  steps: Step[]
  commission: StandingCommission | null
  /** Counts the changes of the row, so that two at once can't both build on the same one. */
  revision: number
}

/** The merchant's customer, as far as we know it. */
type KnownCustomer = { id: string; externalId: string; stripeCustomerId: string | null }

/** What is known beside the purchase. The owner is the customer's partner at the time of the purchase. */
export type PurchaseFacts = Pick<Facts, 'click' | 'customerPartner'> & {
  coupon: NonNullable<Facts['stripe']>['coupon']
  recorded: RecordedSale | null
  /** Sales that are recorded of the same purchase under others of its ids, and later: see lib/purchases/duplicates.ts. */
  duplicates: RecordedSale[]
  customer: KnownCustomer | null
}

/** What becomes of the sale's row. */
export type SaleChange = {
  externalId: string
  customerExternalId: string
  sale: Money
  clickId: string | null
  credit: Decision['credit']
  occurredAt: Date
  /** Whether it holds only while nobody knows the customer. */
  needsUnknownCustomer: boolean
}

/** What becomes of the customer who bought. */
export type CustomerChange = {
  externalId: string
  stripeCustomerId: string | null
  email: string | null
  name: string | null
  partnerId: string
  /** Since when it is this partner's, when the purchase decides that. */
  referredAt: Date | null
}

export type Settlement = {
  sale: SaleChange | null
  /** How the sale is explained from now on, when that changes. */
  steps: Step[] | null
  customer: CustomerChange | null
  /** A commission to be made, and how much of it is taken back at once. */
  commission:
    | (NewCommission & { partner: PartnerTerms; reversedCents: bigint; replacesId: string | null })
    | null
  reversals: Reversal[]
  duplicates: DuplicateChange[]
  outcome: StripeOutcome
}

const NOTHING = { sale: null, steps: null, customer: null, commission: null, reversals: [], duplicates: [] }

/**
 * What has to change for a purchase.
 *
 * @param decides whether it became known just now who sold what, rather than what was returned: a refund must not
 *   credit an old sale to whoever has got its coupon since. That two sales are one purchase always decides.
 */
export const settle = (purchase: Purchase, facts: PurchaseFacts, decides: boolean): Settlement => {
  const { recorded } = facts
  const { sale, broughtAt } = purchase
  if (!sale || !broughtAt || (recorded && !decides && !hasUnmerged(facts))) {
    return recorded
      ? settleReturns(purchase, recorded)
      : { ...NOTHING, outcome: { code: 'no_sale', facts: {} } }
  }
  if (sale.paid.netCents === 0) {
    return recorded ? settleReturns(purchase, recorded) : settleUnpaid(purchase, facts, broughtAt)
  }
  return mergeDuplicates(settleSale(purchase, { ...sale, broughtAt }, facts), facts)
}

/** What Stripe says of the sale, as if the merchant had reported it. */
const reportOf = (purchase: Purchase, facts: PurchaseFacts, sale: Money): Report => {
  const { recorded, customer, click } = facts
  const externalId = recorded?.externalId ?? purchase.externalId ?? ''
  return {
    kind: 'sale',
    externalId,
    // The merchant's own id, once it has told one; a guest has no id but the address.
    customerExternalId:
      reportedCustomer(purchase, facts) ??
      customer?.externalId ??
      purchase.customer ??
      purchase.email ??
      externalId,
    customerEmail: purchase.email,
    customerName: purchase.name,
    clickId: click?.id ?? purchase.checkout?.clickId ?? null,
    eventName: 'sale',
    metadata: null,
    sale,
  }
}

/** The customer's id in what is recorded: the merchant's own, where one of the sales has it. */
const reportedCustomer = (
  { customer, email }: Purchase,
  { recorded, duplicates }: PurchaseFacts,
): string | undefined =>
  [recorded, ...duplicates].find(
    (sale) => sale && ![customer, email, sale.externalId].includes(sale.customerExternalId),
  )?.customerExternalId ?? recorded?.customerExternalId

/** Nothing was sold yet, as in a trial; but whoever brought the customer is to be credited with what it pays later. */
const settleUnpaid = (purchase: Purchase, facts: PurchaseFacts, broughtAt: Date): Settlement => {
  const report = reportOf(purchase, facts, { amountCents: 0n, currency: 'USD' })
  const { credit } = decideSale(report, facts, broughtAt, broughtAt)
  if (!purchase.checkout || !credit) return { ...NOTHING, outcome: { code: 'nothing_paid', facts: {} } }
  return {
    ...NOTHING,
    customer: changeCustomer(purchase, facts, report, credit, broughtAt),
    outcome: { code: 'customer_kept', facts: { slug: credit.partner.slug } },
  }
}

const decideSale = (
  report: Report,
  { click, customerPartner, coupon }: PurchaseFacts,
  paidAt: Date,
  broughtAt: Date,
): Decision => decide(report, { click, customerPartner, stripe: { coupon, broughtAt } }, paidAt)

/** How much a reason to credit somebody weighs. */
const WEIGHT = { coupon: 3, click: 2, customer: 1 }

type KnownSale = NonNullable<Purchase['sale']> & { broughtAt: Date }

const settleSale = (purchase: Purchase, sold: KnownSale, facts: PurchaseFacts): Settlement => {
  const { recorded } = facts
  const { paid, paidAt, broughtAt } = sold
  const sale = { amountCents: BigInt(paid.netCents), currency: paid.currency }
  const report = reportOf(purchase, facts, sale)
  const decision = decideSale(report, facts, paidAt, broughtAt)
  const { credit } = decision
  const gross = { amountCents: BigInt(paid.grossCents), currency: paid.currency }
  const returned = returnedOf(purchase, gross)

  if (recorded && !changesSale(facts, sale, decision)) {
    const settled = settleReturns(purchase, recorded)
    const isKnown = !hasUnmerged(facts) && knowsCustomer(purchase, facts.customer, report.customerExternalId)
    return credit && !isKnown
      ? { ...settled, customer: changeCustomer(purchase, facts, report, credit, broughtAt) }
      : settled
  }

  const { commission } = decision
  const standing = recorded?.commission ?? null
  const keeps =
    standing !== null &&
    commission !== null &&
    standing.partnerId === credit?.partner.id &&
    !differs(standing, commission)
  const made = keeps ? null : commission
  const reversals = keeps ? reverse(standing, reversedOf(standing.amountCents, returned)) : takeBack(standing)
  return {
    sale: {
      externalId: report.externalId,
      customerExternalId: report.customerExternalId,
      sale,
      clickId: decision.clickId,
      credit,
      occurredAt: paidAt,
      needsUnknownCustomer: credit === null && facts.customer === null,
    },
    steps: [
      ...decision.steps,
      ...(recorded?.steps.filter(({ code }) => code === 'commission_replaced') ?? []),
      ...(standing && !keeps ? [replacedStep(standing)] : []),
      ...reversedSteps(commission, returned),
    ],
    customer: credit && changeCustomer(purchase, facts, report, credit, broughtAt),
    commission:
      made && credit
        ? {
            ...made,
            partner: credit.partner,
            reversedCents: reversedOf(made.amountCents, returned),
            replacesId: standing?.id ?? null,
            // The place of a customer's only commission stays with the row that took it first.
            oneTime: made.oneTime && standing === null && !isRewarded(facts.duplicates),
          }
        : null,
    reversals,
    duplicates: [],
    outcome: credit
      ? { code: 'sale_credited', facts: { ...saleFacts(report.externalId, sale), slug: credit.partner.slug } }
      : { code: 'sale_not_credited', facts: saleFacts(report.externalId, sale) },
  }
}

/** Whether Stripe's customer and the merchant's are known to be one: a report that came first does not know Stripe's. */
const knowsCustomer = (
  purchase: Purchase,
  customer: KnownCustomer | null,
  customerExternalId: string,
): boolean =>
  customer !== null &&
  (purchase.customer === null || customer.stripeCustomerId !== null) &&
  customer.externalId === customerExternalId

/** Whether any of the sales has made a commission, taken back since or not. */
const isRewarded = (sales: RecordedSale[]): boolean => sales.some(({ commission }) => commission !== null)

/** Whether what is known now says something else of a sale than what was recorded. */
const changesSale = (
  { recorded, duplicates }: PurchaseFacts,
  sale: Money,
  { credit, commission, steps }: Decision,
): boolean => {
  if (!recorded) return true
  if (credit === null) return recorded.partnerId === null && differs(recorded.sale, sale)
  const { partner, by } = credit
  const { partnerId, attributedBy: before } = recorded
  // Where the sale earned nothing only because its duplicate did, it earns now what the duplicate loses.
  const inherits = commission !== null && recorded.commission === null && isRewarded(duplicates)
  if (partnerId === partner.id) return inherits || differs(recorded.sale, sale)
  if (before === null || WEIGHT[by] > WEIGHT[before]) return true
  // A coupon may have been given to another partner since: what it credited once, stays credited.
  if (by === 'click') return before === 'click'
  const isFirst = steps.some(({ code, facts }) => code === 'customer' && facts.because === 'first_partner')
  return by === 'customer' && (before === 'customer' || (before === 'click' && isFirst))
}

const differs = (a: Money, b: Money): boolean => a.amountCents !== b.amountCents || a.currency !== b.currency

const saleFacts = (externalId: string, { amountCents, currency }: Money) => ({
  externalId,
  amountCents: Number(amountCents),
  currency,
})

const changeCustomer = (
  purchase: Purchase,
  { customer, customerPartner }: PurchaseFacts,
  report: Report,
  { partner, by }: NonNullable<Decision['credit']>,
  broughtAt: Date,
): CustomerChange => ({
  externalId: report.customerExternalId,
  stripeCustomerId: purchase.customer,
  email: purchase.email,
  name: purchase.name,
  partnerId: partner.id,
  // Only a coupon or a click brings a customer; and where the program says so, the first partner keeps it.
  referredAt:
    customer === null || (by !== 'customer' && (partner.attribution === 'last' || customerPartner === null))
      ? broughtAt
      : null,
})

/** Brings what is taken back of a sale's commission into line with what was returned. */
const settleReturns = (purchase: Purchase, recorded: RecordedSale): Settlement => {
  const { paid } = purchase.sale ?? {}
  const gross = paid && { amountCents: BigInt(paid.grossCents), currency: paid.currency }
  const returned = returnedOf(purchase, gross?.amountCents ? gross : recorded.sale)
  const { externalId, steps } = recorded
  // A commission that was taken back since it is somebody else's, or nobody's, is not to be given again.
  const standing = steps.some(({ code }) => code === 'commission_created') ? recorded.commission : null
  const reversals = standing ? reverse(standing, reversedOf(standing.amountCents, returned)) : []
  const [change] = reversals
  if (!change || !standing) return { ...NOTHING, outcome: { code: 'nothing_changed', facts: { externalId } } }
  return {
    ...NOTHING,
    steps: [
      ...steps.filter(({ code }) => code !== 'commission_reversed'),
      ...reversedSteps(standing, returned),
    ],
    reversals,
    outcome: {
      code: 'commission_changed',
      facts: { ...saleFacts(externalId, change), slug: standing.slug },
    },
  }
}
