/** Dub's rewards as rewards of ours: each field, each condition, and what is refused. */
import { describe, expect, test } from 'vitest'
import { readDubReward } from '../../../lib/imports/sources/rewards/dub-rewards.ts'
import type { Condition } from '../../../lib/rules/rewards/conditions.ts'
import { leadReward, reward as requestOf } from '../../../lib/rules/rewards/rewards.schemas.ts'
import { type RewardTerms, rewardResponse } from '../../../lib/rules/rewards/rewards.ts'

const SALE = {
  id: 'rw_1',
  event: 'sale',
  description: 'Standard',
  tooltipDescription: null,
  type: 'percentage',
  amountInCents: null,
  amountInPercentage: 20,
  maxDuration: 12,
  modifiers: null,
  config: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  spendLimitAmount: null,
  spendLimitInterval: null,
}
const LEAD = {
  ...SALE,
  event: 'lead',
  type: 'flat',
  amountInCents: 500,
  amountInPercentage: null,
  maxDuration: 0,
}
const GERMANY = {
  entity: 'customer',
  attribute: 'country',
  operator: 'equals_to',
  value: 'DE',
}
const modifier = (conditions: object[], more: object = {}) => ({
  id: 'm_1',
  operator: 'AND',
  type: 'percentage',
  amountInPercentage: 30,
  conditions,
  ...more,
})
const withModifiers = (...modifiers: object[]) => ({ ...SALE, modifiers })

/** Whatever is taken over is a valid request. */
const read = (item: object) => {
  const result = readDubReward(item as Record<string, unknown>)
  if (result.reward) {
    const schema = result.event === 'lead' ? leadReward : requestOf
    expect(schema.parse(rewardResponse(result.reward))).toEqual(result.reward)
  }
  return result
}

test.each<{ case: string; item: object; reward: RewardTerms | null; more?: object }>([
  {
    case: 'a share for twelve months',
    item: SALE,
    reward: { kind: 'percent', basisPoints: 2_000 },
    more: { event: 'sale', isOneTime: false, months: 12, differences: [] },
  },
  {
    case: 'a share with two decimals, as text',
    item: { ...SALE, amountInPercentage: '12.25' },
    reward: { kind: 'percent', basisPoints: 1_225 },
  },
  {
    case: 'a reward without end',
    item: { ...SALE, maxDuration: null },
    reward: { kind: 'percent', basisPoints: 2_000 },
    more: { isOneTime: false, months: null },
  },
  {
    case: 'a reward of the first sale',
    item: { ...SALE, maxDuration: 0 },
    reward: { kind: 'percent', basisPoints: 2_000 },
    more: { isOneTime: true },
  },
  {
    case: 'a flat amount',
    item: { ...SALE, type: 'flat', amountInCents: 5_000, amountInPercentage: null },
    reward: { kind: 'flat', amountCents: 5_000, currency: 'USD' },
    more: { differences: [] },
  },
  {
    case: 'a flat amount of nothing',
    item: { ...SALE, type: 'flat', amountInCents: 0 },
    reward: { kind: 'percent', basisPoints: 0 },
  },
  {
    case: 'a reward of leads',
    item: LEAD,
    reward: { kind: 'flat', amountCents: 500, currency: 'USD' },
    more: { event: 'lead', differences: [] },
  },
  {
    case: 'a reward of clicks',
    item: { ...LEAD, event: 'click' },
    reward: null,
    more: { event: null, differences: ['Rewards for the event “click” do not exist here.'] },
  },
  {
    case: 'a share of a lead',
    item: { ...SALE, event: 'lead' },
    reward: null,
    more: { differences: ['Rewards for leads are flat amounts here.'] },
  },
  ...[
    { case: 'a type that is not known', item: { ...SALE, type: 'tiered' } },
    { case: 'more than all', item: { ...SALE, amountInPercentage: 101 } },
    { case: 'a third decimal', item: { ...SALE, amountInPercentage: 33.333 } },
    { case: 'a share without an amount', item: { ...SALE, amountInPercentage: null } },
    { case: 'a negative amount', item: { ...SALE, type: 'flat', amountInCents: -1 } },
    { case: 'half a month', item: { ...SALE, maxDuration: 1.5 } },
    { case: 'conditions that are no list', item: { ...SALE, modifiers: { and: [] } } },
  ].map(({ item, ...named }) => ({
    ...named,
    item,
    reward: null,
    more: { differences: ['It cannot be read, so nothing is taken over.'] },
  })),
  {
    case: 'a spend limit',
    item: { ...SALE, spendLimitAmount: 50_000, spendLimitInterval: 'month' },
    reward: { kind: 'percent', basisPoints: 2_000 },
    more: {
      differences: [
        'The spend limit of 500.00 USD per month is not taken over: more may be earned here.',
      ],
    },
  },
  {
    case: 'a setting that is not known',
    item: { ...SALE, boost: { percent: 5 } },
    reward: { kind: 'percent', basisPoints: 2_000 },
    more: { differences: ['The setting “boost” is not known here.'] },
  },
])('$case', ({ item, reward, more = {} }) => {
  const result = read(item)
  expect(result.reward).toEqual(reward)
  expect(result).toMatchObject(more)
})

describe('a condition', () => {
  const sale = (attribute: string, operator: string, value: unknown) => ({
    entity: 'sale',
    attribute,
    operator,
    value,
  })
  const months = (operator: string, value: unknown) => ({
    entity: 'customer',
    attribute: 'subscriptionDurationMonths',
    operator,
    value,
  })

  test.each<{ asked: object; condition: Condition; name: string }>([
    { asked: GERMANY, condition: { fact: 'country', in: ['DE'] }, name: 'Country DE' },
    {
      asked: { ...GERMANY, operator: 'in', value: ['DE', 'AT'] },
      condition: { fact: 'country', in: ['DE', 'AT'] },
      name: 'Country DE, AT',
    },
    {
      asked: { ...sale('productId', 'equals_to', 'prod_1'), label: 'Annual\nplan' },
      condition: { fact: 'product', in: ['prod_1'] },
      name: 'Product Annual plan',
    },
    {
      asked: sale('productId', 'in', ['prod_1', 'prod_2']),
      condition: { fact: 'product', in: ['prod_1', 'prod_2'] },
      name: 'Product prod_1, prod_2',
    },
    {
      asked: sale('type', 'equals_to', 'new'),
      condition: { fact: 'payment', atMost: 1 },
      name: 'First payment',
    },
    {
      asked: sale('type', 'in', ['recurring']),
      condition: { fact: 'payment', atLeast: 2 },
      name: 'Renewals',
    },
    {
      asked: sale('amount', 'greater_than', 5_000),
      condition: { fact: 'saleAmount', currency: 'USD', atLeastCents: 5_001 },
      name: 'Amount from 50.01 USD',
    },
    {
      asked: sale('amount', 'less_than', 5_000),
      condition: { fact: 'saleAmount', currency: 'USD', belowCents: 5_000 },
      name: 'Amount below 50.00 USD',
    },
    {
      asked: sale('amount', 'less_than_or_equal', 5_000),
      condition: { fact: 'saleAmount', currency: 'USD', belowCents: 5_001 },
      name: 'Amount below 50.01 USD',
    },
    {
      asked: months('greater_than_or_equal', 12),
      condition: { fact: 'customerMonths', atLeast: 12 },
      name: 'Months from 12',
    },
    {
      asked: months('equals_to', '3'),
      condition: { fact: 'customerMonths', atLeast: 3, below: 4 },
      name: 'Months from 3 below 4',
    },
    {
      asked: { ...sale('metadata', 'equals_to', 'pro'), metadataField: 'plan' },
      condition: { fact: 'metadata', key: 'plan', in: ['pro'] },
      name: 'plan pro',
    },
  ])('on $name is taken over', ({ asked, condition, name }) => {
    const { reward, differences } = read(withModifiers(modifier([asked])))
    expect(reward?.rules).toEqual([
      { name, when: { all: [condition] }, pay: { kind: 'percent', basisPoints: 3_000 } },
    ])
    expect(differences.filter((sentence) => sentence.startsWith('Condition'))).toEqual([])
  })

  const partner = (attribute: string) => ({
    entity: 'partner',
    attribute,
    operator: 'greater_than',
    value: 10,
  })
  const none = (name: string) => `the condition on “${name}” has no counterpart here`
  const odd = (operator: string, name: string) =>
    `“${operator}” with its value has no counterpart for “${name}”`

  test.each<{ asked: object; why: string }>([
    ...[
      ...['country', 'totalClicks', 'totalLeads', 'totalConversions', 'totalSaleAmount'],
      'totalCommissions',
    ].map((attribute) => ({ asked: partner(attribute), why: none(`partner.${attribute}`) })),
    { asked: { ...GERMANY, attribute: 'source' }, why: none('customer.source') },
    { asked: { ...GERMANY, attribute: 'signupDate' }, why: none('customer.signupDate') },
    {
      asked: { ...GERMANY, attribute: 'subscriptionStartDate' },
      why: none('customer.subscriptionStartDate'),
    },
    { asked: { ...GERMANY, entity: 'lead', attribute: 'metadata' }, why: none('lead.metadata') },
    { asked: { ...GERMANY, attribute: 'constructor' }, why: none('customer.constructor') },
    { asked: {}, why: none('?.?') },
    ...['not_equals', 'not_in', 'starts_with', 'sounds_like'].map((operator) => ({
      asked: { ...GERMANY, operator },
      why: odd(operator, 'customer.country'),
    })),
    { asked: { ...GERMANY, value: 'Germany' }, why: odd('equals_to', 'customer.country') },
    { asked: { ...GERMANY, value: ['DE'] }, why: odd('equals_to', 'customer.country') },
    { asked: { ...GERMANY, operator: 'in', value: [] }, why: odd('in', 'customer.country') },
    {
      asked: sale('productId', 'equals_to', ' prod_1'),
      why: odd('equals_to', 'sale.productId'),
    },
    { asked: sale('productId', 'ends_with', '_1'), why: odd('ends_with', 'sale.productId') },
    { asked: sale('type', 'in', ['new', 'recurring']), why: odd('in', 'sale.type') },
    { asked: sale('type', 'equals_to', 'upgrade'), why: odd('equals_to', 'sale.type') },
    { asked: sale('amount', 'not_equals', 5), why: odd('not_equals', 'sale.amount') },
    { asked: sale('amount', 'greater_than', 'much'), why: odd('greater_than', 'sale.amount') },
    { asked: sale('amount', 'less_than', 0), why: odd('less_than', 'sale.amount') },
    {
      asked: months('less_than', 2.5),
      why: odd('less_than', 'customer.subscriptionDurationMonths'),
    },
    { asked: sale('metadata', 'equals_to', 'pro'), why: odd('equals_to', 'sale.metadata') },
    {
      asked: { ...sale('metadata', 'contains', 'pro'), metadataField: 'plan' },
      why: odd('contains', 'sale.metadata'),
    },
    {
      asked: { ...GERMANY, isNegated: true },
      why: 'the setting “isNegated” of “customer.country” is not known here',
    },
  ])('$asked.attribute $asked.operator is refused: $why', ({ asked, why }) => {
    // With a condition that is known: half of a rule would pay too much.
    const { reward, differences } = read(withModifiers(modifier([GERMANY, asked])))
    expect(reward).toEqual({ kind: 'percent', basisPoints: 2_000 })
    expect(differences).toEqual([`Condition 1 (30%) is not taken over: ${why}.`])
  })
})

const FRANCE = { ...GERMANY, value: 'FR' }
const PRODUCT = { entity: 'sale', attribute: 'productId', operator: 'equals_to', value: 'prod_1' }

test.each<{ case: string; item: object; rules: object[] | undefined; differences: string[] }>([
  {
    case: 'of several conditions, any may hold',
    item: withModifiers(modifier([GERMANY, PRODUCT], { operator: 'OR' })),
    rules: [{ name: 'Country DE or Product prod_1', when: { any: [{ in: ['DE'] }, {}] } }],
    differences: [],
  },
  {
    case: 'the highest amount comes first, as Dub decides, and names are unique',
    item: withModifiers(
      modifier([GERMANY], { amountInPercentage: 25 }),
      modifier([GERMANY], { amountInPercentage: 40 }),
      modifier([FRANCE], { amountInPercentage: 0 }),
    ),
    rules: [
      { name: 'Country DE', pay: { basisPoints: 4_000 } },
      { name: 'Country DE (2)', pay: { basisPoints: 2_500 } },
      { name: 'Country FR', pay: { kind: 'none' } },
    ],
    differences: [],
  },
  {
    case: 'without a type, the amount is of the type of the reward',
    item: withModifiers(modifier([GERMANY], { type: undefined })),
    rules: [{ pay: { kind: 'percent', basisPoints: 3_000 } }],
    differences: [],
  },
  {
    case: 'a duration of its own',
    item: withModifiers(
      modifier([GERMANY], { maxDuration: 6 }),
      modifier([FRANCE], { maxDuration: null }),
      modifier([PRODUCT], { maxDuration: 12 }),
    ),
    rules: [{ durationMonths: 6 }, { durationMonths: null }, { name: 'Product prod_1' }],
    differences: [],
  },
  {
    case: 'a first sale in a reward of renewals',
    item: withModifiers(modifier([GERMANY], { maxDuration: 0 })),
    rules: undefined,
    differences: [
      'Condition 1 (30%) is not taken over: it pays for first sales only, and the reward for renewals.',
    ],
  },
  {
    case: 'renewals in a reward of first sales',
    item: { ...withModifiers(modifier([GERMANY], { maxDuration: 6 })), maxDuration: 0 },
    rules: undefined,
    differences: [
      'Condition 1 (30%) is not taken over: it pays for renewals, and the reward for first sales only.',
    ],
  },
  {
    case: 'a flat amount of a product is paid per unit, and its amounts are those of lines in USD',
    item: withModifiers(
      modifier(
        [PRODUCT, { ...PRODUCT, attribute: 'amount', operator: 'greater_than', value: 99 }],
        {
          type: 'flat',
          amountInCents: 700,
          amountInPercentage: undefined,
        },
      ),
    ),
    rules: [
      {
        when: { all: [{ fact: 'product' }, { fact: 'lineAmount', atLeastCents: 100 }] },
        pay: { kind: 'flat', amountCents: 700, currency: 'USD', per: 'unit' },
      },
    ],
    differences: [
      'Amounts are in USD. Rules with an amount do not apply to sales in another currency, which Dub converts.',
    ],
  },
  {
    case: 'what is left out may have paid less than the rest',
    item: withModifiers(
      modifier([{ ...GERMANY, operator: 'not_in', value: ['DE'] }], { amountInPercentage: 5 }),
    ),
    rules: undefined,
    differences: [
      'Condition 1 (5%) is not taken over: “not_in” with its value has no counterpart for “customer.country”. Its sales may earn more here.',
    ],
  },
  {
    case: 'an amount that cannot be compared may have been less',
    item: withModifiers(
      modifier([], { type: 'flat', amountInCents: 100, amountInPercentage: undefined }),
    ),
    rules: undefined,
    differences: [
      'Condition 1 (1.00 USD) is not taken over: it has no conditions. Its sales may earn more here.',
    ],
  },
  {
    case: 'an operator, a setting and an amount that are not known',
    item: withModifiers(
      modifier([GERMANY], { operator: 'XOR' }),
      modifier([GERMANY], { until: '2027-01-01' }),
      modifier([GERMANY], { amountInPercentage: undefined }),
    ),
    rules: undefined,
    differences: [
      'Condition 1 (30%) is not taken over: “XOR” of conditions is not known here.',
      'Condition 2 (30%) is not taken over: its setting “until” is not known here.',
      'Condition 3 is not taken over: its amount cannot be read. Its sales may earn more here.',
    ],
  },
  {
    case: 'more rules than fit: the lowest are left out',
    item: withModifiers(
      ...Array.from({ length: 31 }, (_, n) => modifier([GERMANY], { amountInPercentage: 30 + n })),
    ),
    rules: Array.from({ length: 30 }, (_, n) => ({ pay: { basisPoints: 6_000 - n * 100 } })),
    differences: [
      'Condition 1 (30%) is not taken over: a reward has at most 30 rules. Its sales may earn more here.',
    ],
  },
  {
    case: 'more conditions than fit in a rule',
    item: withModifiers(modifier(Array(21).fill(GERMANY))),
    rules: undefined,
    differences: ['Condition 1 (30%) is not taken over: a rule has at most 20 conditions.'],
  },
])('$case', ({ item, rules, differences }) => {
  const result = read(item)
  if (rules) expect(result.reward?.rules).toMatchObject(rules)
  else expect(result.reward).not.toHaveProperty('rules')
  if (rules) expect(result.reward?.rules).toHaveLength(rules.length)
  expect(result.differences).toEqual(differences)
})

test('a flat base beside a rule for a product is paid once here, and per unit at Dub', () => {
  const item = { ...withModifiers(modifier([PRODUCT])), type: 'flat', amountInCents: 500 }
  expect(read(item)).toMatchObject({
    reward: { kind: 'flat', rules: [{ name: 'Product prod_1' }] },
    differences: [
      'Amounts are in USD. Rules with an amount do not apply to sales in another currency, which Dub converts.',
      'Dub pays the flat amount for each unit of other products. Here, it is paid once per sale.',
    ],
  })
})

test('a reward of leads has conditions on the country and the metadata, and flat amounts', () => {
  const flat = { type: 'flat', amountInCents: 900, amountInPercentage: undefined }
  const { reward, differences } = read({
    ...LEAD,
    modifiers: [
      modifier([GERMANY], flat),
      modifier(
        [{ ...GERMANY, entity: 'lead', attribute: 'metadata', metadataField: 'size' }],
        flat,
      ),
      modifier([PRODUCT], flat),
      modifier([GERMANY]),
    ],
  })
  expect(reward?.rules).toMatchObject([
    { name: 'Country DE', pay: { kind: 'flat', amountCents: 900, per: 'sale' } },
    { name: 'size DE', when: { all: [{ fact: 'metadata', key: 'size', in: ['DE'] }] } },
  ])
  expect(differences).toEqual(
    expect.arrayContaining([
      'Condition 3 (9.00 USD) is not taken over: the condition on “sale.productId” has no counterpart here.',
      'Condition 4 (30%) is not taken over: a lead has no amount to take a share of. Its sales may earn more here.',
    ]),
  )
})
