/** Signs of a wrong backend: one customer id for all guests, or amounts not in minor units. */

/** The customer id with the most reported sales of the last 30 days. */
export type BusiestCustomer = { customerExternalId: string; sales: number; ofSales: number }

/** Median amounts, in minor units, of a program's latest sales and of those before them. */
export type MedianAmounts = {
  programId: string
  program: string
  currency: string
  latestCents: number
  beforeCents: number
}

/**
 * A customer may well buy twice in three weeks of a month, and the only customer of a new shop is
 * most of its sales.
 */
const MOST_SALES_OF_ONE = 20

/** Whether an id has so many of all sales that it stands for many customers. */
export const isForMany = ({ sales, ofSales }: BusiestCustomer): boolean =>
  sales > MOST_SALES_OF_ONE && sales * 2 > ofSales

/** A wrong unit differs by 100, or less if prices changed too. Prices alone change far less. */
const UNLIKELY_FACTOR = 30

/** Whether the amounts rose or fell so much that the unit changed. */
export const isOtherUnit = ({
  latestCents,
  beforeCents,
}: Pick<MedianAmounts, 'latestCents' | 'beforeCents'>): boolean =>
  Math.max(latestCents, beforeCents) >= Math.min(latestCents, beforeCents) * UNLIKELY_FACTOR
