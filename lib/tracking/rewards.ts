/** Rewards: what one pays, and until when. Spec, section 4.1, rule 1. */
import { UTCDate } from '@date-fns/utc'
import { addMonths } from 'date-fns/addMonths'
import { shareOf } from '../money.ts'
import type { RewardResponse } from './rewards.responses.ts'
import type { Step } from './steps.ts'

/** What an event earns: a share of the sale, or a flat amount in its own currency. */
export type RewardTerms =
  | { kind: 'percent'; basisPoints: number }
  | { kind: 'flat'; amountCents: number; currency: string }

export type Reward = { id: string } & RewardTerms

/** A reward as the API returns and accepts it: a share is in percent. */
export const rewardResponse = (reward: RewardTerms): RewardResponse =>
  reward.kind === 'percent'
    ? { kind: 'percent', percent: reward.basisPoints / 100 }
    : { kind: 'flat', amountCents: reward.amountCents, currency: reward.currency }

export type Money = { amountCents: bigint; currency: string }

/** Whether a customer's first sale alone is rewarded, or each one within the duration. */
export type RewardInterval = 'one-time' | 'recurring'

/**
 * What a sale earns under a reward. A share is in the sale's currency and rounds half up;
 * a flat reward pays its own amount in its own currency, whatever the sale was.
 * A share of a lead, which has no amount, is nothing.
 *
 * @param sale the amount sold, minor units, or null for a lead
 */
export const earnings = (sale: Money | null, reward: Reward): Money | null => {
  if (reward.kind === 'flat') return { amountCents: BigInt(reward.amountCents), currency: reward.currency }
  return sale && { amountCents: shareOf(sale.amountCents, reward.basisPoints), currency: sale.currency }
}

/**
 * The first moment at which a recurring reward no longer pays: the customer's first sale commission
 * plus the months, in UTC. From the 31st it falls on the last day of a shorter month.
 */
export const rewardEndsAt = (firstRewardedAt: Date, months: number): Date =>
  new Date(addMonths(new UTCDate(firstRewardedAt), months))

/**
 * The step that refuses one more sale of a customer by the program's interval, or null when it may be rewarded.
 * A reversed commission counts as one too: the clock starts with the first sale that was rewarded.
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
  if (months === null) return null // for ever
  const endedAt = rewardEndsAt(firstRewardedAt, months)
  if (now < endedAt) return null
  const facts = { firstRewardedAt: first, months, endedAt: endedAt.toISOString() }
  return { code: 'past_reward_duration', facts }
}
