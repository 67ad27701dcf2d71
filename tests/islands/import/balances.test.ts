import { expect, test } from 'vitest'
import { balanceSums, priorSums, unitIn } from '../../../islands/import/rules/balances.ts'

const unit = (header: string, ...texts: string[]) =>
  unitIn(
    ['email', header],
    ['email', 'openingBalance'],
    texts.map((text, n) => ({ line: n + 2, cells: ['', text] })),
  )

test.each([
  { header: 'Balance', texts: ['8120', '500'], inCents: null },
  { header: 'Balance', texts: ['8120', '500.50'], inCents: false },
  { header: 'Balance', texts: ['$1,234', '1.234,5 EUR'], inCents: false },
  // Groups of three digits are no decimals.
  { header: 'Balance', texts: ['1,234'], inCents: null },
  { header: 'Balance', texts: ['0', '', '0.00'], inCents: false },
  { header: 'Balance in cents', texts: ['8120.00'], inCents: true },
  { header: 'Balance (USD)', texts: ['8120'], inCents: false },
])(
  'balances under “$header” such as $texts are in cents: $inCents',
  ({ header, texts, inCents }) => {
    expect(unit(header, ...texts)).toBe(inCents)
  },
)

test('a file without balances has no unit', () => {
  expect(unitIn(['email'], ['email'], [])).toBeNull()
})

test('balances add up by currency, with the three largest, dollars first', () => {
  const row = (email: string, openingBalanceCents: number) => ({ email, openingBalanceCents })
  const euro = { email: 'eve', foreignBalance: { cents: 700, currency: 'EUR' } }
  const rows = [euro, row('a', 100), row('b', 400), row('c', 200), row('d', 300), { email: 'none' }]
  const placed = {
    balanceProblem: null,
    otherSlugs: [],
    otherCoupons: [],
    lines: [2],
    problem: null,
  }
  expect(balanceSums(rows.map((one) => ({ ...placed, ...one })))).toEqual([
    {
      currency: 'USD',
      cents: 1_000,
      largest: [
        { of: 'b', cents: 400 },
        { of: 'd', cents: 300 },
        { of: 'c', cents: 200 },
      ],
    },
    { currency: 'EUR', cents: 700, largest: [{ of: 'eve', cents: 700 }] },
  ])
})

test('what was paid before the move adds up by currency, but for customers that are refused', () => {
  const customer = (customerExternalId: string, amountCents: number | null, currency = 'USD') => ({
    customerExternalId,
    partnerEmail: 'ann@example.com',
    prior: { commissions: 1, amountCents, currency },
    lines: [2],
    problem: null,
  })
  const refused = {
    ...customer('cus_4', 900),
    problem: { code: 'prior_invalid', message: '' } as const,
  }
  const { prior: _, ...without } = customer('cus_5', 0)
  const customers = [
    customer('cus_1', 300),
    customer('cus_2', 500),
    customer('cus_3', null),
    refused,
    without,
  ]
  expect(priorSums([...customers, customer('cus_6', 70, 'EUR')])).toEqual([
    {
      currency: 'USD',
      cents: 800,
      largest: [
        { of: 'cus_2', cents: 500 },
        { of: 'cus_1', cents: 300 },
      ],
    },
    { currency: 'EUR', cents: 70, largest: [{ of: 'cus_6', cents: 70 }] },
  ])
})
