import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Condition, Conditions, SaleFacts } from '../../lib/rules/rewards/conditions.ts'
import { conflictsOf, unknownTiers } from '../../lib/rules/rewards/conflicts.ts'
import { earnByLine } from '../../lib/rules/rewards/earn-lines.ts'
import type { Pay, Rule } from '../../lib/rules/rewards/rewards.ts'
import { linesOf, type StoredLine } from '../../lib/rules/rewards/sale-lines.ts'
import { SEEDS } from '../support/thorough.ts'

const THIRTY: Pay = { kind: 'percent', basisPoints: 3000 }
const flat = (currency: string): Pay => ({ kind: 'flat', amountCents: 500, currency, per: 'sale' })
const rule = (when: Conditions | Condition, pay: Pay = THIRTY): Rule => ({
  name: 'Rule',
  when: 'fact' in when ? { all: [when] } : when,
  pay,
})
const product = (...ids: string[]): Condition => ({ fact: 'product', in: ids })
const country = (...codes: string[]): Condition => ({ fact: 'country', in: codes })

test.each<[string, Condition[], Condition['fact']]>([
  ['a list without a value', [product()], 'product'],
  ['payments at least 3, at most 2', [{ fact: 'payment', atLeast: 3, atMost: 2 }], 'payment'],
  ['the 0th payment', [{ fact: 'payment', atMost: 0 }], 'payment'],
  [
    'months at least 12, below 12',
    [{ fact: 'customerMonths', atLeast: 12, below: 12 }],
    'customerMonths',
  ],
  ['no amount', [{ fact: 'lineAmount', currency: 'USD', belowCents: 0 }], 'lineAmount'],
  ['days until before from', [{ fact: 'day', from: '2026-12-02', until: '2026-12-01' }], 'day'],
  [
    'two ranges apart',
    [
      { fact: 'quantity', atLeast: 5 },
      { fact: 'quantity', atMost: 4 },
    ],
    'quantity',
  ],
  ['two countries', [country('DE'), country('FR')], 'country'],
  [
    'two values of a key',
    [
      { fact: 'metadata', key: 'plan', in: ['a'] },
      { fact: 'metadata', key: 'plan', in: ['b'] },
    ],
    'metadata',
  ],
  [
    'amounts in two currencies',
    [
      { fact: 'lineAmount', currency: 'USD' },
      { fact: 'saleAmount', currency: 'EUR' },
    ],
    'saleAmount',
  ],
])('%s: no line meets the conditions', (_, all, fact) => {
  expect(conflictsOf([rule({ all })])).toEqual([{ rule: 0, reason: 'impossible', fact }])
})

test('a flat amount in one currency with a condition in another applies to nothing', () => {
  const euros = rule({ fact: 'saleAmount', currency: 'EUR', atLeastCents: 1000 }, flat('USD'))
  expect(conflictsOf([euros])).toMatchObject([{ rule: 0, reason: 'impossible' }])
})

test.each<[string, Condition | Conditions, Condition | Conditions]>([
  ['the same conditions', product('a'), product('a')],
  ['some of the values', product('a', 'b'), product('b')],
  ['more conditions', product('a'), { all: [product('a'), country('DE')] }],
  ['a range within', { fact: 'payment', atLeast: 2 }, { fact: 'payment', atLeast: 3, atMost: 5 }],
  ['one of the ways', { any: [product('a'), country('DE')] }, country('DE')],
  ['all of the ways', product('a', 'b'), { any: [product('a'), product('b')] }],
  [
    'a group within a list',
    { all: [country('DE', 'FR'), { any: [product('a'), product('b')] }] },
    { all: [product('a'), country('FR')] },
  ],
  ['the same coupon', { fact: 'coupon', in: ['spring'] }, { fact: 'coupon', in: ['SPRING'] }],
  ['the same link', { fact: 'link', in: ['maya', 'leo'] }, { fact: 'link', in: ['Maya'] }],
  ['one coupon of any', { fact: 'coupon' }, { fact: 'coupon', in: ['SPRING'] }],
  ['a value of a key', { fact: 'metadata', key: 'k' }, { fact: 'metadata', key: 'k', in: ['v'] }],
  [
    'days within',
    { fact: 'day', until: '2026-12-31' },
    { fact: 'day', from: '2026-12-01', until: '2026-12-02' },
  ],
  [
    'a larger amount',
    { fact: 'lineAmount', currency: 'USD', atLeastCents: 100 },
    { fact: 'lineAmount', currency: 'USD', atLeastCents: 200 },
  ],
])('%s: the first rule covers the second', (_, first, second) => {
  expect(conflictsOf([rule(first), rule(second)])).toEqual([{ rule: 1, reason: 'covered', by: 0 }])
})

test.each<[string, Conditions | Condition, Conditions | Condition]>([
  ['other values', product('a'), product('b')],
  // A line may have the product `a` and the price `b`.
  ['fewer conditions', { all: [product('a'), product('b')] }, product('a')],
  ['a range beside', { fact: 'payment', atMost: 1 }, { fact: 'payment', atLeast: 2 }],
  [
    'payments of something else',
    { fact: 'payment', atLeast: 2 },
    { fact: 'payment', of: 'subscription', atLeast: 2 },
  ],
  [
    'an amount in another currency',
    { fact: 'lineAmount', currency: 'USD' },
    { fact: 'lineAmount', currency: 'EUR' },
  ],
  ['another key', { fact: 'metadata', key: 'k' }, { fact: 'metadata', key: 'l' }],
  ['a way of its own', product('a'), { any: [product('a'), country('DE')] }],
])('%s: both rules apply', (_, first, second) => {
  expect(conflictsOf([rule(first), rule(second)])).toEqual([])
})

test('a rule that always applies leaves nothing to those after it', () => {
  const always: (Condition | Conditions)[] = [
    { all: [] },
    { fact: 'payment', atLeast: 1 },
    { fact: 'customerMonths' },
  ]
  for (const when of always)
    expect(conflictsOf([rule(product('a')), rule(when), rule(product('b'))])).toEqual([
      { rule: 2, reason: 'after_always', by: 1 },
    ])
})

test('a flat amount covers only what is in its currency', () => {
  expect(conflictsOf([rule(product('a'), flat('USD')), rule(product('a'))])).toEqual([])
  expect(conflictsOf([rule({ all: [] }, flat('USD')), rule(product('a'), flat('USD'))])).toEqual([
    { rule: 1, reason: 'covered', by: 0 },
  ])
  const dollars = rule({ fact: 'saleAmount', currency: 'USD', atLeastCents: 100 })
  expect(conflictsOf([rule({ all: [] }, flat('USD')), dollars])).toMatchObject([{ rule: 1, by: 0 }])
})

test('none of no conditions is ever met', () => {
  const none = [rule(product('a')), rule({ any: [] })]
  expect(conflictsOf(none)).toEqual([{ rule: 1, reason: 'impossible', fact: null }])
})

test('a tier that the program does not have is named, and one that it has is not', () => {
  const tier = (...names: string[]): Condition => ({ fact: 'tier', in: names })
  const tiers = ['Silver', 'Gold']
  const rules = [rule(tier('Gold', 'Old')), rule({ all: [tier('Old'), product('a')] })]
  expect(conflictsOf(rules, tiers)).toEqual([{ rule: 1, reason: 'unknown_tier', tiers: ['Old'] }])
  expect(unknownTiers([{ rules }, null, {}], tiers)).toEqual(['Old'])
  const both = rule({ all: [tier('Silver'), tier('Gold')] })
  expect(conflictsOf([both], tiers)).toEqual([{ rule: 0, reason: 'impossible', fact: 'tier' }])
})

test('so many combinations that a rule is not compared', () => {
  const groups = Array.from({ length: 10 }, () => ({ any: [product('a'), country('DE')] }))
  expect(conflictsOf([rule({ all: [] }), rule({ all: groups })])).toEqual([])
})

const few = (values: string[]) => fc.subarray(values, { minLength: 1 })
const bound = fc.integer({ min: 1, max: 4 })
const CONDITION: fc.Arbitrary<Condition> = fc.oneof(
  few(['a', 'b']).map((ids) => product(...ids)),
  few(['DE', 'FR']).map((codes) => country(...codes)),
  fc.record(
    { fact: fc.constant('payment' as const), atLeast: bound, atMost: bound },
    { requiredKeys: ['fact'] },
  ),
  fc.record(
    { fact: fc.constant('quantity' as const), atLeast: bound, atMost: bound },
    { requiredKeys: ['fact'] },
  ),
  fc.record(
    { fact: fc.constant('customerMonths' as const), atLeast: bound, below: bound },
    { requiredKeys: ['fact'] },
  ),
  fc.record(
    {
      fact: fc.constantFrom('lineAmount' as const, 'saleAmount' as const),
      currency: fc.constantFrom('USD', 'EUR'),
      atLeastCents: bound,
      belowCents: bound,
    },
    { requiredKeys: ['fact', 'currency'] },
  ),
  fc.constantFrom<Condition>(
    { fact: 'coupon' },
    { fact: 'coupon', in: ['X'] },
    { fact: 'metadata', key: 'k' },
    { fact: 'metadata', key: 'k', in: ['v'] },
    { fact: 'day', from: '2026-05-15' },
    { fact: 'day', until: '2026-05-14' },
  ),
)
const some = fc.array(CONDITION, { maxLength: 2 })
const WHEN: fc.Arbitrary<Conditions> = fc.oneof(
  fc.record({
    all: fc.array(
      fc.oneof(
        CONDITION,
        some.map((any) => ({ any })),
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    any: fc.array(
      fc.oneof(
        CONDITION,
        some.map((all) => ({ all })),
      ),
      { maxLength: 3 },
    ),
  }),
)
const RULES = fc
  .array(fc.tuple(WHEN, fc.constantFrom<Pay[]>(THIRTY, flat('USD'), flat('EUR'))), { maxLength: 4 })
  .map((rules) => rules.map(([when, pay], i) => ({ ...rule(when, pay), name: String(i) })))

const AT = new Date('2026-05-15T12:00:00Z')
const LINE: fc.Arbitrary<StoredLine> = fc.record({
  productId: fc.constantFrom('a', 'b', null),
  priceId: fc.constantFrom('a', 'b'),
  quantity: fc.integer({ min: 1, max: 5 }),
  amountCents: fc.integer({ min: 0, max: 5 }),
})
const SALE = fc.record({
  line: LINE,
  currency: fc.constantFrom('USD', 'EUR'),
  country: fc.constantFrom('DE', 'FR', null),
  coupons: fc.constantFrom<string[][]>([], ['X'], ['Y']),
  metadata: fc.constantFrom<(Record<string, string> | null)[]>(null, { k: 'v' }, { k: 'w' }),
  payments: fc.integer({ min: 0, max: 5 }),
  months: fc.integer({ min: 0, max: 5 }),
})

test.each(SEEDS)('a rule in conflict decides no sale, whatever it is: seed %i', (seed) => {
  fc.assert(
    fc.property(RULES, fc.array(SALE, { minLength: 5, maxLength: 20 }), (rules, sales) => {
      const names = conflictsOf(rules).map((conflict) => rules[conflict.rule]?.name)
      for (const { line, currency, payments, months, ...more } of sales) {
        const amountCents = BigInt(line.amountCents)
        const facts: SaleFacts = {
          ...more,
          occurredAt: AT,
          sale: { amountCents, currency },
          link: null,
          sub: null,
          tier: null,
          history: {
            payments,
            ofSubscription: null,
            firstSaleAt: new Date(AT.getTime() - months * 31 * 86_400_000),
          },
        }
        const [decided] = earnByLine(
          { kind: 'percent', basisPoints: 2000, rules },
          linesOf(amountCents, [line]),
          facts,
          { firstRewardedAt: null, months: null },
        )
        expect(names).not.toContain(decided?.rule)
      }
    }),
    { seed, numRuns: 300 },
  )
})
