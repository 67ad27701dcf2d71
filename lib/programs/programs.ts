/** The terms of programs and groups. */

import type { BonusTerms } from '../rules/bonuses/bonuses.ts'
import type { Schedule } from '../rules/programs/schedules.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'
import type { Tiers } from '../rules/tiers/tiers.ts'
import type { ProgramResponse } from './programs.responses.ts'

/** The terms of a program, which docs/api.md describes. */
export type ProgramTerms = Omit<
  ProgramResponse,
  'id' | 'reward' | 'tiers' | 'bonuses' | 'payoutScheduleSince' | 'mode' | 'createdAt'
> & { reward: RewardTerms; tiers: Tiers | null; bonuses: BonusTerms[] }

/** The terms of a new program that the request omits. */
export const PROGRAM_DEFAULTS = {
  rewardDurationMonths: null,
  oneTimeMinimumCents: 0,
  oneTimePer: 'customer',
  tiers: null,
  bonuses: [],
  monthlyBudget: null,
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
 * Whether a change makes a program pay automatically, or at other times. Ending its schedule does
 * not.
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
