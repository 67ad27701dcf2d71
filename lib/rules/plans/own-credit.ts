/** Whom a purchase credits by itself: by its coupon, its click, or the merchant's report of it. */
import {
  type CodeCredit,
  type CouponAlias,
  isLaterClick,
  type PartnerTerms,
} from '../attribution/attribution.ts'
import { codeStepOf } from '../steps/steps.ts'
import type { Loaded } from './loaded-facts.ts'
import type { KnownFacts, OwnReferral } from './plan.ts'
import type { Purchase, Trigger } from './purchase.ts'

type OwnCredit = Pick<KnownFacts, 'coupon' | 'click' | 'code' | 'referredAt'>
type Claim = OwnCredit & Pick<KnownFacts, 'movesCustomer' | 'renewal'>

/**
 * The coupon that credits the sale, or refers its customer: the first of several that belongs to a
 * partner, also if only the others were known before. It stays that of the partner who had it when
 * the sale was first credited.
 */
export const couponOf = (
  { coupon, ...loaded }: Loaded,
  couponIds: string[],
  origins: string[],
  trigger: Trigger,
): CouponAlias | null => {
  const [couponId] = couponIds
  // If another payment turns out to be the subscription's first one, the trial's coupon no longer
  // credits this one.
  if (couponId === undefined) return null
  const credited = creditedCoupon(loaded, couponIds)
  const place = (alias: CouponAlias) => couponIds.indexOf(alias.couponId)
  if (credited)
    return trigger !== 'again' && coupon && place(coupon) < place(credited) ? coupon : credited
  if (trigger !== 'again') return coupon
  const referrer = referrerBy(loaded, origins)
  return referrer ? { couponId: coupon?.couponId ?? couponId, partner: referrer } : null
}

/** The coupon that the recorded sale was credited by, with the partner who had it then. */
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
export const trialCouponOf = (
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
export const codeOf = ({ sales, terms }: Loaded): CodeCredit | null => {
  const step = codeStepOf(sales.flatMap(({ steps }) => steps))
  if (!step) return null
  return {
    step,
    partner: step.code === 'partner_code' ? (terms.get(step.facts.partnerId) ?? null) : null,
  }
}

/** The active partner whom a purchase's own coupon names, else its click, else the report of it. */
export const creditedBy = (
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

/** The referral by a purchase's coupon, click or code. A subscription's later sales make none. */
export const ownReferral = (
  purchase: Pick<Purchase, 'externalId' | 'checkout' | 'sale'>,
  { movesCustomer, renewal, ...own }: Claim,
  referredAt: Date,
): OwnReferral | null => {
  const credit = creditedBy(own, purchase.sale?.paidAt ?? referredAt)
  if (!credit || (renewal && renewal.because !== 'owner')) return null
  const { partner, source } = credit
  // A free checkout never replaces the customer's partner.
  const isFree = purchase.sale?.paid.grossCents === 0
  return {
    origin: purchase.checkout?.id ?? purchase.externalId ?? '',
    partnerId: partner.id,
    source,
    attribution: isFree || !movesCustomer ? 'first' : partner.attribution,
    referredAt,
  }
}
