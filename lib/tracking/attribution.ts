/** Attribution: which partner, if any, an event is credited to. Spec, sections 4.1 and 4.2. */
import type { Report } from './decide.ts'
import type { Reward, RewardInterval } from './rewards.ts'
import type { Step } from './steps.ts'

/** What of a report decides whom it is credited to. */
type Claim = Pick<Report, 'kind' | 'clickId'>

/** A partner with everything that decides what an event earns it: its program's terms and its group's rewards. */
export type PartnerTerms = {
  id: string
  slug: string
  status: 'approved' | 'banned'
  programId: string
  reward: Reward
  rewardInterval: RewardInterval
  rewardDurationMonths: number | null
  holdingDays: number
  attribution: 'last' | 'first'
  attributeKnownCustomers: boolean
  group: { name: string; saleReward: Reward | null; leadReward: Reward | null } | null
  /** The customer's first sale commission in this partner's program, reversed or not, or the start that was imported. */
  firstRewardedAt: Date | null
}

export type Click = { id: string; createdAt: Date; expiresAt: Date; partner: PartnerTerms }

/** What is known before an event is decided. */
export type Facts = {
  /** The click that the report names, when there is such a click in the workspace. */
  click: Click | null
  /** The partner who owns the customer, when the customer is known. */
  customerPartner: PartnerTerms | null
  /** What else is known of a sale that Stripe reports. */
  stripe?: {
    /** The first of the checkout's coupons that belongs to a partner. */
    coupon: CouponAlias | null
    /** When the buyer came to the checkout, or when the sale was paid. */
    broughtAt: Date
  }
}

/** A coupon or promotion code, and the partner whom its use credits. */
export type CouponAlias = { couponId: string; partner: PartnerTerms }

export type AttributedBy = 'coupon' | 'click' | 'customer'

export type Attribution = {
  credit: { partner: PartnerTerms; by: AttributedBy } | null
  steps: Step[]
}

const inactive = ({ slug }: PartnerTerms): Step => ({ code: 'partner_inactive', facts: { slug } })

/** The credit that a checkout's coupon gives. */
const followCoupon = ({ couponId, partner }: CouponAlias): Attribution => {
  const steps: Step[] = [{ code: 'coupon', facts: { couponId, slug: partner.slug } }]
  return partner.status === 'approved'
    ? { credit: { partner, by: 'coupon' }, steps }
    : { credit: null, steps: [...steps, inactive(partner)] }
}

/** What the reported click is good for: the partner it leads to, or the reason why it leads to none. */
const followClick = (clickId: string | null, click: Click | null, now: Date): Attribution => {
  if (clickId === null) return { credit: null, steps: [{ code: 'no_click', facts: {} }] }
  if (click === null) return { credit: null, steps: [{ code: 'unknown_click', facts: { clickId } }] }

  const facts = {
    clickId,
    slug: click.partner.slug,
    clickedAt: click.createdAt.toISOString(),
    expiresAt: click.expiresAt.toISOString(),
  }
  if (now >= click.expiresAt) return { credit: null, steps: [{ code: 'expired_click', facts }] }
  if (click.partner.status !== 'approved') {
    return { credit: null, steps: [inactive(click.partner)] }
  }
  return { credit: { partner: click.partner, by: 'click' }, steps: [{ code: 'click', facts }] }
}

/**
 * Which partner an event is credited to, and the steps that led there.
 *
 * In what Stripe reports, a partner's coupon decides; without one, the click that the checkout carried; without that,
 * whoever owns the customer. Design, section 5.
 *
 * Otherwise a click decides. The partner who already owns the customer comes first only where the program says so:
 * `attribution: "first"` lets the known partner beat a click of the same program, and
 * `attributeKnownCustomers` credits a sale that has no usable click. A banned partner is never credited.
 */
export const attribute = (report: Claim, facts: Facts, now: Date): Attribution => {
  const { stripe } = facts
  if (!stripe) return attributeReport(report, facts, followClick(report.clickId, facts.click, now))

  const byCoupon = stripe.coupon ? followCoupon(stripe.coupon) : { credit: null, steps: [] }
  if (byCoupon.credit) return byCoupon
  // A renewal has no click, and needs none.
  const byClick = report.clickId ? followClick(report.clickId, facts.click, stripe.broughtAt) : byCoupon
  const { credit, steps } = attributeReport(report, facts, byClick)
  return {
    credit,
    steps: [
      ...(byClick === byCoupon ? [] : byCoupon.steps),
      ...steps,
      ...(credit || steps.length > 0 ? [] : [{ code: 'unknown_customer', facts: {} } as const]),
    ],
  }
}

/** Lets the customer's own partner come in where it counts. */
const attributeReport = (report: Claim, facts: Facts, byClick: Attribution): Attribution => {
  const known = facts.customerPartner
  if (known === null) return byClick

  const why = knownPartnerCounts(report, facts, byClick, known)
  if (why === null) return byClick
  if (known.status !== 'approved') return { ...byClick, steps: [...byClick.steps, inactive(known)] }
  const step: Step = { code: 'customer', facts: { slug: known.slug, because: why } }
  return { credit: { partner: known, by: 'customer' }, steps: [...byClick.steps, step] }
}

const knownPartnerCounts = (
  report: Claim,
  facts: Facts,
  byClick: Attribution,
  known: PartnerTerms,
): 'first_partner' | 'known_customer' | 'owner' | null => {
  const clicked = byClick.credit?.partner
  if (!clicked && facts.stripe) return 'owner'
  if (!clicked) return report.kind === 'sale' && known.attributeKnownCustomers ? 'known_customer' : null
  if (clicked.attribution !== 'first' || clicked.programId !== known.programId) return null
  return clicked.id === known.id ? null : 'first_partner'
}
