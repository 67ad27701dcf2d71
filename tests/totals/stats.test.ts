import { expect, test } from 'vitest'
import { partsOf } from '../../lib/totals/stats.ts'
import { lengthOf, rangeOf } from '../../lib/values/days.ts'

test.each([
  {
    case: 'a whole month',
    range: ['2026-02-01', '2026-02-28'],
    months: ['2026-02-01', '2026-02-28'],
    days: [],
  },
  {
    case: 'from within a month to within another',
    range: ['2025-11-15', '2026-02-03'],
    months: ['2025-12-01', '2026-01-31'],
    days: [
      ['2025-11-15', '2025-11-30'],
      ['2026-02-01', '2026-02-03'],
    ],
  },
  {
    case: 'parts of two months',
    range: ['2026-01-02', '2026-02-27'],
    months: null,
    days: [['2026-01-02', '2026-02-27']],
  },
  {
    case: 'one day',
    range: ['2026-01-31', '2026-01-31'],
    months: null,
    days: [['2026-01-31', '2026-01-31']],
  },
])('a period as whole months and the days around them: $case', ({ range, months, days }) => {
  const of = ([from = '', to = '']: string[]) => ({ from, to })
  expect(partsOf(of(range))).toEqual({ months: months && of(months), days: days.map(of) })
})

test('a period is the last 30 days by default', () => {
  const now = new Date('2026-03-01T23:59:59Z')
  const range = rangeOf({}, now)
  expect([range, lengthOf(range)]).toEqual([{ from: '2026-01-31', to: '2026-03-01' }, 30])
  expect(lengthOf({ from: '2026-03-02', to: '2026-03-01' })).toBe(0)
})
