/** Plans the credit of a sale, and what it earns. */

import { canonicalJson } from '../../values/json.ts'
import type { Money } from '../../values/money.ts'
import type { Credit, DecidedRules, DecidedTier, Facts } from '../attribution/attribution.ts'
import type { ErasedSelfReferral } from '../attribution/self-referrals.ts'
import { type Decision, decide } from '../decisions/decide.ts'
import { isErased } from '../identities/identities.ts'
import { type Returned, returnedPartOf } from '../refunds/returns.ts'
import {
  replacedStep,
  reverseAll,
  reversedSteps,
  reverseTo,
  toReverse,
} from '../refunds/reversals.ts'
import { asFirstPayment, type StoredLine } from '../rewards/sale-lines.ts'
import type { Report } from '../steps/report.ts'
import { decidingRules, type Step, tierIn } from '../steps/steps.ts'
import { changesSale, differs, isRejected } from './changes-sale.ts'
import { mergedFrom } from './duplicates.ts'
import { holdOwnPurchase } from './own-purchase.ts'
import type { KnownFacts, OneTimeReward, PurchasePlan, RecordedSale, SaleChange } from './plan.ts'
import { changeCustomer } from './plan-customer.ts'
import { keepRejected } from './plan-holds.ts'
import { allReturned, planReturns, saleFacts } from './plan-returns.ts'
import type { Purchase } from './purchase.ts'

/** A purchase of which it is known what was paid. */
export type PaidPurchase = Purchase & { sale: NonNullable<Purchase['sale']>; referredAt: Date }

/** Decides who is credited with a purchase, whatever its amount. */
export const findCredit = (purchase: PaidPurchase, facts: KnownFacts): Credit | null => {
  const report = reportOf(purchase, facts, { amountCents: 0n, currency: 'USD' })
  return decideSale(report, facts, purchase, purchase.sale.paidAt).credit
}

/** Plans a purchase that cost nothing yet, as a trial: its referral may credit later payments. */
export const planUnpaid = (purchase: PaidPurchase, facts: KnownFacts): PurchasePlan => {
  const { checkout, referredAt } = purchase
  const report = reportOf(purchase, facts, { amountCents: 0n, currency: 'USD' })
  const { credit } = decideSale(report, facts, purchase, referredAt)
  const isReferred = credit !== null && (checkout !== null || credit.attributedBy !== 'customer')
  return {
    sale: { kind: 'none' },
    customer: changeCustomer(purchase, facts, null),
    duplicates: [],
    refunds: [],
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
  const returned = allReturned(purchase, facts, sale, {
    amountCents: BigInt(paid.grossCents),
    currency: paid.currency,
  })
  const change = {
    externalId: report.externalId,
    customerExternalId: report.customerExternalId,
    addressedId: facts.addressedId,
    sale,
    ...boughtOf(purchase, facts),
    coupons: purchase.coupons,
    clickId: decision.clickId,
    credit: decision.credit,
    occurredAt: paidAt,
    subscriptionId: purchase.subscription,
  }
  return planChange(purchase, facts, change, decision, returned)
}

/**
 * Recomputes a sale that only the merchant reported. What was received since may have referred the
 * customer, or used up its reward.
 */
export const planReport = (
  purchase: Purchase,
  facts: KnownFacts,
  recorded: RecordedSale,
): PurchasePlan => {
  const { sale, reportOccurredAt, customerExternalId } = recorded
  const occurredAt = reportOccurredAt ?? recorded.occurredAt
  const report = { ...reportOf(purchase, facts, sale), customerExternalId }
  const known = { ...decisionFacts(purchase, facts, report), salesFrom: facts.salesFrom }
  const decided = holdOwnPurchase(decide(report, known, occurredAt), purchase.name, facts)
  const decision = keepRejected(decided, recorded.steps)
  const change = {
    externalId: recorded.externalId,
    customerExternalId,
    addressedId: facts.addressedId,
    sale,
    ...boughtOf(purchase, facts),
    coupons: recorded.coupons,
    clickId: decision.clickId,
    credit: decision.credit,
    occurredAt,
    subscriptionId: recorded.subscriptionId,
  }
  const gross = purchase.sale?.paid.grossCents
  const paid = gross ? { ...sale, amountCents: BigInt(gross) } : sale
  return planChange(purchase, facts, change, decision, allReturned(purchase, facts, sale, paid))
}

const planChange = (
  purchase: Purchase,
  facts: KnownFacts,
  change: SaleChange,
  decision: Decision,
  returned: Returned,
): PurchasePlan => {
  const { recorded, customer } = facts
  const { credit, sale, externalId } = change
  if (recorded && !changesSale(recorded, change, decision, customer?.id ?? null)) {
    const plan = planReturns(purchase, recorded, facts)
    return { ...plan, customer: changeCustomer(purchase, facts, mergedFrom(facts)) }
  }
  const from = [recorded?.occurredAt, mergedFrom(facts)].reduce<Date>(
    (first, at) => (at && at < first ? at : first),
    change.occurredAt,
  )
  const returnedCents = returnedPartOf(sale.amountCents, returned)
  return {
    sale: recorded
      ? {
          kind: 'update',
          recorded,
          change,
          returnedCents,
          ...planCommission(decision, recorded, returned),
        }
      : {
          kind: 'create',
          change,
          returnedCents,
          steps: [
            ...decision.steps,
            ...reversedSteps(decision.commission, decision.steps, returned),
          ],
          commission: newCommission(decision, returned, decision.steps),
          oneTime: oneTimeOf(decision),
          monthCap: decision.commission?.monthCap ?? null,
        },
    customer: changeCustomer(purchase, facts, from),
    duplicates: [],
    refunds: [],
    outcome: credit
      ? {
          code: 'sale_credited',
          facts: { ...saleFacts(externalId, sale), slug: credit.partner.slug },
        }
      : { code: 'sale_not_credited', facts: saleFacts(externalId, sale) },
  }
}

const oneTimeOf = ({ commission, credit }: Decision): OneTimeReward | null => {
  const products = commission?.oneTime ? [''] : (commission?.products ?? [])
  return products.length > 0 && credit ? { programId: credit.partner.programId, products } : null
}

/** The commission of a new sale. */
const newCommission = ({ commission, credit }: Decision, returned: Returned, steps: Step[]) =>
  commission && credit
    ? {
        ...commission,
        partner: credit.partner,
        reversedCents: toReverse({ ...commission, partnerId: credit.partner.id }, returned, steps),
        replacesId: null,
      }
    : null

/** Keeps a recorded sale's commission, or reverses it and replaces it by another one or none. */
const planCommission = (decision: Decision, recorded: RecordedSale, returned: Returned) => {
  const { lastCommissionId, steps } = recorded
  const { commission, credit } = decision
  // A rejected commission is reversed already.
  const current = isRejected(recorded) ? null : recorded.commission
  const isKept =
    current !== null &&
    commission !== null &&
    current.partnerId === credit?.partner.id &&
    !differs(current, commission)
  const decided = [
    ...decision.steps,
    ...steps.filter(({ code }) => code === 'commission_replaced' || code === 'reversed_by_hand'),
  ]
  const made = isKept ? null : newCommission(decision, returned, decided)
  return {
    steps: [
      ...decided,
      ...(current && !isKept ? [replacedStep(current)] : []),
      ...reversedSteps(commission, decided, returned),
    ],
    commission: made && {
      ...made,
      replacesId: lastCommissionId,
    },
    keepsCommission: isKept || isRejected(recorded),
    oneTime: oneTimeOf(decision),
    monthCap: commission?.monthCap ?? null,
    reversals: isKept
      ? reverseTo(current, toReverse(current, returned, decided))
      : reverseAll(current),
  }
}

/**
 * What was bought, and the customer's country. The processor's lines count if it names products, else
 * the merchant's; where only the merchant's sales earn, the merchant's do.
 */
const boughtOf = (
  purchase: Purchase,
  { recorded, duplicates, salesFrom }: KnownFacts,
): Pick<SaleChange, 'lines' | 'country'> => {
  const reported = [recorded, ...duplicates].filter((sale) => sale !== null)
  const known = salesFrom === 'api' ? [...reported, purchase] : [purchase, ...reported]
  const lines = known.find((one) => one.lines)?.lines ?? null
  return {
    lines: lines && withMetadata(lines, recorded?.lines ?? null),
    country: known.find(({ country }) => country)?.country ?? null,
  }
}

/**
 * The lines with the metadata that is stored with the sale, if they are the same otherwise: the
 * facts of a payment lose it in time, and what the sale earns must not change by that.
 */
const withMetadata = (lines: StoredLine[], stored: StoredLine[] | null): StoredLine[] => {
  if (!stored || lines.some(({ metadata }) => metadata)) return lines
  return canonicalJson(stored.map(withoutMetadata)) === canonicalJson(lines) ? stored : lines
}

const withoutMetadata = ({ metadata: _, ...line }: StoredLine): Omit<StoredLine, 'metadata'> => line

/** The sale, as if the merchant had reported it. */
const reportOf = (purchase: Purchase, facts: KnownFacts, sale: Money): Report => {
  const { recorded, duplicates, customer, click } = facts
  const externalId = recorded?.externalId ?? purchase.externalId ?? ''
  const reported = [recorded, ...duplicates].find((other) => other?.reportOccurredAt)
  const { lines, country } = boughtOf(purchase, facts)
  return {
    kind: 'sale',
    externalId,
    // The merchant's own id, if it is known. A guest has no id but the address.
    customerExternalId:
      reported?.customerExternalId ??
      purchase.customerExternalIds[0] ??
      customer?.externalId ??
      purchase.customer ??
      purchase.email ??
      externalId,
    customerEmail: purchase.email,
    customerName: purchase.name,
    clickId: click?.id ?? purchase.clickIds[0] ?? null,
    eventName: 'sale',
    metadata: reported?.metadata ?? null,
    sale,
    ...(reported?.coupon && { code: { by: 'coupon', value: reported.coupon } }),
    lines: facts.isRewardedBefore ? (lines ?? undefined) : lines?.map(asFirstPayment),
    country: country ?? undefined,
  }
}

const decideSale = (
  report: Report,
  facts: KnownFacts,
  paid: PaidPurchase,
  paidAt: Date,
): Decision => {
  const { coupon, renewal, referredAt, recorded } = facts
  const isProration = (paid.sale.isProration ?? false) && facts.isRewardedBefore
  // A correction keeps the payable date of the commission that it replaces.
  const earnedAt = [recorded?.occurredAt, recorded?.reportOccurredAt].reduce<Date>(
    (first, at) => (at && at < first ? at : first),
    paidAt,
  )
  const { coupons } = paid
  const purchase = { coupon, coupons, referredAt, earnedAt, renewal, isProration }
  const decision = decide(report, { ...decisionFacts(paid, facts, report), purchase }, paidAt)
  return holdOwnPurchase(decision, paid.name, facts)
}

/** What is known of a sale, whoever reports it. */
const decisionFacts = (purchase: Purchase, facts: KnownFacts, { lines }: Report): Facts => {
  const { click, code, customerPartner, referredLaterAt, byAddress, byHand } = facts
  const { recorded, customer, history, earned, decidedBudget } = facts
  return {
    ...{ click, code, customerPartner, referredLaterAt, byAddress, byHand },
    ...{ history, earned, decidedBudget },
    customerEmails: customer?.emails,
    erasedSelfReferral: erasedSelfReferral(purchase, facts),
    decidedRules: decidedRules(recorded, lines),
    decidedTier: decidedTier(recorded),
  }
}

/**
 * What has decided the lines of a recorded sale, if what the rules asked for is erased. Lines of
 * other products, as the processor may name them later, are decided anew.
 */
const decidedRules = (
  recorded: RecordedSale | null,
  lines: StoredLine[] | undefined,
): DecidedRules | null => {
  if (!recorded?.partnerId || !recorded.isErased) return null
  if (productsOf(recorded.lines) !== productsOf(lines)) return null
  const { partnerId, steps } = recorded
  return { partnerId, rules: decidingRules(steps) }
}

/** A recorded sale keeps its tier, whatever was sold and refunded since. */
const decidedTier = (recorded: RecordedSale | null): DecidedTier | null => {
  const tier = recorded && tierIn(recorded.steps)
  return tier && recorded.partnerId ? { partnerId: recorded.partnerId, tier } : null
}

const productsOf = (lines: StoredLine[] | null | undefined): string =>
  canonicalJson((lines ?? []).map(({ productId, priceId = null }) => [productId, priceId]))

/** The partner of a sale recorded as a self-referral, if the address is erased. */
const erasedSelfReferral = (
  { email }: Purchase,
  { recorded, customer }: KnownFacts,
): ErasedSelfReferral | null => {
  const known = [email, recorded?.customerExternalId ?? null, ...(customer?.emails ?? [])]
  const own = recorded?.steps.find((step) => step.code === 'self_referral')
  if (!recorded?.partnerId || !own || !known.some(isErased)) return null
  const { by = 'mailbox' } = own.facts
  // What a name or a card says is kept by `holdOwnPurchase`.
  return by === 'mailbox' || by === 'tag' ? { partnerId: recorded.partnerId, by } : null
}
