/**
 * What a purchase is planned from, out of what was loaded: its customer, and who is to be credited
 * as that customer's.
 */

import {
  type Click,
  type CodeCredit,
  type CouponAlias,
  isLaterClick,
  type PartnerTerms,
} from '../attribution/attribution.ts'
import { type FirstSale, renewalOf } from '../attribution/renewals.ts'
import { type Identity, identityOf } from '../identities/identities.ts'
import {
  endOfSecond,
  ownerInTime,
  type Referral,
  startAt,
  withoutTooLate,
} from '../identities/owner.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import { codeStepOf, type HandCreditStep, handCreditOf } from '../steps/steps.ts'
import { type Candidate, findBuyer, identitiesOf, isSame } from './buyer.ts'
import { type Elsewhere, readReference } from './checkout-reference.ts'
import type {
  KnownFacts,
  OwnReferral,
  RecordedRefund,
  RecordedSale,
  SharedCard,
  Tie,
} from './plan.ts'
import { withoutSettled } from './possible-duplicates.ts'
import type { Purchase, Trigger } from './purchase.ts'

/** What the database has of a purchase. */
export type Loaded = {
  salesFrom: SalesFrom
  /** Oldest first. */
  sales: RecordedSale[]
  refunds: RecordedRefund[]
  candidates: Candidate[]
  elsewhere: Elsewhere
  card: SharedCard
  /** The purchase's own coupon and click, and those of the trial before it. */
  coupon: CouponAlias | null
  click: Click | null
  trialCoupon: CouponAlias | null
  trialClick: Click | null
  /** The earliest other sale of the subscription, if it is earlier. */
  firstSale: FirstSale | null
  /** The decision of a manager that is being applied. */
  handCredit: HandCreditStep | null
  /** By the ids of all partners who may be credited. */
  terms: ReadonlyMap<string, PartnerTerms>
}

type OwnCredit = Pick<KnownFacts, 'coupon' | 'click' | 'code' | 'referredAt'>
type Claim = OwnCredit & Pick<KnownFacts, 'movesCustomer' | 'renewal'>

/**
 * The coupon that credits the sale, or refers its customer: the first of several that belongs to a
 * partner, also if only the others were known before. It stays that of the partner who had it when
 * the sale was first credited.
 */
const couponOf = (
  { coupon, ...loaded }: Loaded,
  couponIds: string[],
  origins: string[],
  trigger: Trigger,
): CouponAlias | null => {
  const [couponId] = couponIds
  // A trial's coupon credits it no longer if the subscription's first payment turns out to be
  // another.
  if (couponId === undefined) return null
  const credited = creditedCoupon(loaded, couponIds)
  const place = (alias: CouponAlias) => couponIds.indexOf(alias.couponId)
  if (credited)
    return trigger !== 'again' && coupon && place(coupon) < place(credited) ? coupon : credited
  if (trigger !== 'again') return coupon
  const referrer = referrerBy(loaded, origins)
  return referrer ? { couponId: coupon?.couponId ?? couponId, partner: referrer } : null
}

/**
 * The one of these coupons that the sale is recorded as credited by, with the partner who had it
 * then.
 */
const creditedCoupon = (
  { sales, terms }: Pick<Loaded, 'sales' | 'terms'>,
  couponIds: string[],
): CouponAlias | null => {
  const credited = sales.find(({ attributedBy }) => attributedBy === 'coupon')
  const partner = terms.get(credited?.partnerId ?? '')
  const step = credited?.steps.find(({ code }) => code === 'coupon')
  return partner && step?.code === 'coupon' && couponIds.includes(step.facts.couponId)
    ? { couponId: step.facts.couponId, partner }
    : null
}

/** The partner who referred the customer by a coupon of one of these origins. */
const referrerBy = (
  { candidates, terms }: Pick<Loaded, 'candidates' | 'terms'>,
  origins: string[],
) => {
  const referral = candidates
    .flatMap(({ referrals }) => referrals)
    .find(({ source, origin }) => source === 'coupon' && origins.includes(origin))
  return terms.get(referral?.partnerId ?? '')
}

/** The coupon of a trial. It stays that of the partner who had it when the trial was received. */
const trialCouponOf = (
  { trialCoupon, ...loaded }: Loaded,
  { ids, coupons }: NonNullable<Purchase['trial']>,
  trigger: Trigger,
): CouponAlias | null => {
  const [couponId = ''] = coupons
  const credited = creditedCoupon(loaded, coupons)
  if (credited) return credited
  const referrer = referrerBy(loaded, ids)
  if (referrer) return { couponId: trialCoupon?.couponId ?? couponId, partner: referrer }
  return trigger === 'again' ? null : trialCoupon
}

/** What became of the slug or coupon by which the merchant's report of the sale names a partner. */
const codeOf = ({ sales, terms }: Loaded): CodeCredit | null => {
  const step = codeStepOf(sales.flatMap(({ steps }) => steps))
  if (!step) return null
  return {
    step,
    partner: step.code === 'partner_code' ? (terms.get(step.facts.partnerId) ?? null) : null,
  }
}

/** The active partner whom a purchase's own coupon names, else its click, else the report of it. */
const creditedBy = (
  { coupon, click, code, referredAt }: OwnCredit,
  paidAt: Date,
): { source: 'coupon' | 'click' | 'code'; partner: PartnerTerms } | null => {
  if (coupon?.partner.status === 'approved') return { source: 'coupon', partner: coupon.partner }
  if (
    click?.partner.status === 'approved' &&
    referredAt < click.expiresAt &&
    !isLaterClick(click, paidAt)
  ) {
    return { source: 'click', partner: click.partner }
  }
  return code?.partner?.status === 'approved' ? { source: 'code', partner: code.partner } : null
}

/**
 * The referral that a purchase's own coupon, click or code makes. Those of a subscription's later
 * sale make none.
 */
export const ownReferral = (
  purchase: Pick<Purchase, 'externalId' | 'checkout' | 'sale'>,
  { movesCustomer, renewal, ...own }: Claim,
  at: Date,
): OwnReferral | null => {
  const credit = creditedBy(own, purchase.sale?.paidAt ?? at)
  if (!credit || (renewal && renewal.because !== 'owner')) return null
  const { partner, source } = credit
  // What cost nothing moves nobody.
  const isFree = purchase.sale?.paid.grossCents === 0
  return {
    origin: purchase.checkout?.id ?? purchase.externalId ?? '',
    partnerId: partner.id,
    source,
    attribution: isFree || !movesCustomer ? 'first' : partner.attribution,
    referredAt: at,
  }
}

type Find = (partnerId: string) => PartnerTerms | undefined

/**
 * A customer, as it was known in time for a payment: without the leads, and the addresses, that
 * were named too late.
 */
const knownInTime = (candidate: Candidate, origins: string[], at: Date, find: Find): Candidate => {
  const isOwn = ({ origin }: Referral) => origins.includes(origin)
  const others = candidate.referrals.filter((referral) => !isOwn(referral))
  const referrals = [...candidate.referrals.filter(isOwn), ...withoutTooLate(others, at, find)]
  const { ownerId } = ownerInTime(referrals, at, find, candidate.byAddress?.at)
  return { ...candidate, referrals, hasAddress: candidate.hasAddress && ownerId !== null }
}

/** The terms with the start of the reward period of this customer. */
const withStart = (partner: PartnerTerms, customer: Candidate | null, at: Date): PartnerTerms => {
  const times = [
    ...(customer?.rewarded ?? [])
      .filter(({ programId }) => programId === partner.programId)
      .map((r) => r.at),
    ...[customer && startAt(customer.referrals, partner.programId, at)].filter(
      (start) => start !== null,
    ),
  ]
  return {
    ...partner,
    firstRewardedAt: times.length ? new Date(Math.min(...times.map(Number))) : null,
  }
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
      at,
      isPaid: sale !== null && sale.paid.netCents > 0,
      hasCredit: !isRenewal && creditedBy(credit, claimedAt) !== null,
      origins,
    },
  )

  const others = customer?.referrals.filter(({ origin }) => !origins.includes(origin)) ?? []
  const byAddress = addressedId === null ? null : (customer?.byAddress ?? null)
  const ownerOf = (referrals: Referral[]) =>
    isGuest ? NOBODY : ownerInTime(referrals, at, find, byAddress?.at)
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
    byHand: hand && { step: hand, partner: credited ? start(credited) : null },
    isRewardedBefore: (customer?.rewarded ?? []).some(
      ({ subscriptionId }) => subscription === null || subscriptionId === subscription,
    ),
    renewal: renewal && { ...renewal, partner: renewal.partner && start(renewal.partner) },
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

/**
 * A guest's address is no proof of who it is: its own coupon or click credits it, or nothing does.
 */
const NOBODY = { ownerId: null, referredLaterAt: null }

const asReferral = (own: OwnReferral): Referral => ({
  ...own,
  programId: '',
  clickedAt: null,
  startedAt: null,
})
