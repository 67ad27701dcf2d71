/** Caps of a reward: what is earned at most. docs/rewards.md, "Caps". */
import { least, type Money } from '../../values/money.ts'

/** What a sale, a customer, or a partner's month earns at most. */
export const CAPPED = ['sale', 'customer', 'partner_month'] as const
export type Capped = (typeof CAPPED)[number]

/** At most so much in its currency. Commissions in other currencies are not capped by it. */
export type Cap = { per: Capped; amountCents: number; currency: string }

/** What sales have earned a partner, before reversals: a refund frees no room. */
export type EarnedSum = { partnerId: string; currency: string; cents: number }

/** What counts towards the caps of a sale. */
export type CapFacts = {
  /** By the customer's earlier sales. */
  ofCustomer: EarnedSum[]
  /** By other sales of the month, whoever the customer. */
  inMonth: EarnedSum[]
  /** The first day of the sale's month, in UTC: 2026-11-01. */
  month: string
  /** Present for a sale of the month that is decided again. */
  decided?: DecidedMonth | null
}

/** What a sale has earned of its month, and what the cap of the month had left for it. */
export type DecidedMonth = { partnerId: string; earned: Money | null; left: Money | null }

/**
 * By what a sale was decided that is under a cap of the month: under a lock, whoever saves it finds
 * out whether the present amount of other sales leaves the same. See assert_month_cap.
 */
export type MonthCap = {
  partnerId: string
  month: string
  currency: string
  capCents: number
  /** What the sale earns if the month has room for it. */
  wantedCents: number
  /** What it has earned before, and keeps. */
  keptCents: number
  earnedCents: number
}

/** What caps leave of what a sale earns. `applied` is the cap that leaves the least, if one cuts. */
export type CappedEarning = {
  leftCents: bigint
  applied: (Cap & { leftCents: bigint }) | null
  monthCap: MonthCap | null
}

/**
 * Reduces what a sale earns to what is left by all caps of its reward in the currency. Of caps that
 * leave equally little, the first of `CAPPED` is named.
 *
 * @param facts undefined if nothing was earned before
 */
export const applyCaps = (
  { amountCents, currency }: Money,
  caps: Cap[],
  partnerId: string,
  facts: CapFacts | undefined,
): CappedEarning => {
  const found = CAPPED.flatMap((per) =>
    caps.filter((cap) => cap.per === per && cap.currency === currency),
  )
  const used = (sums: EarnedSum[] = []): bigint =>
    sums.reduce(
      (cents, sum) =>
        sum.partnerId === partnerId && sum.currency === currency
          ? cents + BigInt(sum.cents)
          : cents,
      0n,
    )
  const decided = facts?.decided?.partnerId === partnerId ? facts.decided : null
  const inCurrency = (money: Money | null | undefined): bigint | null =>
    money?.currency === currency ? money.amountCents : null
  const keptOf = (cap: Cap): bigint =>
    least(inCurrency(decided?.earned) ?? 0n, BigInt(cap.amountCents))
  /** What the sale may have of its month, whatever others have earned. */
  const mostOfMonth = inCurrency(decided?.left) ?? amountCents
  const roomOf = (cap: Cap): bigint => {
    const whole = BigInt(cap.amountCents)
    if (cap.per === 'sale') return whole
    if (cap.per === 'customer') return most(whole - used(facts?.ofCustomer), 0n)
    return least(mostOfMonth, most(whole - used(facts?.inMonth), keptOf(cap)))
  }

  const limits = found.map((cap) => ({ ...cap, leftCents: roomOf(cap) }))
  const leftOf = (some: { leftCents: bigint }[]): bigint =>
    some.reduce((left, { leftCents }) => least(left, leftCents), amountCents)
  const leftCents = leftOf(limits)
  const ofMonth = found.find(({ per }) => per === 'partner_month')
  const wanted = least(leftOf(limits.filter(({ per }) => per !== 'partner_month')), mostOfMonth)
  return {
    leftCents,
    applied: limits.find((one) => one.leftCents === leftCents && leftCents < amountCents) ?? null,
    monthCap:
      ofMonth && facts
        ? {
            partnerId,
            month: facts.month,
            currency,
            capCents: ofMonth.amountCents,
            wantedCents: Number(wanted),
            keptCents: Number(keptOf(ofMonth)),
            earnedCents: Number(leftCents),
          }
        : null,
  }
}

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** The first day of the month of a time, in UTC. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`
