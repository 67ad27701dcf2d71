import { describe, expect, test } from 'vitest'
import { JITTER, LEASE_SECONDS, nextPause, PAUSES_SECONDS, WINDOW_SECONDS } from '../../lib/mail/schedule.ts'

const JUST_BELOW_ONE = 1 - Number.EPSILON

test.each([
  { case: 'after the first try, a minute', attempts: 1, least: 60, most: 72 },
  { case: 'after the second, five', attempts: 2, least: 300, most: 360 },
  { case: 'after the fourth, an hour', attempts: 4, least: 3_600, most: 4_320 },
  { case: 'after the seventh, six hours', attempts: 7, least: 21_600, most: 25_920 },
])('$case, and up to a fifth more', ({ attempts, least, most }) => {
  expect(nextPause(attempts, 0)).toBe(least)
  expect(nextPause(attempts, JUST_BELOW_ONE)).toBe(most)
})

test.each([8, 9, 1_000])('after the %ith try there is no other', (attempts) => {
  expect(nextPause(attempts, 0)).toBe(null)
})

describe('the whole schedule', () => {
  const longest = PAUSES_SECONDS.reduce((sum, pause) => sum + pause * (1 + JITTER), 0)

  test('ends within the 23 hours in which a second try can’t make a second mail, with hours to spare for a late clock', () => {
    expect(longest / 3_600).toBeLessThan(17)
    expect(WINDOW_SECONDS / 3_600).toBe(23)
  })

  test('pauses longer each time', () => {
    expect(PAUSES_SECONDS).toEqual([...PAUSES_SECONDS].sort((a, b) => a - b))
  })

  test('leaves mails to a run for longer than the minute that it has', () => {
    expect(LEASE_SECONDS).toBeGreaterThan(120)
  })
})
