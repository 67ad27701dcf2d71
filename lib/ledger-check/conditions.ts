/**
 * The conditions of rules, evaluated anew from what is stored. On purpose, it shares only types
 * with what decides sales. Null: what a condition asks is not stored.
 */
import type { Condition, Conditions } from '../rules/rewards/conditions.ts'
import type { StoredLine } from '../rules/rewards/sale-lines.ts'

/** A line of a recorded sale, with what conditions may ask of the sale. Amounts are minor units. */
export type AskedLine = {
  stored: StoredLine | null
  amountCents: number
  saleCents: number
  currency: string
  /** ISO 8601, as of Postgres. */
  occurredAt: string
  metadata: Record<string, unknown> | null
  country: string | null
  /** Whether metadata and country were erased with the customer. */
  isErased: boolean
  /**
   * How many sales the customer paid earlier: at least the ones that certainly count. Null if
   * nobody asks, or the customer is not known.
   */
  paidBefore: { least: number; most: number } | null
  /** By the step of the sale. Null for none. */
  tier: string | null
}

type Truth = boolean | null

/** Whether the conditions hold for a line. */
export const hold = (when: Conditions | Condition, line: AskedLine): Truth => {
  if ('fact' in when) return holdsOne(when, line)
  if ('all' in when) return everyOf(when.all.map((one) => hold(one, line)))
  return not(everyOf(when.any.map((one) => not(hold(one, line)))))
}

const not = (truth: Truth): Truth => (truth === null ? null : !truth)

const everyOf = (truths: Truth[]): Truth => {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

const holdsOne = (condition: Condition, line: AskedLine): Truth => {
  const { stored, amountCents, saleCents, currency } = line
  switch (condition.fact) {
    case 'product':
      return [stored?.productId, stored?.priceId].some(
        (id) => id != null && condition.in.includes(id),
      )
    case 'quantity': {
      const quantity = stored?.quantity ?? 1
      return !isBelow(quantity, condition.atLeast) && !isAbove(quantity, condition.atMost)
    }
    case 'billingInterval':
      return condition.in.some((interval) => interval === stored?.billingInterval)
    case 'country':
      return line.isErased ? null : condition.in.some((country) => country === line.country)
    case 'metadata':
      return line.isErased ? null : holdsMetadata(condition, line)
    case 'lineAmount':
      return condition.currency === currency && isAmount(amountCents, condition)
    case 'saleAmount':
      return condition.currency === currency && isAmount(saleCents, condition)
    case 'day': {
      const day = new Date(line.occurredAt).toISOString().slice(0, 10)
      return (
        !(condition.from && day < condition.from) && !(condition.until && day > condition.until)
      )
    }
    case 'payment':
      return condition.of === 'subscription' ? null : holdsPayment(condition, line)
    case 'tier':
      return condition.in.some((tier) => tier === line.tier)
    // What the customer, its coupons and its click were at that time is not kept.
    case 'customerMonths':
    case 'coupon':
    case 'link':
    case 'sub':
      return null
  }
}

const isBelow = (value: number, least: number | undefined) => least !== undefined && value < least
const isAbove = (value: number, most: number | undefined) => most !== undefined && value > most

const isAmount = (cents: number, asked: { atLeastCents?: number; belowCents?: number }): boolean =>
  !isBelow(cents, asked.atLeastCents) &&
  (asked.belowCents === undefined || cents < asked.belowCents)

const holdsMetadata = (
  { key, in: wanted }: Extract<Condition, { fact: 'metadata' }>,
  { stored, metadata }: AskedLine,
): boolean => {
  const of = [stored?.metadata, metadata].find(
    (one) => one && Object.hasOwn(one, key) && one[key] != null,
  )
  if (!of) return false
  const value = of[key]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return wanted === undefined || wanted.includes(text)
}

const holdsPayment = (
  { atLeast, atMost }: Extract<Condition, { fact: 'payment' }>,
  { paidBefore }: AskedLine,
): Truth => {
  if (!paidBefore) return null
  const isIn = (number: number) => !isBelow(number, atLeast) && !isAbove(number, atMost)
  const numbers = Array.from(
    { length: paidBefore.most - paidBefore.least + 1 },
    (_, more) => paidBefore.least + 1 + more,
  )
  if (numbers.every(isIn)) return true
  return numbers.some(isIn) ? null : false
}
