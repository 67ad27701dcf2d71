/**
 * Signs that a backend reports sales wrongly: one customer id for all guests, or amounts that are
 * not in minor units.
 */

/** The customer id with the most reported sales of the last 30 days. */
export type BusiestCustomer = { customerExternalId: string; sales: number; ofSales: number }

/**
 * The median amounts of a program's latest sales in a currency, and of those before them, in minor
 * units.
 */
export type MedianAmounts = {
  programId: string
  program: string
  currency: string
  latestCents: number
  beforeCents: number
}

/** Older reports give no notice: the manager has seen it, or has no such backend any more. */
const RECENT_DAYS = 30

export const unlikelySince = (now: Date): Date => new Date(now.getTime() - RECENT_DAYS * 86_400_000)

/**
 * A customer may well buy twice in three weeks of a month, and the only customer of a new shop is
 * most of its sales.
 */
const MOST_SALES_OF_ONE = 20

/**
 * Whether one id has so many sales, and so large a part of them all, that it stands for many
 * customers.
 */
export const isForMany = ({ sales, ofSales }: BusiestCustomer): boolean =>
  sales > MOST_SALES_OF_ONE && sales * 2 > ofSales

/**
 * Amounts in the wrong unit differ by a factor of 100, or less where prices changed with it. No
 * ordinary change of prices comes near.
 */
const UNLIKELY_FACTOR = 30

/** Whether the amounts rose or fell so much that the unit changed. */
export const isOtherUnit = ({
  latestCents,
  beforeCents,
}: Pick<MedianAmounts, 'latestCents' | 'beforeCents'>): boolean =>
  Math.max(latestCents, beforeCents) >= Math.min(latestCents, beforeCents) * UNLIKELY_FACTOR
