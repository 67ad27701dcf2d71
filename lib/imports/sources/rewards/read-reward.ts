/** A reward of another platform as a reward of ours. docs/imports.md, "Rewards". */
import { MAX_MONTHS } from '../../../rules/rewards/limits.ts'
import { type RewardTerms, rewardResponse } from '../../../rules/rewards/rewards.ts'
import { isCurrency, MAX_AMOUNT_CENTS } from '../../../values/money.ts'
import { currencyOf, type Fields, integerOf } from '../platforms/json.ts'
import type { SourceReward } from '../source-rows.ts'

/**
 * @property reward      null if nothing of it can be taken over
 * @property months      null for a recurring reward without end
 * @property differences what cannot be taken over, or works differently here: a sentence each
 */
export type ReadReward = {
  event: SourceReward['event']
  reward: RewardTerms | null
  isOneTime: boolean
  months: number | null
  differences: string[]
}

/** How long a recurring reward lasts; null is without end. @returns undefined for anything else */
export const monthsOf = (value: unknown): number | null | undefined => {
  if (value === null || value === undefined) return null
  const months = integerOf(value)
  return months !== null && months >= 0 && months <= MAX_MONTHS ? months : undefined
}

/** Hundredths of a per cent. @returns null for more than two decimals, and outside of 0 to 100 */
export const basisPointsOf = (value: unknown): number | null => {
  const percent = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof percent !== 'number') return null
  const basisPoints = Math.round(percent * 100)
  const isExact = Math.abs(percent * 100 - basisPoints) < 1e-6
  return isExact && basisPoints >= 0 && basisPoints <= 10_000 ? basisPoints : null
}

/** An amount that a reward may pay, in minor units. */
export const centsOf = (value: unknown): number | null => {
  const cents = integerOf(value)
  return cents !== null && cents >= 0 && cents <= MAX_AMOUNT_CENTS ? cents : null
}

export const knownCurrencyOf = (value: unknown): string | null => {
  const currency = currencyOf(value)
  return currency && isCurrency(currency) ? currency : null
}

/** A base that pays nothing is 0%: a flat amount is at least one minor unit. */
export const flatBase = (amountCents: number, currency: string): RewardTerms =>
  amountCents === 0 ? { kind: 'percent', basisPoints: 0 } : { kind: 'flat', amountCents, currency }

/** Names of fields with a value that are not among the known ones. */
export const unknownFields = (item: Fields, known: readonly string[]): string[] =>
  Object.keys(item).filter((key) => item[key] != null && !known.includes(key))

/** Longer than any real reward. The rest of a longer one is not shown. */
const MAX_ORIGINAL = 10_000

/** The row of a reward. @param group the name of the group whose partners have it, if known here */
export const rewardRow = (
  { id, name, group, item }: { id: string; name: string; group: string | null; item: Fields },
  { event, reward, isOneTime, months, differences }: ReadReward,
): SourceReward => ({
  kind: 'reward',
  id,
  name,
  group,
  event,
  reward: reward && rewardResponse(reward),
  rewardInterval: event !== 'sale' ? null : isOneTime ? 'one-time' : 'recurring',
  rewardDurationMonths: event !== 'sale' || isOneTime ? null : months,
  differences,
  original: JSON.stringify(item, null, 2).slice(0, MAX_ORIGINAL),
})
