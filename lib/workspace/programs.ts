/** Programs and groups: the terms on which partners are rewarded. */
import type { PayoutSchedule } from '../payouts/payouts.ts'
import type { RewardInterval, RewardTerms } from '../tracking/rewards.ts'

export type ProgramTerms = {
  name: string
  siteUrl: string
  reward: RewardTerms
  rewardInterval: RewardInterval
  /** null is for ever. */
  rewardDurationMonths: number | null
  holdingDays: number
  attributionDays: number
  attribution: 'last' | 'first'
  attributeKnownCustomers: boolean
  minimumPayoutCents: number
  payoutSchedule: PayoutSchedule
}

export type GroupTerms = {
  name: string
  /** null leaves the program's. */
  saleReward: RewardTerms | null
  /** null is none. */
  leadReward: RewardTerms | null
}
