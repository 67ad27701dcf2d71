/** The tiers of partners on past days, from what each of their days adds. */
import { type TierFacts, type Tiers, tierOf } from './tiers.ts'

/** From a day on, a partner has reached so much more, or less. */
type Reached = { day: string; delta: number }

export type PastTiers = {
  tiers: Tiers
  /** By the ids of partners, in the order of the days. */
  reached: ReadonlyMap<string, Reached[]>
}

/** The tier of a partner on the day of a time. */
export const pastTierOf = (
  { tiers, reached }: PastTiers,
  partnerId: string,
  at: Date,
): TierFacts => {
  const day = dayIn(tiers.timeZone, at)
  const before = (reached.get(partnerId) ?? []).filter((change) => change.day <= day)
  return tierOf({ tiers, day, reached: before.reduce((sum, { delta }) => sum + delta, 0) })
}

/** The day of a time in a time zone: 2026-03-29. */
export const dayIn = (timeZone: string, at: Date): string =>
  // The Swedish way to write a day is that of ISO 8601.
  at.toLocaleDateString('sv-SE', { timeZone })
