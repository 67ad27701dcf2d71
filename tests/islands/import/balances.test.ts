import { expect, test } from 'vitest'
import { balanceSums, unitIn } from '../../../islands/import/rules/balances.ts'

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
])('balances under “$header” such as $texts are in cents: $inCents', ({ header, texts, inCents }) => {
  expect(unit(header, ...texts)).toBe(inCents)
})

test('a file without balances has no unit', () => {
  expect(unitIn(['email'], ['email'], [])).toBeNull()
})

test('balances add up by currency, with the three largest, dollars first', () => {
  const row = (email: string, openingBalanceCents: number) => ({ email, openingBalanceCents })
  const euro = { email: 'eve', foreignBalance: { cents: 700, currency: 'EUR' } }
  const rows = [euro, row('a', 100), row('b', 400), row('c', 200), row('d', 300), { email: 'none' }]
  const placed = { balanceProblem: null, otherSlugs: [], otherCoupons: [], lines: [2], problem: null }
  expect(balanceSums(rows.map((one) => ({ ...placed, ...one })))).toEqual([
    {
      currency: 'USD',
      cents: 1_000,
      largest: [
        { email: 'b', cents: 400 },
        { email: 'd', cents: 300 },
        { email: 'c', cents: 200 },
      ],
    },
    { currency: 'EUR', cents: 700, largest: [{ email: 'eve', cents: 700 }] },
  ])
})
