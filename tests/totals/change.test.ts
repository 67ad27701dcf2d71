import { expect, test } from 'vitest'
import { changeOf, pointsOf, rateOf } from '../../lib/totals/period-change.ts'

test.each([
  { value: 118n, before: 100n, words: '+18%', direction: 'up' },
  { value: 1n, before: 3n, words: '-67%', direction: 'down' },
  { value: 1001n, before: 1000n, words: '0%', direction: 'same' },
  { value: 0n, before: 5n, words: '-100%', direction: 'down' },
  { value: -5n, before: 10n, words: '-150%', direction: 'down' },
  { value: 2n ** 60n, before: 2n ** 59n, words: '+100%', direction: 'up' },
])('$value after $before is $words', ({ value, before, words, direction }) => {
  expect(changeOf(value, before)).toEqual({ words, direction })
})

test.each([0n, -3n])('nothing is compared with %s', (before) =>
  expect(changeOf(7n, before)).toBeNull(),
)

test('a rate changes in points', () => {
  expect(rateOf(0n, 0n)).toBeNull()
  expect(pointsOf(rateOf(163n, 9_884n), rateOf(149n, 10_310n))).toEqual({
    words: '+0.2 pt',
    direction: 'up',
  })
  expect(pointsOf(rateOf(1n, 100n), rateOf(1n, 100n))).toEqual({ words: '0 pt', direction: 'same' })
  expect(pointsOf(null, 3)).toBeNull()
})
