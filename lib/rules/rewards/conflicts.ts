/** Rules of a reward that decide no line. docs/rewards.md, "Rules that never apply". */
import { slugKey } from '../../values/slugs.ts'
import { type Condition, type Conditions, eachCondition } from './conditions.ts'
import type { RewardTerms, Rule } from './rewards.ts'

export type Conflict =
  /** No line meets its conditions: two contradict each other, or one is empty. */
  | { rule: number; reason: 'impossible'; fact: Condition['fact'] | null }
  /** It asks for tiers that the program does not have. */
  | { rule: number; reason: 'unknown_tier'; tiers: string[] }
  /** An earlier rule applies to every line that meets its conditions. */
  | { rule: number; reason: 'covered'; by: number }
  /** An earlier rule applies to every line. */
  | { rule: number; reason: 'after_always'; by: number }

/**
 * The rules that never apply, as far as that is easy to tell: ranges and lists of the same fact are
 * compared, and different facts are taken to be independent. Rules are numbered from 0.
 *
 * @param tiers the names of the program's tiers
 */
export const conflictsOf = (rules: Rule[], tiers: string[] = []): Conflict[] => {
  const earlier: { rule: number; cases: Case[]; isAlways: boolean }[] = []
  return rules.flatMap((rule, index): Conflict[] => {
    const cases = casesOf(rule, tiers)
    if (!cases) return []
    const possible = cases.filter(({ impossible }) => !impossible)
    if (possible.length === 0) {
      const unknown = unknownTiers([{ rules: [rule] }], tiers)
      const fact = cases[0]?.impossible ?? null
      return fact === 'tier' && unknown.length > 0
        ? [{ rule: index, reason: 'unknown_tier', tiers: unknown }]
        : [{ rule: index, reason: 'impossible', fact }]
    }
    const by = earlier.find((other) =>
      possible.every((one) => other.cases.some((wide) => covers(wide, one))),
    )
    if (by) return [{ rule: index, reason: by.isAlways ? 'after_always' : 'covered', by: by.rule }]
    const isAlways = possible.some((one) => covers(one, EVERYTHING))
    earlier.push({ rule: index, cases: possible, isAlways })
    return []
  })
}

/** The tiers that rules of rewards ask for, and the program does not have. */
export const unknownTiers = (
  rewards: (Pick<RewardTerms, 'rules'> | null)[],
  tiers: string[],
): string[] => {
  const conditions = rewards.flatMap((one) =>
    (one?.rules ?? []).flatMap(({ when }) => eachCondition(when)),
  )
  const asked = conditions.flatMap((one) => (one.fact === 'tier' ? one.in : []))
  return [...new Set(asked)].filter((tier) => !tiers.includes(tier))
}

type Range = { from: number; to: number }

/** One way in which a rule's conditions hold: all of these. */
type Case = {
  ranges: Map<string, Range>
  /** The values of facts that have one value at a time. */
  lists: Map<string, string[]>
  /** Facts that may have several values at a time: null is any value. */
  several: { of: string; in: string[] | null }[]
  /** What contradicts itself. */
  impossible: Condition['fact'] | null
}

/** What every line of a sale has: values from here on. */
const LEAST: Record<string, number> = { 'payment of customer': 1, customerMonths: 0, quantity: 1 }

const EVERYTHING: Case = {
  ranges: new Map(Object.entries(LEAST).map(([key, from]) => [key, { from, to: Infinity }])),
  lists: new Map(),
  several: [],
  impossible: null,
}

/** A rule with more ways to hold is not compared. */
const MOST_CASES = 200

/** The ways in which a rule's conditions hold; null if there are too many. */
const casesOf = ({ when, pay }: Rule, tiers: string[]): Case[] | null => {
  const combinations = waysOf(when)
  if (!combinations) return null
  return combinations.map((conditions) => {
    const one: Case = {
      ranges: new Map(EVERYTHING.ranges),
      lists: new Map(),
      several: [],
      impossible: null,
    }
    // A flat amount is paid for sales in its currency only.
    if (pay.kind === 'flat') one.lists.set('currency', [pay.currency])
    if (conditions.some(({ fact }) => fact === 'tier')) one.lists.set('tier', tiers)
    for (const condition of conditions) narrow(one, condition)
    return one
  })
}

const waysOf = (when: Conditions): Condition[][] | null => {
  if ('any' in when)
    return when.any.length > MOST_CASES
      ? null
      : when.any.map((item) => ('fact' in item ? [item] : item.all))
  let ways: Condition[][] = [[]]
  for (const item of when.all) {
    const parts = 'fact' in item ? [item] : item.any
    if (ways.length * parts.length > MOST_CASES) return null
    ways = ways.flatMap((way) => parts.map((part) => [...way, part]))
  }
  return ways
}

/** Adds a condition to those that all have to hold. */
const narrow = (one: Case, condition: Condition): void => {
  const { fact } = condition
  const range = (key: string, from: number | undefined, to: number | undefined) => {
    const before = one.ranges.get(key) ?? { from: -Infinity, to: Infinity }
    const both = {
      from: Math.max(before.from, from ?? -Infinity),
      to: Math.min(before.to, to ?? Infinity),
    }
    one.ranges.set(key, both)
    if (both.from > both.to) one.impossible ??= fact
  }
  const list = (key: string, values: string[]) => {
    const before = one.lists.get(key)
    const both = before ? before.filter((value) => values.includes(value)) : values
    one.lists.set(key, both)
    if (both.length === 0) one.impossible ??= fact
  }
  switch (condition.fact) {
    case 'product':
      if (condition.in.length === 0) one.impossible ??= fact
      one.several.push({ of: fact, in: condition.in })
      break
    case 'coupon':
      if (condition.in?.length === 0) one.impossible ??= fact
      one.several.push({ of: fact, in: condition.in?.map(slugKey) ?? null })
      break
    case 'link':
      list(fact, condition.in.map(slugKey))
      break
    case 'metadata':
      if (condition.in) list(`metadata ${condition.key}`, condition.in)
      one.several.push({ of: `metadata ${condition.key}`, in: null })
      break
    case 'payment': {
      const { of = 'customer', atLeast = 1, atMost } = condition
      range(`payment of ${of}`, atLeast, atMost)
      break
    }
    case 'quantity':
      range(fact, condition.atLeast, condition.atMost)
      break
    case 'customerMonths':
      range(fact, condition.atLeast, lastBelow(condition.below))
      break
    case 'lineAmount':
    case 'saleAmount':
      list('currency', [condition.currency])
      range(fact, condition.atLeastCents ?? 0, lastBelow(condition.belowCents))
      break
    case 'day':
      range(fact, dayNumber(condition.from), dayNumber(condition.until))
      break
    default:
      list(fact, condition.in)
  }
}

/** The last whole number below a bound. */
const lastBelow = (below: number | undefined): number | undefined =>
  below === undefined ? undefined : below - 1

const dayNumber = (day: string | undefined): number | undefined =>
  day === undefined ? undefined : Date.parse(day)

/** Whether all that is in one case is in a wider one too. */
const covers = (wide: Case, one: Case): boolean =>
  [...wide.ranges].every(([key, { from, to }]) => {
    const own = one.ranges.get(key)
    return own !== undefined && from <= own.from && own.to <= to
  }) &&
  [...wide.lists].every(([key, values]) =>
    one.lists.get(key)?.every((value) => values.includes(value)),
  ) &&
  wide.several.every((any) => one.several.some((own) => own.of === any.of && isWithin(own, any)))

const isWithin = (own: { in: string[] | null }, wide: { in: string[] | null }): boolean =>
  wide.in === null || (own.in?.every((value) => wide.in?.includes(value)) ?? false)
