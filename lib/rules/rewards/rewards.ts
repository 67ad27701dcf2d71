/** Rewards: what an event earns. Spec, section 4.1, rule 1. */
import { shareOf } from '../../values/money.ts'
import type { RewardResponse } from './rewards.responses.ts'

/** A percentage of the sale, or a flat amount in its own currency. */
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

/**
 * What a sale earns under a reward. A percentage is in the sale's currency, and rounds half up. A
 * flat reward is in its own currency, but never more than a sale in that currency. A lead has no
 * amount, so a percentage of it is nothing. Design, section 5.
 *
 * @param sale the amount sold, minor units, or null for a lead
 */
export const earnings = (sale: Money | null, reward: Reward): Money | null => {
  if (reward.kind === 'flat') {
    const flat = { amountCents: BigInt(reward.amountCents), currency: reward.currency }
    return sale && exceeds(flat, sale) ? sale : flat
  }
  return (
    sale && { amountCents: shareOf(sale.amountCents, reward.basisPoints), currency: sale.currency }
  )
}

const exceeds = (flat: Money, sale: Money): boolean =>
  flat.currency === sale.currency && flat.amountCents > sale.amountCents
