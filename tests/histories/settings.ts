/** The settings of a random merchant, and what managers change of them. */
import fc from 'fast-check'

const money = (amountCents: number, currency = 'USD') => ({ amountCents, currency })
const flat = (amountCents: number, currency = 'USD') => ({
  kind: 'flat',
  ...money(amountCents, currency),
})
const unit = (amountCents: number) => ({ ...flat(amountCents), per: 'unit' })
const rule = (name: string, when: object, pay: object) => ({ name, when: { all: [when] }, pay })

/** Rules of rewards, as the API takes them. */
const RULES = {
  none: [],
  products: [
    rule('Books', { fact: 'product', in: ['book', 'prod_book'] }, unit(150)),
    rule('Courses', { fact: 'product', in: ['course'] }, { kind: 'percent', percent: 40 }),
    rule('Mugs', { fact: 'product', in: ['mug', 'prod_mug'] }, { kind: 'none' }),
  ],
  payments: [
    rule('First payments', { fact: 'payment', atMost: 1 }, { kind: 'percent', percent: 50 }),
    rule('Third payments', { fact: 'payment', atLeast: 3, atMost: 3 }, { kind: 'none' }),
  ],
  months: [
    {
      ...rule(
        'New customers',
        { fact: 'customerMonths', below: 1 },
        { kind: 'percent', percent: 33 },
      ),
      durationMonths: 2,
    },
  ],
  amounts: [
    rule('Large sales', { fact: 'saleAmount', currency: 'USD', atLeastCents: 4_000 }, flat(300)),
    rule('Euros', { fact: 'lineAmount', currency: 'EUR', belowCents: 4_000 }, flat(222, 'EUR')),
  ],
  visits: [
    rule('Links of Maya', { fact: 'link', in: ['maya'] }, { kind: 'percent', percent: 7 }),
    rule('Coupons', { fact: 'coupon' }, { kind: 'percent', percent: 15 }),
    rule('Germany', { fact: 'country', in: ['DE'] }, flat(99)),
  ],
  tiers: [
    rule('Gold', { fact: 'tier', in: ['Gold'] }, { kind: 'percent', percent: 35 }),
    rule('Silver', { fact: 'tier', in: ['Silver', 'Bronze'] }, unit(120)),
  ],
}

const gold = (atLeast: number) => ({ name: 'Gold', atLeast })
const byNetSales = { by: 'netSales', currency: 'USD' }

/** Tiers of programs. The group is where one that moves partners leads to. */
const TIERS = {
  none: () => null,
  sales: () => ({
    ...{ by: 'sales', period: 'ever' },
    levels: [{ name: 'Silver', atLeast: 1 }, gold(2)],
  }),
  customers: (groupId: string) => ({
    ...{ by: 'customers', period: 'quarter', timeZone: 'America/Los_Angeles' },
    levels: [{ ...gold(1), groupId, movesBack: true }],
  }),
  net: (groupId: string) => ({
    ...{ ...byNetSales, period: 'year', timeZone: 'Asia/Tokyo' },
    levels: [
      { name: 'Bronze', atLeastCents: 900, groupId },
      { name: 'Silver', atLeastCents: 3_000 },
      { name: 'Gold', atLeastCents: 7_000 },
    ],
  }),
  month: () => ({
    ...{ ...byNetSales, period: 'month' },
    levels: [{ name: 'Gold', atLeastCents: 2_000 }],
  }),
}
export type TierList = keyof typeof TIERS
export const tierList = fc.constantFrom(...(Object.keys(TIERS) as TierList[]))

/** Tiers, as the API takes them. */
export const tiersOf = (tiers: TierList, groupId: string) => TIERS[tiers](groupId)

/** Caps of rewards. Most sales are of 10.00 to 50.00. */
const CAPS = {
  none: [],
  sale: [{ per: 'sale', ...money(800) }],
  customer: [
    { per: 'customer', ...money(1_500) },
    { per: 'customer', ...money(900, 'EUR') },
  ],
  both: [
    { per: 'sale', ...money(900) },
    { per: 'customer', ...money(2_000) },
  ],
}

export type Terms = {
  percent: number | null
  rules: keyof typeof RULES
  caps: keyof typeof CAPS
  interval: 'one-time' | 'recurring'
  oneTimePer: 'customer' | 'product'
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
  /** With a reward that asks for them, if there are any. */
  tiers: [TierList, TierList]
  /** Of the first program: an index of BONUSES. */
  bonuses: number
  budget: Budget
}

type Budget = ReturnType<typeof money> | null
export const budget = fc.constantFrom<Budget[]>(null, null, money(250), money(100, 'EUR'))

export const terms = fc.record<Terms>({
  /** null is a flat reward. */
  percent: fc.constantFrom(10, 20, null),
  rules: fc.constantFrom(
    'none',
    'products',
    'payments',
    ...(Object.keys(RULES) as (keyof typeof RULES)[]),
  ),
  caps: fc.constantFrom('none', 'none', 'sale', 'customer', 'both'),
  interval: fc.constantFrom('recurring', 'one-time'),
  oneTimePer: fc.constantFrom('customer', 'product'),
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
  tiers: fc.tuple(tierList, tierList),
  bonuses: fc.constantFrom(0, 0, 1, 2, 3),
  budget,
})

/** Without what depends on when a sale is decided. */
export const WITHOUT_MILESTONES: Pick<Settings, 'tiers' | 'bonuses' | 'budget'> = {
  tiers: ['none', 'none'],
  bonuses: 0,
  budget: null,
}

const monthsOf = ({ interval, months }: Terms) => (interval === 'recurring' ? months : null)

/** The columns of a program with these terms. */
export const columnsOf = (terms: Terms) => ({
  reward:
    terms.percent === null ? { amountCents: 700n, currency: 'USD' } : { percent: terms.percent },
  reward_interval: terms.interval,
  one_time_per: terms.oneTimePer,
  reward_duration_months: monthsOf(terms),
  attribution: terms.attribution,
  attribute_known_customers: terms.knowsCustomers,
  late_lead_days: 7,
  trusted_attribution: true,
  holding_days: 0,
  minimum_payout_cents: 0,
})

/** The reward of these terms, as the API takes it. */
export const rewardOf = ({ percent, rules, caps }: Pick<Terms, 'percent' | 'rules' | 'caps'>) => ({
  ...(percent === null ? flat(700) : { kind: 'percent', percent }),
  rules: RULES[rules],
  caps: CAPS[caps],
})

/** The request that changes a program's terms to these. */
export const changeOf = (terms: Terms) => ({
  reward: rewardOf(terms),
  rewardInterval: terms.interval,
  oneTimePer: terms.oneTimePer,
  rewardDurationMonths: monthsOf(terms),
  attribution: terms.attribution,
  attributeKnownCustomers: terms.knowsCustomers,
})
