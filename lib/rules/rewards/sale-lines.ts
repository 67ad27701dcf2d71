/** The lines of a sale: what was bought, each with its part of the net amount. */
import { sumOf } from '../../values/money.ts'

/** Other periods, such as five weeks, have no name and match no condition. */
export const BILLING_INTERVALS = ['day', 'week', 'month', 'quarter', 'half_year', 'year'] as const
export type BillingInterval = (typeof BILLING_INTERVALS)[number]

/** A line as it is stored with its sale. Amounts are minor units of the sale's currency. */
export type StoredLine = {
  productId: string | null
  priceId?: string
  name?: string
  quantity: number
  /** Net of discounts and tax. */
  amountCents: number
  metadata?: Record<string, unknown>
  billingInterval?: BillingInterval
  /** Whether it charges for a change of a subscription in the middle of a period. */
  isProration?: true
  /** The processor's id of the line, by which its credit notes name it. */
  id?: string
}

export type SaleLine = Omit<StoredLine, 'amountCents'> & { amountCents: bigint }

/** The lines are stored in the row of their event, which is read and written as a whole. */
export const MAX_LINES = 100

/**
 * The lines of a sale, whose amounts add up to the sale's: what else was paid, or discounted, is
 * spread over them. Without lines, the sale is one line without a product.
 */
export const linesOf = (amountCents: bigint, stored: StoredLine[] | null): SaleLine[] => {
  if (!stored?.length) return [{ productId: null, quantity: 1, amountCents }]
  const parts = apportion(
    amountCents,
    stored.map((line) => BigInt(line.amountCents)),
  )
  return stored.map((line, i) => ({ ...line, amountCents: parts[i] ?? 0n }))
}

/** A change of a subscription of which nothing was rewarded before is its first payment. */
export const asFirstPayment = ({ isProration: _, ...line }: StoredLine): StoredLine => line

/**
 * Spreads an amount in proportion to weights, in integers: the largest remainders are rounded up,
 * the first of equal ones before the others. If all weights are 0, the first gets all.
 *
 * @param amountCents 0 or more
 * @param weights     0 or more each
 */
export const apportion = (amountCents: bigint, weights: bigint[]): bigint[] => {
  const whole = sumOf(weights)
  if (whole === 0n) return weights.map((_, i) => (i === 0 ? amountCents : 0n))
  const parts = weights.map((weight, i) => ({
    i,
    cents: (amountCents * weight) / whole,
    remainder: (amountCents * weight) % whole,
  }))
  const left = amountCents - sumOf(parts.map(({ cents }) => cents))
  const roundedUp = parts
    .toSorted((a, b) => Number(b.remainder - a.remainder) || a.i - b.i)
    .slice(0, Number(left))
    .map(({ i }) => i)
  return parts.map(({ i, cents }) => cents + (roundedUp.includes(i) ? 1n : 0n))
}
