/** Decides which bonuses a partner has earned, and which of them refunds have undone. */
import type { Threshold } from '../tiers/tiers.ts'
import type { Bonus } from './bonuses.ts'

/** What a partner's sales come to: see partner_figures in schema/tiers.sql. */
export type Figures = { netCents: number; customers: number; sales: number }

/** The commission of a bonus. Amounts are minor units. */
export type BonusCommission = {
  id: string
  /** Whether it is not payable yet, or held, and in no payout. */
  isPending: boolean
  /** Whether a manager has rejected it: it stays reversed. */
  isRejected: boolean
  /** What neither this check nor a manager has reversed. */
  leftCents: bigint
  /** What this check has reversed. */
  reversedCents: bigint
}

/** A milestone that was reached, as it was then. Without a commission, before it was added. */
export type ReachedBonus = {
  name: string
  milestone: Threshold
  since: Date
  /** When it had been reached, at the latest. */
  foundAt: Date
  commission: BonusCommission | null
}

/** Which sales count: those in a currency, before a time. Counts are the same in any currency. */
export type FiguresOf = { currency: string; before: Date | null }

/** Reads figures that were loaded. */
export type ReadFigures = (of: FiguresOf) => Figures

export const currencyOf = (milestone: Threshold): string =>
  milestone.by === 'netSales' ? milestone.currency : ''

export const isReached = (milestone: Threshold, figures: Figures): boolean => {
  switch (milestone.by) {
    case 'netSales':
      return figures.netCents >= milestone.atLeastCents
    case 'customers':
    case 'sales':
      return figures[milestone.by] >= milestone.atLeast
  }
}

/** The bonuses that the partner may still earn. Of a changed milestone, it starts again. */
export const openBonuses = (bonuses: Bonus[], reached: ReachedBonus[]): Bonus[] =>
  bonuses.filter(({ name, since }) =>
    reached.every((one) => one.name !== name || (one.commission === null && one.since < since)),
  )

/**
 * Whether a check found before the bonus was added that the partner had reached as much. Refunds may
 * have undone it since.
 */
export const wasReached = ({ since, ...bonus }: Bonus, reached: ReachedBonus[]): boolean =>
  reached.some(({ milestone, foundAt }) => foundAt < since && covers(milestone, bonus))

/** Whether who has reached the one has reached the other. */
const covers = (one: Threshold, other: Threshold): boolean =>
  one.by === 'netSales'
    ? other.by === 'netSales' &&
      one.currency === other.currency &&
      one.atLeastCents >= other.atLeastCents
    : one.by === other.by && one.atLeast >= other.atLeast

/**
 * What refunds change of earned bonuses: the amount by which each is reversed, if negative, or
 * reinstated. A bonus is reversed until it is payable, and reinstated at any time.
 */
export const changedBonuses = (
  reached: ReachedBonus[],
  figures: ReadFigures,
): { commissionId: string; amountCents: bigint }[] =>
  reached.flatMap(({ milestone, commission }) => {
    if (!commission || commission.isRejected) return []
    const { id: commissionId, leftCents, reversedCents, isPending } = commission
    const stands = isReached(milestone, figures({ currency: currencyOf(milestone), before: null }))
    const undoneCents = isPending ? -leftCents : 0n
    const amountCents = stands ? reversedCents : undoneCents
    return amountCents === 0n ? [] : [{ commissionId, amountCents }]
  })
