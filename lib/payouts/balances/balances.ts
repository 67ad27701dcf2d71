/** What is payable, blocked and owed back, of the balances of a workspace's partners. */
import type { SkipCode } from '../payouts.ts'

type Total = { currency: string; code: SkipCode | null; amountCents: bigint }

/** Sums by currency, in minor units, each 0 or more. */
export type Payable = {
  currency: string
  /** The sum that a run would pay. */
  payableCents: bigint
  /** The sum that a run would skip, without debts and without what no run will ever pay. */
  blockedCents: bigint
  /** The sum of negative balances. */
  owedCents: bigint
}

/** The sums of one currency. Partners are not netted against each other. */
export const payableIn = (totals: Total[], currency: string): Payable => {
  const sum = (isCounted: (code: SkipCode | null) => boolean) =>
    totals.reduce(
      (cents, total) =>
        total.currency === currency && isCounted(total.code) ? cents + total.amountCents : cents,
      0n,
    )
  return {
    currency,
    payableCents: sum((code) => code === null),
    blockedCents: sum(
      (code) => code !== null && code !== 'negative_balance' && code !== 'test_partner',
    ),
    owedCents: -sum((code) => code === 'negative_balance'),
  }
}

/** A page of all balances of up to `limit` partners. @param rows those of at most `limit` + 1 */
export const pageOfPartners = <Row extends { partnerId: string }>(
  rows: Row[],
  limit: number,
): { data: Row[]; nextCursor: string | null } => {
  const ids = [...new Set(rows.map(({ partnerId }) => partnerId))]
  const last = ids[limit - 1]
  if (ids.length <= limit || last === undefined) return { data: rows, nextCursor: null }
  const shown = new Set(ids.slice(0, limit))
  return { data: rows.filter(({ partnerId }) => shown.has(partnerId)), nextCursor: last }
}
