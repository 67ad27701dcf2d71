/** A program's tiers: what partners reach by their sales. docs/tiers.md. */

/** What a partner's sales, less refunds, come to; how many customers bought; how many sales. */
export const MEASURES = ['netSales', 'customers', 'sales'] as const
export type Measure = (typeof MEASURES)[number]

/** The calendar month or quarter, the last 365 days, or all time. */
export const TIER_PERIODS = ['month', 'quarter', 'year', 'ever'] as const
export type TierPeriod = (typeof TIER_PERIODS)[number]

/** So much of a measure: minor units of a currency, or a number of customers or sales. */
export type Threshold =
  | { by: 'netSales'; currency: string; atLeastCents: number }
  | { by: 'customers' | 'sales'; atLeast: number }

/** What every tier of a program has beside its threshold. */
export type TierTerms = {
  /** Unique in the program. */
  name: string
  /** The group into which a partner moves that reaches it. */
  groupId?: string
  /** Whether a partner that falls below it returns to its former group. */
  movesBack?: true
}

/** In ascending order of their thresholds, at most ten. A partner below the first has no tier. */
export type Tiers = {
  period: TierPeriod
  /** IANA: in which days, months and quarters begin. */
  timeZone: string
} & (
  | { by: 'netSales'; currency: string; levels: (TierTerms & { atLeastCents: number })[] }
  | { by: 'customers' | 'sales'; levels: (TierTerms & { atLeast: number })[] }
)

/**
 * The tier of a partner on a day, as the step of a sale keeps it. Amounts are minor units, if the
 * tiers are by net sales.
 */
export type TierFacts = {
  /** Null below the first one. */
  tier: string | null
  /** By the tiers' time zone: what was reached before this day counts. */
  day: string
  by: Measure
  period: TierPeriod
  /** Of net sales. */
  currency?: string
  reached: number
  /** The next tier, and what it takes in all; absent in the highest one. */
  next?: { tier: string; atLeast: number }
}

/** What a partner has reached on a day, as the database reads it. */
export type TierFigures = { tiers: Tiers; day: string; reached: number }

/** The tier of a partner who has reached so much. */
export const tierOf = ({ tiers, day, reached }: TierFigures): TierFacts => {
  const { by, period } = tiers
  const levels = levelsOf(tiers)
  const next = levels.find(({ atLeast }) => atLeast > reached)
  return {
    tier: levels.findLast(({ atLeast }) => atLeast <= reached)?.name ?? null,
    day,
    by,
    period,
    ...(tiers.by === 'netSales' && { currency: tiers.currency }),
    reached,
    ...(next && { next: { tier: next.name, atLeast: next.atLeast } }),
  }
}

/** @param tiers null for none */
export const tierNames = (tiers: Tiers | null): string[] =>
  tiers?.levels.map(({ name }) => name) ?? []

/** The tiers with their thresholds, whatever these are of. */
export const levelsOf = (tiers: Tiers): (TierTerms & { atLeast: number })[] =>
  tiers.levels.map((level) => ({
    ...level,
    atLeast: 'atLeast' in level ? level.atLeast : level.atLeastCents,
  }))
