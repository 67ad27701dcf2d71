/** Recorded events, and the terms under which they are decided again. */

import type {
  AttributedBy,
  Click,
  DecidedRules,
  DecidedTier,
  PartnerTerms,
  PurchaseFacts,
} from '../attribution/attribution.ts'
import type { ErasedSelfReferral } from '../attribution/self-referrals.ts'
import type { Referral } from '../identities/owner.ts'
import type { Paid } from '../purchases/facts.ts'
import type { EarnedSum } from '../rewards/caps.ts'
import type { PaymentHistory } from '../rewards/conditions.ts'
import type { StoredLine } from '../rewards/sale-lines.ts'
import type { Report } from '../steps/report.ts'
import type { CodeStep } from '../steps/steps.ts'
import type { PastTiers } from '../tiers/past-tiers.ts'

/** A recorded sale or lead, as far as its decision depends on it. */
export type PastEvent = Pick<
  Report,
  'kind' | 'externalId' | 'customerExternalId' | 'sale' | 'metadata'
> & {
  id: string
  occurredAt: Date
  customerId: string | null
  /** As it was decided. */
  partnerId: string | null
  attributedBy: AttributedBy | null
  click: (Omit<Click, 'partner'> & { partnerId: string }) | null
  /** The partner whom its report names by a slug or a coupon, if no click counted. */
  code: Extract<CodeStep, { code: 'partner_code' }> | null
  lines: StoredLine[] | null
  country: string | null
  /** The coupon by which its report names a partner. */
  coupon: string | null
  /** What its customer paid before, but for what an import says; null if no reward asks for it. */
  history: PaymentHistory | null
  /** Present for a sale that a payment processor reported. */
  purchase: PastPurchase | undefined
  /** A manager rejected its commission, or the purchase earns as another event. */
  earnsNothing: boolean
  /** The partner who is the customer, as was decided before the customer's address was erased. */
  erasedSelfReferral: ErasedSelfReferral | null
  /** Present if its customer was erased. */
  decidedRules: DecidedRules | null
  /** Present if its decision has a tier. */
  decidedTier: DecidedTier | null
}

/** The customer of an event, also one who is not recorded because nobody was credited. */
export const customerOf = ({ customerId, customerExternalId }: PastEvent): string =>
  customerId ?? `reported ${customerExternalId}`

export type PastPurchase = {
  subscription: string | null
  referredAt: Date
  checkoutId: string | null
  isProration: boolean
  coupons: string[]
  /** What was paid, by each of its facts that say so. */
  paid: Paid[]
  /** The earliest other sale of its subscription, if it is earlier. */
  firstSale: { id: string; partnerId: string | null; occurredAt: Date } | null
}

export type PastCustomer = {
  referrals: Referral[]
  emails: string[]
  /** A guest's address is no proof of who it is, so nobody owns it. */
  isGuest: boolean
  /** When the program first rewarded a sale of it that is not among the events. */
  rewardedAt: Date | null
  /** The products that those rewarded: see `productOf`. */
  rewardedProducts: string[]
  /** When a sale of each subscription that is not among the program's events was first rewarded. */
  rewardedSubscriptions: { id: string; rewardedAt: Date }[]
  /** What sales of it that are not among the events have earned. */
  earned: EarnedSum[]
}

export type PastPartner = {
  name: string | null
  groupId: string | null
  /** The present ones. */
  terms: PartnerTerms
  /** The statuses before, and until when it had them, in order. */
  formerStatuses: { until: Date; status: PartnerTerms['status'] }[]
  /** What sales that are not among the events have earned, by the first day of the month, in UTC. */
  earned: (EarnedSum & { month: string })[]
}

export type Past = {
  /** From when referrals are as they would be under the terms, like the events. */
  since: Date
  /** In the order in which they took place. */
  events: PastEvent[]
  customers: ReadonlyMap<string, PastCustomer>
  partners: ReadonlyMap<string, PastPartner>
  /** The program's tiers, and what its partners reached; null if no reward asks for a tier. */
  tiers: PastTiers | null
}

/** The terms of a program that commissions depend on, without those of payment. */
export type ReplayedTerms = Pick<
  PartnerTerms,
  | 'reward'
  | 'rewardInterval'
  | 'rewardDurationMonths'
  | 'oneTimeMinimumCents'
  | 'oneTimePer'
  | 'attribution'
  | 'attributeKnownCustomers'
  | 'lateLeadDays'
  | 'selfReferrals'
  | 'rewardShipping'
  | 'creditOutOfBand'
>

/** The terms that differ from the present ones. */
export type TermsChange = {
  programId: string
  program?: Partial<ReplayedTerms>
  attributionDays?: number | undefined
  group?: { id: string } & Partial<
    Pick<NonNullable<PartnerTerms['group']>, 'saleReward' | 'leadReward'>
  >
  partner?: { id: string; ownReward: PartnerTerms['reward'] | null }
}

export const factsOf = (
  {
    referredAt,
    isProration,
    coupons,
  }: Pick<PastPurchase, 'referredAt' | 'isProration' | 'coupons'>,
  earnedAt: Date,
): PurchaseFacts => ({
  coupon: null,
  coupons,
  referredAt,
  earnedAt,
  isProration,
})

/** A partner's terms, with its status at a time. */
export const termsAt = (
  partner: PastPartner | undefined,
  { programId, program, group: changedGroup, partner: changedPartner }: TermsChange,
  occurredAt: Date,
): PartnerTerms | undefined => {
  if (!partner) return undefined
  const { terms, groupId, formerStatuses } = partner
  const status = formerStatuses.find(({ until }) => until > occurredAt)?.status ?? terms.status
  if (terms.programId !== programId) return { ...terms, status }
  const group =
    terms.group && changedGroup?.id === groupId ? { ...terms.group, ...changedGroup } : terms.group
  const own = changedPartner?.id === terms.id && { ownReward: changedPartner.ownReward }
  return { ...terms, ...program, ...own, group, status }
}
