/** Which balances the merchant's Stripe balance covers. Currencies are never converted. */

/** Which balances are paid first, if the money does not cover all of them. */
export const PAYOUT_ORDERS = ['smallest_first', 'largest_first'] as const
export type PayoutOrder = (typeof PAYOUT_ORDERS)[number]

/** An amount that is due. `id` orders equal amounts. */
export type Due = { id: string; currency: string; amountCents: bigint }

/** A range of covered amounts and their ids, inclusive. */
type CoveredRange = { fromCents: string; fromId: string; toCents: string; toId: string }

/**
 * The covered ranges, for currencies that are not covered in full. A run stores them, so that it
 * leaves out the same balances when it continues after an interruption.
 */
export type Cover = Record<string, CoveredRange[]>

/** The available amounts by currency, in minor units. A missing currency has nothing. */
export type Available = ReadonlyMap<string, bigint>

const bySize = (a: Due, b: Due): number => {
  if (a.amountCents !== b.amountCents) return a.amountCents < b.amountCents ? -1 : 1
  return a.id < b.id ? -1 : 1
}

/**
 * Takes the amounts that fit, one by one, and passes over the others.
 * @returns the first and last amount of each range
 */
const takeWhatFits = (ordered: Due[], availableCents: bigint) => {
  let leftCents = availableCents
  let isComplete = true
  let row: { first: Due; last: Due } | undefined
  const rows: { first: Due; last: Due }[] = []
  for (const due of ordered) {
    if (due.amountCents > leftCents) {
      isComplete = false
      row = undefined
      continue
    }
    leftCents -= due.amountCents
    if (!row) {
      row = { first: due, last: due }
      rows.push(row)
    }
    row.last = due
  }
  return { rows, leftCents, isComplete }
}

const toRange = (row: { first: Due; last: Due }): CoveredRange => {
  const [from, to] = bySize(row.first, row.last) < 0 ? [row.first, row.last] : [row.last, row.first]
  return {
    fromCents: String(from.amountCents),
    fromId: from.id,
    toCents: String(to.amountCents),
    toId: to.id,
  }
}

/**
 * What the money covers of the due balances. Payouts that wait to be sent come first, unless one is
 * too large for the money, which leaves it to smaller balances. There are few ranges, because each
 * amount that is passed over at least halves the rest.
 *
 * @param waiting payouts that are not sent yet
 * @param due balances that a run would pay
 */
export const coverOf = (
  due: Due[],
  { available, waiting, order }: { available: Available; waiting: Due[]; order: PayoutOrder },
): Cover => {
  const ordered = (amounts: Due[]) => {
    const sorted = [...amounts].sort(bySize)
    return order === 'largest_first' ? sorted.reverse() : sorted
  }
  const cover: Cover = {}
  for (const [currency, amounts] of Map.groupBy(due, (one) => one.currency)) {
    const before = ordered(waiting.filter((one) => one.currency === currency))
    const { leftCents } = takeWhatFits(before, available.get(currency) ?? 0n)
    const { rows, isComplete } = takeWhatFits(ordered(amounts), leftCents)
    if (!isComplete) cover[currency] = rows.map(toRange)
  }
  return cover
}
