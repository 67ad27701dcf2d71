/** The conditions of a reward's rules. docs/rewards.md, "Conditions". */
import { dayOf, monthsAfter } from '../../values/days.ts'
import type { Money } from '../../values/money.ts'
import { slugKey } from '../../values/slugs.ts'
import type { BillingInterval, SaleLine } from './sale-lines.ts'

/** One condition on a line, or on the sale, the customer or the click that it belongs to. */
export type Condition =
  /** The line's product or price is one of these. */
  | { fact: 'product'; in: string[] }
  /** Which payment of the customer it is, or of the subscription: the first is 1. Inclusive. */
  | { fact: 'payment'; of?: 'customer' | 'subscription'; atLeast?: number; atMost?: number }
  /** Months since the customer's first sale: the 12th month is not `below` 12. */
  | { fact: 'customerMonths'; atLeast?: number; below?: number }
  /** The net amount of the line or the sale. Another currency does not match. */
  | {
      fact: 'lineAmount' | 'saleAmount'
      currency: string
      atLeastCents?: number
      belowCents?: number
    }
  | { fact: 'quantity'; atLeast?: number; atMost?: number }
  | { fact: 'billingInterval'; in: BillingInterval[] }
  /** Any coupon, or one of these. */
  | { fact: 'coupon'; in?: string[] }
  /** The key is there, or has one of these values, compared as text. The line's own come first. */
  | { fact: 'metadata'; key: string; in?: string[] }
  /** ISO 3166: DE. */
  | { fact: 'country'; in: string[] }
  /** The slug of the clicked link. */
  | { fact: 'link'; in: string[] }
  | { fact: 'sub'; in: string[] }
  /** The partner's tier on the day of the sale. */
  | { fact: 'tier'; in: string[] }
  /** The day of the sale in UTC. Inclusive: the whole of the last day counts. */
  | { fact: 'day'; from?: string; until?: string }

/** The conditions that a lead has, which has no amount, lines or payments. */
export const LEAD_FACTS: Condition['fact'][] = [
  'country',
  'link',
  'sub',
  'tier',
  'metadata',
  'day',
  'coupon',
]

/** All or any of several conditions, each of which may be a list of the other kind. */
export type Conditions =
  | { all: (Condition | { any: Condition[] })[] }
  | { any: (Condition | { all: Condition[] })[] }

/** What a customer paid before a sale. */
export type PaymentHistory = {
  payments: number
  /** Of the sale's subscription; null if it has none. */
  ofSubscription: number | null
  /** When the customer paid first, or the import of the customer said so. */
  firstSaleAt: Date | null
}

export const NO_PAYMENTS: PaymentHistory = { payments: 0, ofSubscription: null, firstSaleAt: null }

/** What conditions ask of a sale or lead, beside its lines. */
export type SaleFacts = {
  occurredAt: Date
  /** Net of tax; null for a lead. */
  sale: Money | null
  metadata: Record<string, unknown> | null
  country: string | null
  /** Coupon ids, promotion code ids and codes. */
  coupons: string[]
  link: string | null
  sub: string | null
  /** The partner's, on the day of the sale; null below the first one. */
  tier: string | null
  history: PaymentHistory
}

/** Whether the conditions hold for a line of a sale. */
export const areMet = (conditions: Conditions, line: SaleLine, facts: SaleFacts): boolean => {
  const isMet = (item: Condition | Conditions): boolean =>
    'fact' in item ? isConditionMet(item, line, facts) : areMet(item, line, facts)
  return 'all' in conditions ? conditions.all.every(isMet) : conditions.any.some(isMet)
}

const isConditionMet = (condition: Condition, line: SaleLine, facts: SaleFacts): boolean => {
  const { sale, history, occurredAt } = facts
  switch (condition.fact) {
    case 'product':
      return isOneOf(condition.in, line.productId) || isOneOf(condition.in, line.priceId)
    case 'payment': {
      const before = condition.of === 'subscription' ? history.ofSubscription : history.payments
      return before !== null && isWithin(before + 1, condition.atLeast, condition.atMost)
    }
    case 'customerMonths': {
      const since = history.firstSaleAt ?? occurredAt
      const { atLeast = 0, below } = condition
      return (
        occurredAt >= monthsAfter(since, atLeast) &&
        (below === undefined || occurredAt < monthsAfter(since, below))
      )
    }
    case 'lineAmount':
      return sale !== null && isAmount(condition, { ...sale, amountCents: line.amountCents })
    case 'saleAmount':
      return sale !== null && isAmount(condition, sale)
    case 'quantity':
      return isWithin(line.quantity, condition.atLeast, condition.atMost)
    case 'billingInterval':
      return isOneOf(condition.in, line.billingInterval)
    case 'coupon':
      return facts.coupons.some((coupon) => !condition.in || isSameText(condition.in, coupon))
    case 'metadata': {
      const value =
        ownValue(line.metadata, condition.key) ?? ownValue(facts.metadata, condition.key)
      return value != null && (condition.in?.includes(textOf(value)) ?? true)
    }
    case 'country':
      return isOneOf(condition.in, facts.country)
    case 'link':
      return facts.link !== null && isSameText(condition.in, facts.link)
    case 'sub':
      return isOneOf(condition.in, facts.sub)
    case 'tier':
      return isOneOf(condition.in, facts.tier)
    case 'day': {
      const day = dayOf(occurredAt)
      const { from = day, until = day } = condition
      return from <= day && day <= until
    }
  }
}

/** Of the metadata itself: each object inherits a key such as `constructor`. */
const ownValue = (metadata: Record<string, unknown> | null | undefined, key: string): unknown =>
  metadata && Object.hasOwn(metadata, key) ? metadata[key] : undefined

const isOneOf = <T>(list: T[], value: T | null | undefined): boolean =>
  value != null && list.includes(value)

/** Slugs and codes of coupons are compared as attribution does it. */
const isSameText = (list: string[], value: string): boolean =>
  list.some((one) => slugKey(one) === slugKey(value))

const isWithin = (value: number, atLeast = 0, atMost = Number.POSITIVE_INFINITY): boolean =>
  atLeast <= value && value <= atMost

const isAmount = (
  { currency, atLeastCents = 0, belowCents }: Extract<Condition, { currency: string }>,
  amount: Money,
): boolean =>
  amount.currency === currency &&
  amount.amountCents >= atLeastCents &&
  (belowCents === undefined || amount.amountCents < belowCents)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The conditions, whatever list they stand in. */
export const eachCondition = (conditions: Conditions): Condition[] =>
  ('all' in conditions ? conditions.all : conditions.any).flatMap((item) =>
    'fact' in item ? [item] : eachCondition(item),
  )
