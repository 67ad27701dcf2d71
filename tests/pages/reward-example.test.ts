import { expect, test } from 'vitest'
import { leadExampleWords, saleExampleOf } from '../../lib/pages/forms/reward-example.ts'
import type { RewardTerms } from '../../lib/rules/rewards/rewards.ts'
import type { SaleTerms } from '../../lib/rules/steps/reward-example.ts'

const now = new Date('2026-11-22T15:00:00Z')
const percent = (basisPoints: number) => ({ kind: 'percent' as const, basisPoints })
const flat = (amountCents: number, currency = 'USD'): RewardTerms => ({
  kind: 'flat',
  amountCents,
  currency,
})
const recurring = {
  rewardInterval: 'recurring',
  rewardDurationMonths: null,
  oneTimeMinimumCents: 0,
  oneTimePer: 'customer',
} as const
const oneTime = { ...recurring, rewardInterval: 'one-time' } as const
const ENDLESS = 'The same customer’s sales earn without a limit.'

test.each<{ case: string; terms: SaleTerms; words: string; at?: Date }>([
  {
    case: 'a percentage for a year',
    terms: { ...recurring, reward: percent(2_000), rewardDurationMonths: 12 },
    words:
      'A sale of 100.00 USD today earns 20.00 USD. The same customer’s sales earn until 22 Nov 2027.',
  },
  {
    case: 'a duration to the end of a shorter month',
    terms: { ...recurring, reward: percent(1_000), rewardDurationMonths: 3 },
    at: new Date('2026-11-30T00:00:00Z'),
    words:
      'A sale of 100.00 USD today earns 10.00 USD. The same customer’s sales earn until 28 Feb 2027.',
  },
  {
    case: 'a flat reward without a limit',
    terms: { ...recurring, reward: flat(500, 'EUR') },
    words: `A sale of 100.00 EUR today earns 5.00 EUR. ${ENDLESS}`,
  },
  {
    case: 'a flat reward of more than a hundred, which a small sale would cap',
    terms: { ...recurring, reward: flat(15_000) },
    words: `A sale of 1,000.00 USD today earns 150.00 USD. ${ENDLESS}`,
  },
  {
    case: 'a currency without decimals',
    terms: { ...recurring, reward: flat(500, 'JPY') },
    words: `A sale of 1,000 JPY today earns 500 JPY. ${ENDLESS}`,
  },
  {
    case: 'rules, of which one rewards a first payment',
    terms: {
      ...recurring,
      reward: {
        ...percent(1_000),
        rules: [
          {
            name: 'First payments',
            when: { all: [{ fact: 'payment', atMost: 1 }] },
            pay: percent(5_000),
          },
        ],
      },
    },
    words: `A sale of 100.00 USD today earns 50.00 USD. ${ENDLESS}`,
  },
  {
    case: 'a one-time reward',
    terms: { ...oneTime, reward: percent(2_000), rewardDurationMonths: 12 },
    words: 'A customer’s first sale of 100.00 USD earns 20.00 USD. Later sales earn nothing.',
  },
  {
    case: 'a one-time reward whose minimum is larger',
    terms: { ...oneTime, reward: percent(2_000), oneTimeMinimumCents: 25_000 },
    words: 'A customer’s first sale of 1,000.00 USD earns 200.00 USD. Later sales earn nothing.',
  },
  {
    case: 'a one-time reward of each product',
    terms: { ...oneTime, reward: percent(2_000), oneTimePer: 'product' },
    words:
      'A customer’s first sale of 100.00 USD earns 20.00 USD. Later sales of the same product earn nothing.',
  },
  {
    case: 'caps, of which one is in another currency',
    terms: {
      ...recurring,
      reward: {
        ...percent(2_000),
        caps: [
          { per: 'customer', amountCents: 1_500, currency: 'USD' },
          { per: 'sale', amountCents: 100, currency: 'EUR' },
        ],
      },
    },
    words: `A sale of 100.00 USD today earns 15.00 USD. ${ENDLESS}`,
  },
  {
    case: 'no reward',
    terms: { ...recurring, reward: percent(0) },
    words: 'A sale of 100.00 USD earns nothing.',
  },
])('works out $case', ({ terms, words, at = now }) => {
  expect(saleExampleOf(terms, at)).toBe(words)
})

test('works out a lead', () => {
  expect(leadExampleWords(flat(500))).toBe('A lead earns 5.00 USD.')
  expect(leadExampleWords(null)).toBe('A lead earns nothing.')
})
