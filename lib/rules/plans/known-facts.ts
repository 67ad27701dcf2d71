/** What a purchase is planned from: its customer, and the partner to credit as its owner. */

import type { DecidedBudget, PartnerTerms } from '../attribution/attribution.ts'
import { renewalOf } from '../attribution/renewals.ts'
import { historyOf, withImport } from '../decisions/payment-history.ts'
import { type Identity, identityOf } from '../identities/identities.ts'
import {
  endOfSecond,
  ownerInTime,
  type Referral,
  startAt,
  withoutTooLate,
} from '../identities/owner.ts'
import { type CapFacts, type DecidedMonth, monthOf } from '../rewards/caps.ts'
import { earnsPerProduct } from '../steps/intervals.ts'
import { handCreditOf, overBudgetOf } from '../steps/steps.ts'
import { type Candidate, findBuyer, identitiesOf, isSame } from './buyer.ts'
import { isRejected } from './changes-sale.ts'
import { readReference } from './checkout-reference.ts'
import type { Loaded } from './loaded-facts.ts'
import { codeOf, couponOf, creditedBy, ownReferral, trialCouponOf } from './own-credit.ts'
import type { KnownFacts, OwnReferral, RecordedSale, Tie } from './plan.ts'
import { withoutSettled } from './plan-holds.ts'
import type { Purchase, Trigger } from './purchase.ts'

type Find = (partnerId: string) => PartnerTerms | undefined

/** A customer as known in time for a payment: without leads and addresses that came too late. */
const knownInTime = (
  candidate: Candidate,
  origins: string[],
  paidAt: Date,
  find: Find,
): Candidate => {
  const isOwn = ({ origin }: Referral) => origins.includes(origin)
  const others = candidate.referrals.filter((referral) => !isOwn(referral))
  const referrals = [...candidate.referrals.filter(isOwn), ...withoutTooLate(others, paidAt, find)]
  const { ownerId } = ownerInTime(referrals, paidAt, find, candidate.byAddress?.namedAt)
  return { ...candidate, referrals, hasAddress: candidate.hasAddress && ownerId !== null }
}

/** The terms with the start of the reward period of this customer. */
const withStart = (
  partner: PartnerTerms,
  customer: Candidate | null,
  paidAt: Date,
): PartnerTerms => {
  const isOfProgram = ({ programId }: { programId: string }) => programId === partner.programId
  const isPerProduct = earnsPerProduct(partner)
  const rewarded = isPerProduct ? [] : (customer?.rewarded ?? []).filter(isOfProgram)
  const products = isPerProduct ? (customer?.rewardedProducts ?? []).filter(isOfProgram) : []
  const times = [
    ...rewarded.map((r) => r.rewardedAt),
    ...[customer && startAt(customer.referrals, partner.programId, paidAt)].filter(
      (start) => start !== null,
    ),
  ]
  return {
    ...partner,
    firstRewardedAt: times.length ? new Date(Math.min(...times.map(Number))) : null,
    rewardedProducts: [...new Set(products.map(({ product }) => product))],
  }
}

/** What was decided of the budget when a recorded sale first earned; null if it earns nothing. */
const decidedBudget = (
  recorded: RecordedSale,
  partner: PartnerTerms | undefined,
): DecidedBudget | null => {
  if (!partner || !(recorded.commission || isRejected(recorded))) return null
  return { programId: partner.programId, step: overBudgetOf(recorded.steps) }
}

/** @param keys the purchase's ids */
export const knownFacts = (
  purchase: Purchase,
  loaded: Loaded,
  keys: string[],
  trigger: Trigger,
): KnownFacts => {
  const { sale, subscription, trial } = purchase
  const [recorded = null, ...duplicates] = withoutSettled(loaded.sales)
  const origins = [
    ...new Set([...keys, ...loaded.sales.flatMap(({ id, externalId }) => [id, externalId])]),
  ]
  const isMerchants = loaded.salesFrom === 'api'
  // Where sales earn as they are reported, whether they were paid does not matter.
  const earns = sale !== null || (isMerchants && Boolean(recorded?.reportOccurredAt))
  // A sale that earns as it was reported took place then.
  const paidAt =
    (isMerchants ? null : sale?.paidAt) ??
    recorded?.reportOccurredAt ??
    recorded?.occurredAt ??
    sale?.paidAt ??
    purchase.referredAt ??
    new Date(0)
  const at = sale ? endOfSecond(paidAt) : paidAt
  const own = {
    coupon: couponOf(loaded, purchase.coupons, origins, trigger),
    click: loaded.click,
    code: codeOf(loaded),
    referredAt: purchase.referredAt ?? paidAt,
  }
  const begun =
    trial && subscription && !isMerchants && !loaded.firstSale
      ? {
          coupon: trialCouponOf(loaded, trial, trigger),
          click: loaded.trialClick,
          code: null,
          referredAt: trial.createdAt,
        }
      : null
  const claimedAt = sale?.paidAt ?? paidAt
  const isBegun = begun !== null && creditedBy(begun, claimedAt) !== null
  const credit = isBegun ? begun : own
  // The first that was seen of a subscription may be a renewal: its customer was imported, or its
  // trial named nobody.
  const isRenewal = sale !== null && (loaded.firstSale !== null || (purchase.isRenewal && !isBegun))

  const reported = loaded.sales
    .filter(({ reportOccurredAt }) => reportOccurredAt)
    .map((s) => s.customerExternalId)
  const find = (id: string) => loaded.terms.get(id)
  const { reference } = purchase
  const said = identitiesOf(purchase, reported)
  const named = reference === null ? null : identityOf(reference)
  const { wanted, first, possibleMerge } = readReference(
    said,
    named,
    loaded.candidates,
    loaded.elsewhere,
    origins,
  )
  const { customer, tie, isGuest, addressedId } = findBuyer(
    wanted,
    loaded.candidates.map((candidate) => knownInTime(candidate, origins, at, find)),
    {
      paidAt: at,
      isPaid: sale !== null && sale.paid.netCents > 0,
      hasCredit: !isRenewal && creditedBy(credit, claimedAt) !== null,
      origins,
    },
  )

  const others = customer?.referrals.filter(({ origin }) => !origins.includes(origin)) ?? []
  const byAddress = addressedId === null ? null : (customer?.byAddress ?? null)
  const ownerOf = (referrals: Referral[]) =>
    isGuest ? NOBODY : ownerInTime(referrals, at, find, byAddress?.namedAt)
  const renewal =
    isRenewal && !isMerchants
      ? renewalOf(loaded.firstSale, ownerOf(others).ownerId ? others : [], find, at)
      : null
  const movesCustomer = addressedId === null && !isRenewal
  const mine =
    sale &&
    ownReferral(purchase, { ...credit, renewal, movesCustomer }, purchase.referredAt ?? sale.paidAt)
  const referrals = sale
    ? [...others, ...(mine ? [asReferral(mine)] : [])]
    : (customer?.referrals ?? [])
  const { ownerId, referredLaterAt } = ownerOf(referrals)
  const owner =
    loaded.terms.get(ownerId ?? '') ??
    [credit.coupon?.partner, credit.click?.partner, credit.code?.partner].find(
      (partner) => partner?.id === ownerId,
    )
  const start = (partner: PartnerTerms) => withStart(partner, customer, at)
  const hand = loaded.handCredit ?? handCreditOf(loaded.sales.flatMap(({ steps }) => steps))
  const credited = loaded.terms.get(hand?.facts.partnerId ?? '')
  return {
    salesFrom: loaded.salesFrom,
    recorded,
    duplicates,
    refunds: loaded.refunds,
    customer,
    tie: earns ? tieOf(first ?? tie, wanted.length > said.length ? loaded.candidates : null) : null,
    possibleMerge: sale && possibleMerge,
    addressedId,
    origins,
    movesCustomer,
    card: loaded.card,
    referredAt: credit.referredAt,
    coupon: credit.coupon && { ...credit.coupon, partner: start(credit.coupon.partner) },
    click: credit.click && { ...credit.click, partner: start(credit.click.partner) },
    code: credit.code && {
      ...credit.code,
      partner: credit.code.partner && start(credit.code.partner),
    },
    customerPartner: owner ? start(owner) : null,
    referredLaterAt,
    byAddress,
    decidedBudget: recorded && decidedBudget(recorded, loaded.terms.get(recorded.partnerId ?? '')),
    byHand: hand && { step: hand, partner: credited ? start(credited) : null },
    isRewardedBefore: (customer?.rewarded ?? []).some(
      ({ subscriptionId }) => subscription === null || subscriptionId === subscription,
    ),
    renewal: renewal && { ...renewal, partner: renewal.partner && start(renewal.partner) },
    history: customer?.payments
      ? withImport(
          historyOf(customer.payments, subscription ?? recorded?.subscriptionId ?? null),
          customer.referrals,
          at,
        )
      : undefined,
    earned: earnedBefore(loaded, customer, recorded),
  }
}

/** What counts towards the caps of a reward, if one asks for it. */
const earnedBefore = (
  { ofMonth }: Loaded,
  customer: Candidate | null,
  recorded: RecordedSale | null,
): CapFacts | undefined => {
  const ofCustomer = customer?.earned ?? null
  if (!ofCustomer && !ofMonth) return undefined
  return {
    ofCustomer: ofCustomer ?? [],
    month: '',
    inMonth: [],
    ...ofMonth,
    decided: recorded && ofMonth ? decidedMonth(recorded, ofMonth.month) : null,
  }
}

/**
 * What a recorded sale has of its month: whoever has earned since, it keeps that. What a reward
 * without such a cap has paid was not of the cap.
 */
const decidedMonth = (
  { partnerId, occurredAt, commission, steps }: RecordedSale,
  month: string,
): DecidedMonth | null => {
  if (!partnerId || monthOf(occurredAt) !== month) return null
  const cap = steps.find((step) => step.code === 'cap_applied')?.facts
  return {
    partnerId,
    earned: commission?.partnerId === partnerId && commission.isMonthCapped ? commission : null,
    left:
      cap?.per === 'partner_month'
        ? { amountCents: BigInt(cap.leftCents), currency: cap.currency }
        : null,
  }
}

/** @param candidates if they have to be as they are read */
const tieOf = (identities: Identity[] | null, candidates: Candidate[] | null): Tie | null => {
  if (!identities) return null
  const owners = candidates?.filter((one) =>
    one.identities.some((own) => identities.some((id) => isSame(own, id))),
  )
  return { identities, expected: owners?.map(({ id, revision }) => ({ id, revision })) ?? null }
}

/** A guest's address proves nothing: only a coupon or click of its own credits a partner. */
const NOBODY = { ownerId: null, referredLaterAt: null }

const asReferral = (own: OwnReferral): Referral => ({
  ...own,
  programId: '',
  clickedAt: null,
  startedAt: null,
})
