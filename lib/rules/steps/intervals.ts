/** Which of a customer's sales are rewarded, and for how long. Spec, section 4.1, rule 1. */

import { monthsAfter } from '../../values/days.ts'
import type { Money } from '../../values/money.ts'
import type { Reward } from '../rewards/rewards.ts'
import type { Step } from './steps.ts'

/** Reward only the customer's first sale, or each one within the program's duration. */
export type RewardInterval = 'one-time' | 'recurring'

/** A one-time reward is earned once per customer, or once per customer and product. */
export const ONE_TIME_PER = ['customer', 'product'] as const
export type OneTimePer = (typeof ONE_TIME_PER)[number]

/** Whether each product earns the one-time reward of a customer. */
export const earnsPerProduct = (terms: {
  rewardInterval: RewardInterval
  oneTimePer: OneTimePer
}): boolean => terms.rewardInterval === 'one-time' && terms.oneTimePer === 'product'

/**
 * The step that refuses a reward by the program's interval, or null. A reversed first commission
 * counts too.
 *
 * @param firstRewardedAt the customer's first sale commission in this program, or null
 */
export const refuseByInterval = (
  terms: { rewardInterval: RewardInterval; rewardDurationMonths: number | null },
  firstRewardedAt: Date | null,
  now: Date,
): Step | null => {
  if (firstRewardedAt === null) return null
  const first = firstRewardedAt.toISOString()
  if (terms.rewardInterval === 'one-time') {
    return { code: 'one_time_already_rewarded', facts: { firstRewardedAt: first } }
  }
  const months = terms.rewardDurationMonths
  if (months === null) return null // no end
  const endedAt = monthsAfter(firstRewardedAt, months)
  if (now < endedAt) return null
  const facts = { firstRewardedAt: first, months, endedAt: endedAt.toISOString() }
  return { code: 'past_reward_duration', facts }
}

/**
 * The step that refuses a one-time reward for a sale below the program's minimum, or null. A later,
 * larger sale still earns the reward: a paid trial must not use it up.
 */
export const refuseByMinimum = (
  terms: { rewardInterval: RewardInterval; oneTimeMinimumCents: number },
  { amountCents, currency }: Money,
): Step | null => {
  const { rewardInterval, oneTimeMinimumCents: minimumCents } = terms
  if (rewardInterval !== 'one-time' || amountCents >= minimumCents) return null
  return { code: 'below_one_time_minimum', facts: { minimumCents, currency } }
}

/**
 * The step that refuses a flat recurring reward for a proration, or null. It rewards a period of a
 * subscription once, however often the subscription changes within it.
 */
export const refuseProration = (
  { rewardInterval }: { rewardInterval: RewardInterval },
  { kind }: Reward,
  isProration: boolean,
): Step | null =>
  isProration && kind === 'flat' && rewardInterval === 'recurring'
    ? { code: 'proration', facts: {} }
    : null
