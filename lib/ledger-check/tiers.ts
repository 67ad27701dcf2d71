/** Whether the tier of a recorded sale follows from what its partner had reached. */
import type { Condition, Conditions } from '../rules/rewards/conditions.ts'
import type { Rule } from '../rules/rewards/rewards.ts'
import type { TierFacts, Tiers } from '../rules/tiers/tiers.ts'
import { formatMoney } from '../values/money.ts'

/** What is stored of the tier of a sale. */
export type StoredTier = {
  /** By its step. */
  facts: TierFacts | null
  /** What all sales of the partner's day are decided by; null if it is not kept, or no longer. */
  reachedOfDay: number | null
  /** Those of the program on that day, each as long as it was in force; null for none. */
  inForce: (Tiers | null)[]
}

/** Why the tier of a sale can't be, in a sentence for an operator; null if it can. */
export const checkTier = (
  externalId: string,
  { facts, reachedOfDay, inForce }: StoredTier,
  rules: Rule[],
): string | null => {
  if (!facts) {
    const isMissing =
      rules.some(({ when }) => asksForTier(when)) && inForce.length > 0 && !inForce.includes(null)
    return isMissing
      ? `${externalId}: its reward asks for the tier of its partner. The ledger has none.`
      : null
  }
  const reached = amountOf(facts, facts.reached)
  if (reachedOfDay !== null && reachedOfDay !== facts.reached)
    return `${externalId}: its partner had reached ${amountOf(facts, reachedOfDay)} before ${facts.day}. The ledger has a tier by ${reached}.`
  const expected = inForce.flatMap((tiers) =>
    tiers && isLike(tiers, facts) ? [placeOf(tiers, facts.reached)] : [],
  )
  if (expected.some((place) => isSame(place, facts))) return null
  const wanted = expected.map(({ tier }) => nameOf(tier)).join(' or ')
  return `${externalId}: ${reached} before ${facts.day} is ${wanted || 'no tier that the program had'}. The ledger has ${nameOf(facts.tier)}.`
}

const asksForTier = (when: Conditions | Condition): boolean => {
  if ('fact' in when) return when.fact === 'tier'
  return ('all' in when ? when.all : when.any).some(asksForTier)
}

const isLike = (tiers: Tiers, { by, period, currency }: TierFacts): boolean =>
  tiers.by === by &&
  tiers.period === period &&
  (tiers.by === 'netSales' ? tiers.currency : undefined) === currency

type Place = Pick<TierFacts, 'tier' | 'next'>

/** The highest tier that is reached, and the lowest one that is not. */
const placeOf = (tiers: Tiers, reached: number): Place => {
  const place: Place = { tier: null }
  for (const level of tiers.levels) {
    const atLeast = 'atLeast' in level ? level.atLeast : level.atLeastCents
    if (atLeast <= reached) place.tier = level.name
    else place.next ??= { tier: level.name, atLeast }
  }
  return place
}

const isSame = (a: Place, b: Place): boolean =>
  a.tier === b.tier && a.next?.tier === b.next?.tier && a.next?.atLeast === b.next?.atLeast

const nameOf = (tier: string | null): string => (tier === null ? 'no tier' : `“${tier}”`)

const amountOf = ({ by, currency = '' }: TierFacts, amount: number): string =>
  by === 'netSales' ? formatMoney(amount, currency) : `${amount} ${by}`
