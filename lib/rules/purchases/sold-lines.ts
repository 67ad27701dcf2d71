/** The lines of a payment as they are stored. docs/stripe.md, "Lines". */
import { canonicalJson } from '../../values/json.ts'
import { apportion, MAX_LINES, type StoredLine } from '../rewards/sale-lines.ts'

/**
 * The lines of a payment, none of them negative, and at most `MAX_LINES`. A credit, such as the
 * unused time of a subscription, has a negative amount: it reduces all other lines in proportion.
 */
export const soldLines = (lines: StoredLine[]): StoredLine[] => bounded(withoutCredits(lines))

/** What stands for lines of which only the sum is known, or is kept. */
export const furtherLines = (count: number | null, amountCents: number): StoredLine => ({
  productId: null,
  name: count === null ? 'Further lines' : `${count} further ${count === 1 ? 'line' : 'lines'}`,
  quantity: 1,
  amountCents,
})

const sum = (lines: StoredLine[]): number =>
  lines.reduce((total, { amountCents }) => total + amountCents, 0)

const withoutCredits = (lines: StoredLine[]): StoredLine[] => {
  const charged = lines.filter(({ amountCents }) => amountCents >= 0)
  if (charged.length === lines.length) return lines
  const parts = apportion(
    BigInt(Math.max(0, sum(lines))),
    charged.map(({ amountCents }) => BigInt(amountCents)),
  )
  return charged.map((line, i) => ({ ...line, amountCents: Number(parts[i] ?? 0n) }))
}

/** Combines lines of one price first, then the smallest ones, until they are few enough. */
const bounded = (lines: StoredLine[]): StoredLine[] => {
  if (lines.length <= MAX_LINES) return lines
  const combined = [...Map.groupBy(lines, kindOf).values()].flatMap(combine)
  if (combined.length <= MAX_LINES) return combined
  const kept = combined.toSorted((a, b) => b.amountCents - a.amountCents).slice(0, MAX_LINES - 1)
  const rest = combined.filter((line) => !kept.includes(line))
  return [...combined.filter((line) => kept.includes(line)), furtherLines(rest.length, sum(rest))]
}

const kindOf = ({ productId, priceId, billingInterval, isProration }: StoredLine): string =>
  canonicalJson({ productId, priceId, billingInterval, isProration })

/** Several lines as one, without the id and the metadata that each of them has. */
const combine = (lines: StoredLine[]): StoredLine[] => {
  const [first, second] = lines
  if (!first || !second) return lines
  const { id: _id, metadata: _metadata, ...line } = first
  const quantity = lines.reduce((total, one) => total + one.quantity, 0)
  return [{ ...line, quantity, amountCents: sum(lines) }]
}
