/** The settings of a random merchant, and what managers change of them. */
import fc from 'fast-check'

export type Terms = {
  percent: number | null
  interval: 'one-time' | 'recurring'
  months: number | null
  attribution: 'last' | 'first'
  knowsCustomers: boolean
}

export type Settings = {
  terms: [Terms, Terms]
  salesFrom: 'both' | 'stripe' | 'api'
  isShared: boolean
  idsIn: 'metadata' | 'reference'
  schedule: string
  holdingDays: number
}

export const terms = fc.record<Terms>({
  /** null is a flat reward. */
  percent: fc.constantFrom(10, 20, null),
  interval: fc.constantFrom('recurring', 'one-time'),
  months: fc.constantFrom(null, 1, 3),
  attribution: fc.constantFrom('last', 'first'),
  knowsCustomers: fc.boolean(),
})

export const settings = fc.record<Settings>({
  terms: fc.tuple(terms, terms),
  salesFrom: fc.constantFrom('both', 'both', 'stripe', 'api'),
  /** Whether another workspace gets the same events from Stripe. */
  isShared: fc.constantFrom(false, false, true),
  /**
   * Where checkouts have the merchant's ids. By references, it depends on the order of events which
   * customers are merged.
   */
  idsIn: fc.constantFrom('metadata', 'metadata', 'reference'),
  /** Of the first program, whose partners have accounts that can be paid unless it is manual. */
  schedule: fc.constantFrom('manual', 'weekly', 'monthly'),
  /** Longer than the cron waits at the end, or none. */
  holdingDays: fc.constantFrom(0, 0, 40),
})

const monthsOf = ({ interval, months }: Terms) => (interval === 'recurring' ? months : null)

/** The columns of a program with these terms. */
export const columnsOf = (terms: Terms) => ({
  reward:
    terms.percent === null ? { amountCents: 700n, currency: 'USD' } : { percent: terms.percent },
  reward_interval: terms.interval,
  reward_duration_months: monthsOf(terms),
  attribution: terms.attribution,
  attribute_known_customers: terms.knowsCustomers,
  late_lead_days: 7,
  trusted_attribution: true,
  holding_days: 0,
  minimum_payout_cents: 0,
})

/** The request that changes a program's terms to these. */
export const changeOf = (terms: Terms) => ({
  reward:
    terms.percent === null
      ? { kind: 'flat', amountCents: 700, currency: 'USD' }
      : { kind: 'percent', percent: terms.percent },
  rewardInterval: terms.interval,
  rewardDurationMonths: monthsOf(terms),
  attribution: terms.attribution,
  attributeKnownCustomers: terms.knowsCustomers,
})
