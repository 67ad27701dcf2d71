/** The terms of programs and groups. */

import type { UnverifiedAddresses } from '../rules/attribution/address-claims.ts'
import type { SelfReferrals } from '../rules/attribution/self-referrals.ts'
import type { Schedule } from '../rules/programs/schedules.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'
import type { RewardInterval } from '../rules/steps/intervals.ts'

export type ProgramTerms = Schedule & {
  name: string
  siteUrl: string
  reward: RewardTerms
  rewardInterval: RewardInterval
  /** null is unlimited. */
  rewardDurationMonths: number | null
  /** Minor units of the sale's currency. */
  oneTimeMinimumCents: number
  rewardShipping: boolean
  creditOutOfBand: boolean
  holdingDays: number
  /** Days from the last day of the sale's month; null is holding days alone. */
  netDays: number | null
  attributionDays: number
  attribution: 'last' | 'first'
  attributeKnownCustomers: boolean
  /** Within how many days after a payment a report with an earlier click credits it. */
  lateLeadDays: number
  /** Whether reports may name a partner by a slug or a coupon. */
  trustedAttribution: boolean
  selfReferrals: SelfReferrals
  unverifiedAddresses: UnverifiedAddresses
  minimumPayoutCents: number
  /** Managers are mailed when more than this is made payable by hand in a day. */
  manualEarningsNoticeCents: number
  /** Days between a scheduled run and its sending, in which managers can stop it. */
  reviewDays: number
}

/** The terms of a new program where the request leaves them out. */
export const PROGRAM_DEFAULTS = {
  rewardDurationMonths: null,
  oneTimeMinimumCents: 0,
  rewardShipping: false,
  creditOutOfBand: false,
  holdingDays: 30,
  netDays: null,
  attributionDays: 90,
  attribution: 'last',
  attributeKnownCustomers: false,
  lateLeadDays: 0,
  trustedAttribution: false,
  selfReferrals: 'hold',
  unverifiedAddresses: 'allow',
  minimumPayoutCents: 0,
  manualEarningsNoticeCents: 10_000,
  payoutSchedule: 'manual',
  reviewDays: 0,
} satisfies Partial<ProgramTerms>

type Scheduled = Schedule & Pick<ProgramTerms, 'reviewDays'>

/**
 * Whether a change makes a program pay by itself, or pay at another time. Ending its schedule is
 * none.
 *
 * @param before null for a new program
 */
export const paysOtherwise = (
  before: Scheduled | null | undefined,
  change: { [K in keyof Scheduled]?: Scheduled[K] | null | undefined },
): boolean => {
  if ((change.payoutSchedule ?? before?.payoutSchedule ?? 'manual') === 'manual') return false
  const fields = ['payoutSchedule', 'payoutDays', 'reviewDays'] as const
  return (
    !before ||
    fields.some((field) => String(change[field] ?? before[field]) !== String(before[field]))
  )
}

export type GroupTerms = {
  name: string
  /** null uses the program's reward. */
  saleReward: RewardTerms | null
  /** null is no reward. */
  leadReward: RewardTerms | null
}
