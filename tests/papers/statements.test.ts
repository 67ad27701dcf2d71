import { expect, test } from 'vitest'
import { monthOf, monthsSince, sumUp } from '../../lib/rules/statements/statements.ts'

const day = (text: string) => new Date(`${text}T00:00:00Z`)

test.each([
  { key: '2026-10', start: '2026-10-01', end: '2026-11-01' },
  { key: '2026-12', start: '2026-12-01', end: '2027-01-01' },
  { key: '2024-02', start: '2024-02-01', end: '2024-03-01' },
])('$key is from $start to before $end', ({ key, start, end }) => {
  expect(monthOf(key)).toEqual({ key, start: day(start), end: day(end) })
})

test.each(['2026-13', '2026-00', '2026-1', '26-10', '', '2026-10-01'])('%s is no month', (key) => {
  expect(monthOf(key)).toBeNull()
})

test('months go back to the first one of a partner, at most three years', () => {
  expect(monthsSince(day('2026-09-30'), day('2026-11-22'))).toEqual([
    '2026-11',
    '2026-10',
    '2026-09',
  ])
  expect(monthsSince(day('2026-11-22'), day('2026-11-22'))).toEqual(['2026-11'])
  expect(monthsSince(day('2000-01-01'), day('2026-11-22'))).toHaveLength(36)
})

test('a balance at the end is the one at the start and all that changed it', () => {
  const entry = { currency: 'USD', beforeCents: 0n, cents: 0n }
  expect(
    sumUp([
      { ...entry, kind: 'sale', beforeCents: 500n, cents: 900n },
      { ...entry, kind: 'reversal', cents: -100n },
      { ...entry, kind: 'payout', beforeCents: -200n, cents: -300n },
      { ...entry, kind: 'lead', beforeCents: 50n },
      { ...entry, currency: 'EUR', kind: 'sale', cents: 7n },
    ]),
  ).toEqual([
    {
      currency: 'USD',
      openingCents: 350n,
      sums: [
        { kind: 'sale', cents: 900n },
        { kind: 'reversal', cents: -100n },
        { kind: 'payout', cents: -300n },
      ],
      closingCents: 850n,
    },
    { currency: 'EUR', openingCents: 0n, sums: [{ kind: 'sale', cents: 7n }], closingCents: 7n },
  ])
})
