import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Condition, Conditions, SaleFacts } from '../../lib/rules/rewards/conditions.ts'
import { earnByLine } from '../../lib/rules/rewards/earn-lines.ts'
import type { Pay, RewardTerms, Rule } from '../../lib/rules/rewards/rewards.ts'
import { apportion, linesOf, type StoredLine } from '../../lib/rules/rewards/sale-lines.ts'
import { SEEDS } from '../support/thorough.ts'

const AT = new Date('2026-05-15T12:00:00Z')
const percent = (share: number): Pay => ({ kind: 'percent', basisPoints: share * 100 })
const flat = (amountCents: number, per: 'sale' | 'unit', currency = 'USD'): Pay => ({
  kind: 'flat',
  amountCents,
  currency,
  per,
})
const BASE: RewardTerms = { kind: 'percent', basisPoints: 2000 }

const line = (productId: string | null, amountCents: number, more = {}): StoredLine => ({
  productId,
  quantity: 1,
  amountCents,
  ...more,
})

const rule = (pay: Pay, when: Condition | Conditions, more: Partial<Rule> = {}): Rule => ({
  name: 'Rule',
  when: 'fact' in when ? { all: [when] } : when,
  pay,
  ...more,
})

const earn = (
  rules: Rule[],
  lines: StoredLine[],
  more: Partial<SaleFacts> & {
    currency?: string
    base?: RewardTerms
    firstRewardedAt?: Date
    months?: number
  } = {},
) => {
  const { currency = 'USD', base = BASE, firstRewardedAt = null, months = null, ...facts } = more
  const amountCents = BigInt(lines.reduce((sum, one) => sum + one.amountCents, 0))
  return earnByLine(
    { ...base, rules },
    linesOf(amountCents, lines),
    {
      occurredAt: AT,
      sale: { amountCents, currency },
      metadata: null,
      country: null,
      coupons: [],
      link: null,
      sub: null,
      tier: null,
      history: { payments: 0, ofSubscription: null, firstSaleAt: null },
      ...facts,
    },
    { firstRewardedAt, months },
  )
}
const cents = (earned: ReturnType<typeof earn>) => earned.map((one) => Number(one.earnedCents))

describe('a line earns', () => {
  const annual = rule(percent(30), { fact: 'product', in: ['annual'] })

  test('what the first rule pays whose conditions hold, else the base', () => {
    const earned = earn(
      [
        annual,
        rule(percent(50), { fact: 'product', in: ['annual', 'course'] }, { name: 'Second' }),
      ],
      [line('annual', 79_000), line('course', 10_000), line('mug', 1_001)],
    )
    expect(cents(earned)).toEqual([23_700, 5_000, 200])
    expect(earned.map((one) => one.rule)).toEqual(['Rule', 'Second', null])
  })

  test('half up, each for itself', () => {
    expect(cents(earn([annual], [line('a', 3), line('b', 3), line('c', 2)]))).toEqual([1, 1, 0])
  })

  test('nothing by a rule that pays nothing', () => {
    expect(
      cents(earn([rule({ kind: 'none' }, { fact: 'product', in: ['x'] })], [line('x', 900)])),
    ).toEqual([0])
  })

  test('a flat amount per sale once for all lines of its rule, and never more than they cost', () => {
    const once = rule(flat(1_000, 'sale'), { fact: 'product', in: ['x', 'y'] })
    expect(cents(earn([once], [line('x', 2_000), line('z', 500), line('y', 1_000)]))).toEqual([
      667, 100, 333,
    ])
    expect(cents(earn([once], [line('x', 300), line('y', 200)]))).toEqual([300, 200])
  })

  test('a flat amount per unit, and never more than the line costs', () => {
    const seat = rule(flat(500, 'unit'), { fact: 'product', in: ['seat'] })
    expect(cents(earn([seat], [line('seat', 20_000, { quantity: 7 })]))).toEqual([3_500])
    expect(cents(earn([seat], [line('seat', 2_000, { quantity: 7 })]))).toEqual([2_000])
  })

  test('no flat amount in another currency: its rule does not match, and the line says so', () => {
    const [earned] = earn(
      [rule(flat(500, 'sale'), { fact: 'quantity', atLeast: 1 }), annual],
      [line('annual', 1_000)],
      { currency: 'EUR' },
    )
    expect(earned).toMatchObject({ earnedCents: 300n, otherCurrencies: ['Rule'] })
    const base: RewardTerms = { kind: 'flat', amountCents: 500, currency: 'USD' }
    const [other] = earn([annual], [line('x', 1_000)], { currency: 'EUR', base })
    expect(other).toMatchObject({ earnedCents: 0n, refusal: 'other_currency' })
  })

  test('no flat amount per sale for a proration, but its percentage', () => {
    const change = line('seat', 900, { isProration: true })
    expect(
      cents(earn([rule(flat(500, 'sale'), { fact: 'quantity', atLeast: 1 })], [change])),
    ).toEqual([0])
    expect(cents(earn([rule(percent(10), { fact: 'quantity', atLeast: 1 })], [change]))).toEqual([
      90,
    ])
  })

  test('for as long as its rule says, else the program', () => {
    const firstRewardedAt = new Date('2025-05-15T12:00:00Z')
    const long = { ...annual, durationMonths: 24 }
    const forever = rule(percent(1), { fact: 'product', in: ['seat'] }, { durationMonths: null })
    const earned = earn(
      [long, forever],
      [line('annual', 1_000), line('seat', 1_000), line('x', 1_000)],
      { firstRewardedAt, months: 12 },
    )
    expect(cents(earned)).toEqual([300, 10, 0])
    expect(earned.map((one) => one.refusal)).toEqual([null, null, 'past_reward_duration'])
  })
})

describe('a condition', () => {
  const history = { payments: 2, ofSubscription: 0, firstSaleAt: new Date('2026-02-15T12:00:00Z') }
  const cases: [
    string,
    Condition | Conditions,
    boolean,
    Partial<SaleFacts>?,
    Partial<StoredLine>?,
  ][] = [
    ['a product', { fact: 'product', in: ['x', 'y'] }, true],
    ['a price', { fact: 'product', in: ['price_1'] }, true, {}, { priceId: 'price_1' }],
    ['another product', { fact: 'product', in: ['y'] }, false],
    ['no product', { fact: 'product', in: ['y'] }, false, {}, { productId: null }],
    ['the first payment', { fact: 'payment', atMost: 1 }, true],
    ['a first payment of a known customer', { fact: 'payment', atMost: 1 }, false, { history }],
    ['a renewal', { fact: 'payment', atLeast: 2 }, true, { history }],
    ['the third payment', { fact: 'payment', atLeast: 3, atMost: 3 }, true, { history }],
    [
      'the first of its subscription',
      { fact: 'payment', of: 'subscription', atMost: 1 },
      true,
      { history },
    ],
    ['a sale without a subscription', { fact: 'payment', of: 'subscription', atLeast: 1 }, false],
    ['month 3, to the millisecond', { fact: 'customerMonths', atLeast: 3 }, true, { history }],
    ['before month 3 no more', { fact: 'customerMonths', below: 3 }, false, { history }],
    ['a new customer', { fact: 'customerMonths', below: 1 }, true],
    ['an amount of the line', { fact: 'lineAmount', currency: 'USD', atLeastCents: 1_000 }, true],
    ['below it', { fact: 'lineAmount', currency: 'USD', belowCents: 1_000 }, false],
    [
      'an amount in another currency',
      { fact: 'saleAmount', currency: 'EUR', atLeastCents: 1 },
      false,
    ],
    ['an amount of a lead', { fact: 'saleAmount', currency: 'USD' }, false, { sale: null }],
    ['a quantity', { fact: 'quantity', atLeast: 1, atMost: 1 }, true],
    ['a larger quantity', { fact: 'quantity', atMost: 4 }, false, {}, { quantity: 5 }],
    [
      'a billing interval',
      { fact: 'billingInterval', in: ['year'] },
      true,
      {},
      { billingInterval: 'year' },
    ],
    ['none', { fact: 'billingInterval', in: ['year'] }, false],
    ['any coupon', { fact: 'coupon' }, true, { coupons: ['A'] }],
    ['no coupon', { fact: 'coupon' }, false],
    ['a coupon, in any case', { fact: 'coupon', in: ['b'] }, true, { coupons: ['A', 'B'] }],
    ['a key of the sale', { fact: 'metadata', key: 'plan' }, true, { metadata: { plan: 'pro' } }],
    [
      'its value',
      { fact: 'metadata', key: 'plan', in: ['pro'] },
      true,
      { metadata: { plan: 'pro' } },
    ],
    ['a number', { fact: 'metadata', key: 'n', in: ['7'] }, true, { metadata: { n: 7 } }],
    [
      'the line’s value before the sale’s',
      { fact: 'metadata', key: 'plan', in: ['pro'] },
      false,
      { metadata: { plan: 'pro' } },
      { metadata: { plan: 'free' } },
    ],
    ['no key', { fact: 'metadata', key: 'plan' }, false],
    [
      'a key that objects inherit',
      { fact: 'metadata', key: 'constructor' },
      false,
      { metadata: {} },
    ],
    ['a country', { fact: 'country', in: ['DE', 'AT'] }, true, { country: 'DE' }],
    ['an unknown country', { fact: 'country', in: ['DE', 'AT'] }, false],
    ['a link, in any case', { fact: 'link', in: ['Maya'] }, true, { link: 'maya' }],
    ['another link', { fact: 'link', in: ['maya'] }, false, { link: 'leo' }],
    ['a channel', { fact: 'sub', in: ['mail'] }, false, { sub: 'video' }],
    ['a day', { fact: 'day', from: '2026-05-15', until: '2026-05-15' }, true],
    ['a later day', { fact: 'day', from: '2026-05-16' }, false],
    ['an earlier day', { fact: 'day', until: '2026-05-14' }, false],
    ['one of several', { any: [{ fact: 'coupon' }, { fact: 'quantity', atLeast: 1 }] }, true],
    ['not all of several', { all: [{ fact: 'coupon' }, { fact: 'quantity', atLeast: 1 }] }, false],
    [
      'a list in a list',
      {
        all: [
          { fact: 'quantity', atLeast: 1 },
          { any: [{ fact: 'coupon' }, { fact: 'sub', in: ['a'] }] },
        ],
      },
      true,
      { sub: 'a' },
    ],
  ]
  test.each(cases)('%s', (_, when, isMet, facts = {}, more = {}) => {
    const [earned] = earn([rule(percent(100), when)], [line('x', 1_000, more)], facts)
    expect(earned?.rule ?? null).toBe(isMet ? 'Rule' : null)
  })
})

describe('of any sale', () => {
  const products = fc.constantFrom('a', 'b', 'c')
  const lines = fc.array(
    fc
      .tuple(products, fc.nat(99_999), fc.integer({ min: 1, max: 9 }))
      .map(([product, amount, quantity]) => line(product, amount, { quantity })),
    { minLength: 1, maxLength: 6 },
  )
  const pays = fc.oneof(
    fc.nat(100).map(percent),
    fc
      .tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom('sale' as const, 'unit' as const))
      .map(([amount, per]) => flat(amount, per)),
  )
  const rules = fc.array(
    fc.tuple(pays, products).map(([pay, product]) => rule(pay, { fact: 'product', in: [product] })),
    { maxLength: 4 },
  )
  const named = (all: Rule[]) => all.map((one, i) => ({ ...one, name: `Rule ${i}` }))
  const sum = (amounts: bigint[]) => amounts.reduce((all, one) => all + one, 0n)

  test('no line earns more than it costs', () => {
    fc.assert(
      fc.property(rules, lines, (all, sold) =>
        earn(named(all), sold).every(
          (one) => one.earnedCents >= 0n && one.earnedCents <= one.line.amountCents,
        ),
      ),
      { seed: SEEDS[0] },
    )
  })

  test('the order of the lines does not matter', () => {
    fc.assert(
      fc.property(rules, lines, (all, sold) => {
        const [one, other] = [sold, sold.toReversed()].map((ordered) =>
          sum(earn(named(all), ordered).map(({ earnedCents }) => earnedCents)),
        )
        return one === other
      }),
      { seed: SEEDS[0] },
    )
  })

  test('parts add up to the whole, and differ from their share by less than a cent', () => {
    const weights = fc.array(fc.nat(9_999).map(BigInt), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.nat(99_999).map(BigInt), weights, (amount, all) => {
        const parts = apportion(amount, all)
        const whole = sum(all)
        const off = (i: number) => (parts[i] ?? 0n) * whole - amount * (all[i] ?? 0n)
        return (
          sum(parts) === amount &&
          (whole === 0n || parts.every((_, i) => off(i) > -whole && off(i) < whole))
        )
      }),
      { seed: SEEDS[0] },
    )
  })
})
