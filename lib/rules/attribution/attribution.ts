/** Attribution: which partner, if any, an event is credited to. Spec, sections 4.1 and 4.2. */

import { isLate } from '../identities/owner.ts'
import type { BudgetUse } from '../programs/budgets.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import type { CapFacts } from '../rewards/caps.ts'
import type { PaymentHistory } from '../rewards/conditions.ts'
import type { Reward } from '../rewards/rewards.ts'
import type { OneTimePer, RewardInterval } from '../steps/intervals.ts'
import { CLOCK_DIFFERENCE_MS } from '../steps/occurred-at.ts'
import type { Report } from '../steps/report.ts'
import type {
  Because,
  ClickFacts,
  CodeStep,
  DoubtStep,
  HandCreditStep,
  OverBudgetStep,
  Step,
} from '../steps/steps.ts'
import type { TierFacts } from '../tiers/tiers.ts'
import type { AddressClaim, UnverifiedAddresses } from './address-claims.ts'
import type { ErasedSelfReferral, SelfReferrals } from './self-referrals.ts'

/** The part of a report that decides whom it is credited to. */
type Claim = Pick<Report, 'kind' | 'clickId'>

/** A partner with the terms of its program and the rewards of its group. */
export type PartnerTerms = {
  id: string
  slug: string
  /** Its address, and those that it had before. */
  emails: string[]
  /** Its names, as far as they matter: only a payment processor says who paid. */
  names?: string[]
  status: 'approved' | 'banned'
  programId: string
  reward: Reward
  /** Its own reward for sales, in place of the group's and the program's. */
  ownReward: Reward | null
  rewardInterval: RewardInterval
  rewardDurationMonths: number | null
  oneTimeMinimumCents: number
  /** What a one-time reward is earned once for. */
  oneTimePer: OneTimePer
  rewardShipping: boolean
  creditOutOfBand: boolean
  holdingDays: number
  /** Days from the last day of the sale's month; null is holding days alone. */
  netDays: number | null
  attribution: 'last' | 'first'
  attributeKnownCustomers: boolean
  /** Within how many days after a payment a report with an earlier click credits it. */
  lateLeadDays: number
  selfReferrals: SelfReferrals
  unverifiedAddresses: UnverifiedAddresses
  group: { name: string; saleReward: Reward | null; leadReward: Reward | null } | null
  /**
   * When the program first rewarded a sale of the customer, reversed or not; or as imported. If
   * each product earns a one-time reward, only as imported.
   */
  firstRewardedAt: Date | null
  /** The products that have earned their one-time rewards, if each earns one: see `productOf`. */
  rewardedProducts: string[]
  /** On the day of the event; null if no reward asks for it. */
  tier: TierFacts | null
  /** The program's monthly budget, as far as it is used up; null without one. */
  budget: BudgetUse | null
}

export type Click = {
  id: string
  createdAt: Date
  expiresAt: Date
  partner: PartnerTerms
  /** The slug of the link, and the channel that it named by `sub`. */
  link?: string | null
  sub?: string | null
}

/** What is known before an event is decided. */
export type Facts = {
  /** The click that the report names, if the workspace has it. */
  click: Click | null
  /** The partner who owns the customer, if the customer is known. */
  customerPartner: PartnerTerms | null
  /** When a report named the owner, if after the event: by a click from before the event. */
  referredLaterAt?: Date | null | undefined
  /** Present if only an address that a lead named says who the customer is. */
  byAddress?: AddressClaim | null | undefined
  /** The addresses that the customer is known by, if it is known. */
  customerEmails?: string[] | undefined
  /** The partner who is the customer, as was decided before the customer's address was erased. */
  erasedSelfReferral?: ErasedSelfReferral | null
  /** Present for a sale whose customer was erased. */
  decidedRules?: DecidedRules | null | undefined
  /** Present for a sale or lead that was decided by a tier before. */
  decidedTier?: DecidedTier | null | undefined
  /** Present for a sale or lead that has earned something before. */
  decidedBudget?: DecidedBudget | null | undefined
  /** Who reports the sales that earn; both by default. */
  salesFrom?: SalesFrom
  /** Present for a sale that a payment processor reports. */
  purchase?: PurchaseFacts | undefined
  /** What the customer paid before, if a rule of a reward asks for it. */
  history?: PaymentHistory | undefined
  /** What was earned before, if a cap of a reward counts it. */
  earned?: CapFacts | undefined
  /** Present if a manager has decided whom it is credited to. */
  byHand?: HandCredit | null | undefined
  /** Present if the report names a partner by a slug or a coupon. */
  code?: CodeCredit | null | undefined
}

/** What has decided each line of a partner's sale: a rule by its name, or the base. */
export type DecidedRules = { partnerId: string; rules: (string | null)[] }

/** The tier of a partner by which an event was decided first: it keeps it. */
export type DecidedTier = { partnerId: string; tier: TierFacts }

/** What was decided of a program's budget when a sale or lead first earned in the program. */
export type DecidedBudget = { programId: string; step: OverBudgetStep | null }

/** What became of the slug or coupon of a report. Without a partner, it credits nobody. */
export type CodeCredit = { partner: PartnerTerms | null; step: CodeStep }

/** A manager's decision, which prevails over all others. Without a partner, nobody is credited. */
type HandCredit = { partner: PartnerTerms | null; step: HandCreditStep }

export type PurchaseFacts = {
  /** The first of the checkout's coupons that belongs to a partner. */
  coupon: CouponAlias | null
  /** All coupon ids and promotion code ids that it used. */
  coupons?: string[] | undefined
  /** When the checkout was created, else when the sale was paid. */
  referredAt: Date
  /** When it was paid or reported, whichever was first: the payment terms count from then. */
  earnedAt: Date
  /** The partner of a renewal; absent for other sales. */
  renewal?: Renewal | null
  /** Whether it charges for a change of a subscription in the middle of a period. */
  isProration: boolean
}

/** The partner of a renewal. Design, section 5, "Attribution of renewals". */
export type Renewal = {
  partner: PartnerTerms | null
  because: 'subscription' | 'import' | 'owner'
  /** Why the subscription's first sale is held, as long as no manager has decided about it. */
  doubt?: DoubtStep | null
}

/** A coupon or promotion code that credits a partner. */
export type CouponAlias = { couponId: string; partner: PartnerTerms }

/** `code`: the report names the partner. `manual`: a manager has credited it by hand. */
export type AttributedBy = 'coupon' | 'click' | 'code' | 'customer' | 'manual'

export type Credit = { partner: PartnerTerms; attributedBy: AttributedBy }

export type Attribution = {
  credit: Credit | null
  steps: Step[]
  /** Why what it earns is held. */
  doubts?: DoubtStep[] | undefined
}

const inactive = ({ id, slug }: PartnerTerms): Step => ({
  code: 'partner_inactive',
  facts: { slug, partnerId: id },
})

/** The credit that a checkout's coupon gives. */
const followCoupon = ({ couponId, partner }: CouponAlias): Attribution => {
  const steps: Step[] = [{ code: 'coupon', facts: { couponId, slug: partner.slug } }]
  return partner.status === 'approved'
    ? { credit: { partner, attributedBy: 'coupon' }, steps }
    : { credit: null, steps: [...steps, inactive(partner)] }
}

const clickFacts = ({ id, partner, createdAt, expiresAt }: Click): ClickFacts => ({
  clickId: id,
  slug: partner.slug,
  clickedAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

/** The credit that the reported click gives, or the reason why it gives none. */
const followClick = (
  clickId: string | null,
  click: Click | null,
  referredAt: Date,
): Attribution => {
  if (clickId === null) return { credit: null, steps: [{ code: 'no_click', facts: {} }] }
  if (click === null)
    return { credit: null, steps: [{ code: 'unknown_click', facts: { clickId } }] }

  const facts = clickFacts(click)
  if (referredAt >= click.expiresAt)
    return { credit: null, steps: [{ code: 'expired_click', facts }] }
  if (click.partner.status !== 'approved') {
    return { credit: null, steps: [inactive(click.partner)] }
  }
  return {
    credit: { partner: click.partner, attributedBy: 'click' },
    steps: [{ code: 'click', facts }],
  }
}

/** Whether a click was made after an event, so that it did not lead to it. */
export const isLaterClick = ({ createdAt }: Click, occurredAt: Date): boolean =>
  Number(createdAt) > Number(occurredAt) + CLOCK_DIFFERENCE_MS

/**
 * The credit that the click of an event gives.
 * @param referredAt by when it has not expired, if that is not the event's time
 */
export const followReportedClick = (
  clickId: string | null,
  click: Click | null,
  occurredAt: Date,
  referredAt = occurredAt,
): Attribution =>
  click && isLaterClick(click, occurredAt)
    ? { credit: null, steps: [{ code: 'later_click', facts: clickFacts(click) }] }
    : followClick(clickId, click, referredAt)

/** The credit that a report's click gives, else its slug or coupon. */
export const withCode = (
  byClick: Attribution,
  code: CodeCredit | null | undefined,
): Attribution => {
  if (!code || byClick.credit) return byClick
  const { partner, step } = code
  if (partner?.status !== 'approved') {
    return {
      credit: null,
      steps: [...byClick.steps, step, ...(partner ? [inactive(partner)] : [])],
    }
  }
  // That there is no click explains nothing here.
  const steps = byClick.steps.filter((before) => before.code !== 'no_click')
  return { credit: { partner, attributedBy: 'code' }, steps: [...steps, step] }
}

/**
 * Which partner an event is credited to, and the steps that led there.
 *
 * A manager's decision comes first. A renewal that a payment processor reports is credited as its
 * subscription was, whatever else it names. Any other sale of a processor is credited by coupon,
 * else by the checkout's click, else by the code of the merchant's report of it, else to the
 * customer's partner. Design, section 5.
 *
 * A merchant's report is credited by click, else by the slug or coupon that it names, where the
 * program trusts that. Two program settings credit the customer's partner instead: `attribution:
 * "first"` over a click or code of the same program, and `attributeKnownCustomers` for a sale
 * without either. A banned partner is never credited.
 */
export const attribute = (report: Claim, facts: Facts, occurredAt: Date): Attribution => {
  const { purchase, byHand } = facts
  if (byHand) {
    const { partner, step } = byHand
    return { credit: partner && { partner, attributedBy: 'manual' }, steps: [step] }
  }
  if (!purchase) {
    const byClick = followReportedClick(report.clickId, facts.click, occurredAt)
    return attributeReport(report, facts, withCode(byClick, facts.code), occurredAt)
  }

  if (purchase.renewal) return followRenewal(purchase.renewal, facts, occurredAt)

  const byCoupon = purchase.coupon ? followCoupon(purchase.coupon) : { credit: null, steps: [] }
  if (byCoupon.credit) return byCoupon
  // A payment of a known customer has no click, and needs none.
  const byClick = report.clickId
    ? followReportedClick(report.clickId, facts.click, occurredAt, purchase.referredAt)
    : byCoupon
  const named = withCode(byClick, facts.code)
  const { credit, steps, doubts } = attributeReport(report, facts, named, occurredAt)
  return {
    credit,
    doubts,
    steps: [
      ...(byClick === byCoupon ? [] : byCoupon.steps),
      ...steps,
      ...(credit || steps.length > 0 ? [] : [{ code: 'unknown_customer', facts: {} } as const]),
    ],
  }
}

/** Credits a renewal as its subscription was. */
const followRenewal = (
  { partner, because, doubt }: Renewal,
  facts: Facts,
  occurredAt: Date,
): Attribution => {
  if (partner === null)
    return { credit: null, steps: [{ code: 'unreferred_subscription', facts: {} }] }
  if (partner.status !== 'approved') return { credit: null, steps: [inactive(partner)] }
  const credit = creditCustomer(partner, because, because === 'owner' ? facts : {}, occurredAt)
  return doubt ? { ...credit, doubts: [doubt] } : credit
}

/** The credit of the customer's partner, and what speaks against it. */
const creditCustomer = (
  partner: PartnerTerms,
  because: Because,
  { referredLaterAt, byAddress }: Pick<Facts, 'referredLaterAt' | 'byAddress'>,
  occurredAt: Date,
): Attribution => {
  const { slug } = partner
  const doubts: DoubtStep[] = []
  if (referredLaterAt && isLate(referredLaterAt, occurredAt))
    doubts.push({ code: 'late_lead', facts: { slug, referredAt: referredLaterAt.toISOString() } })
  if (byAddress?.isVerified === false && partner.unverifiedAddresses === 'hold')
    doubts.push({ code: 'unverified_address', facts: { slug } })
  const found =
    byAddress && ({ byAddress: byAddress.isVerified ? 'verified' : 'unverified' } as const)
  const step: Step = { code: 'customer', facts: { slug, because, ...found } }
  return { credit: { partner, attributedBy: 'customer' }, steps: [step], doubts }
}

/** Credits the customer's partner where it prevails over the click. */
const attributeReport = (
  report: Claim,
  facts: Facts,
  byClick: Attribution,
  occurredAt: Date,
): Attribution => {
  const customerPartner = facts.customerPartner
  if (customerPartner === null) return byClick

  const because = whyKnownPartner(report, facts, byClick, customerPartner, occurredAt)
  if (because === null)
    return isNotCredited(report, byClick, customerPartner)
      ? notCredited(byClick, customerPartner)
      : byClick
  if (customerPartner.status !== 'approved')
    return { ...byClick, steps: [...byClick.steps, inactive(customerPartner)] }
  const credited = creditCustomer(customerPartner, because, facts, occurredAt)
  return { ...credited, steps: [...byClick.steps, ...credited.steps] }
}

/** Whether only a setting of the program keeps the customer's partner from being credited. */
const isNotCredited = ({ kind }: Claim, byClick: Attribution, { status }: PartnerTerms): boolean =>
  kind === 'sale' && byClick.credit === null && status === 'approved'

const notCredited = (byClick: Attribution, { slug, programId }: PartnerTerms): Attribution => ({
  ...byClick,
  steps: [...byClick.steps, { code: 'known_customer_not_credited', facts: { slug, programId } }],
})

/** Why the customer's partner prevails over the click, or is credited without one; or null. */
const whyKnownPartner = (
  { kind }: Claim,
  { purchase, referredLaterAt }: Facts,
  byClick: Attribution,
  customerPartner: PartnerTerms,
  occurredAt: Date,
): Because | null => {
  const clicked = byClick.credit?.partner
  if (clicked) {
    if (clicked.attribution !== 'first' || clicked.programId !== customerPartner.programId)
      return null
    return clicked.id === customerPartner.id ? null : 'first_partner'
  }
  if (kind === 'lead') return null
  if (isLate(referredLaterAt, occurredAt)) return 'late_lead'
  if (purchase) return 'owner'
  if (customerPartner.attributeKnownCustomers) return 'known_customer'
  return referredLaterAt && customerPartner.lateLeadDays > 0 ? 'late_lead' : null
}
