/**
 * Which balances the money of the merchant's Stripe account covers. Currencies are never converted
 * into each other.
 */

/** Which balances are paid first where the money does not cover all of them. */
export const PAYOUT_ORDERS = ['smallest_first', 'largest_first'] as const
export type PayoutOrder = (typeof PAYOUT_ORDERS)[number]

/** An amount that is due. `id` decides between equal amounts. */
export type Due = { id: string; currency: string; amountCents: bigint }

/** Amounts that are covered, from one to another, both included, with their ids. */
type CoveredRange = { fromCents: string; fromId: string; toCents: string; toId: string }

/**
 * What the money covers, for the currencies in which it does not cover everything; all of the
 * others is covered. A run keeps it, so that it leaves out the same balances when it continues
 * after an interruption.
 */
export type Cover = Record<string, CoveredRange[]>

/** What is available, by currency, in minor units. A currency that is not in it has nothing. */
export type Available = ReadonlyMap<string, bigint>

const bySize = (a: Due, b: Due): number => {
  if (a.amountCents !== b.amountCents) return a.amountCents < b.amountCents ? -1 : 1
  return a.id < b.id ? -1 : 1
}

/**
 * Takes the amounts that still fit, one by one: one that doesn't is passed over.
 * @returns the first and last of each row
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
 * What the money covers of the balances that are due. Payouts that wait to be sent come first, as
 * far as the money suffices: one that is too large for it takes nothing away from smaller balances.
 *
 * The ranges stay few: passing over an amount and taking a smaller one halves what is left, at
 * least.
 *
 * @param waiting payouts that are not sent yet
 * @param due     balances that a run would pay
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
