/** What a period would have earned under other terms: by currency, in all and by partner. */
import type { Past, TermsChange } from '../decisions/past-events.ts'
import { replay } from './replay.ts'

/** Minor units. */
export type Difference = { currentCents: number; changedCents: number; differenceCents: number }

type PartnerDifference = Difference & { id: string; name: string | null; slug: string }

export type CurrencyDifference = Difference & {
  currency: string
  /** Those with the largest differences. */
  partners: PartnerDifference[]
  /** All others who earn in this currency, together. */
  others: Difference & { count: number }
}

/** Partners who are listed by name. */
const MOST_PARTNERS = 20

type Sum = { partnerId: string; currency: string; current: bigint; changed: bigint }

/**
 * Compares what the events earn under a program's present terms and under changed ones, in each
 * currency, the one with the largest commissions first. A change of a group or of a partner is
 * compared for its partners, and for others whom it concerns: a reward may be used up by one
 * partner's sale instead of another's.
 */
export const compare = (past: Past, change: TermsChange): CurrencyDifference[] => {
  const sums = sumUp(past, change).filter(
    ({ partnerId, current, changed }) =>
      current !== changed ||
      (change.group
        ? past.partners.get(partnerId)?.groupId === change.group.id
        : !change.partner || change.partner.id === partnerId),
  )
  return [...Map.groupBy(sums, ({ currency }) => currency)]
    .map(([currency, rows]) => ofCurrency(currency, rows, past))
    .sort((a, b) => b.currentCents - a.currentCents || (a.currency < b.currency ? -1 : 1))
}

const sumUp = (past: Past, change: TermsChange): Sum[] => {
  const sums = new Map<string, Sum>()
  for (const [of, all] of Object.entries(replay(past, change))) {
    for (const { partnerId, currency, amountCents } of all) {
      const key = `${currency} ${partnerId}`
      const sum = sums.get(key) ?? { partnerId, currency, current: 0n, changed: 0n }
      sum[of as 'current' | 'changed'] += amountCents
      sums.set(key, sum)
    }
  }
  return [...sums.values()]
}

const total = (sums: Sum[]): Difference => {
  const sum = (of: 'current' | 'changed') => sums.reduce((all, row) => all + row[of], 0n)
  const [current, changed] = [sum('current'), sum('changed')]
  return {
    currentCents: Number(current),
    changedCents: Number(changed),
    differenceCents: Number(changed - current),
  }
}

const size = ({ current, changed }: Sum): number => Math.abs(Number(changed - current))

const ofCurrency = (currency: string, sums: Sum[], { partners }: Past): CurrencyDifference => {
  const listed = sums
    .filter((sum) => size(sum) > 0)
    .sort((a, b) => size(b) - size(a) || (a.partnerId < b.partnerId ? -1 : 1))
    .slice(0, MOST_PARTNERS)
  const others = sums.filter((sum) => !listed.includes(sum))
  return {
    currency,
    ...total(sums),
    partners: listed.map((sum) => {
      const partner = partners.get(sum.partnerId)
      const { name = null, terms } = partner ?? {}
      return { id: sum.partnerId, name, slug: terms?.slug ?? '', ...total([sum]) }
    }),
    others: { count: others.length, ...total(others) },
  }
}
