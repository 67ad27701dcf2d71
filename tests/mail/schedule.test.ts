import { describe, expect, test } from 'vitest'
import {
  DELAYS_SECONDS,
  JITTER,
  LEASE_SECONDS,
  nextDelay,
  WINDOW_SECONDS,
} from '../../lib/mail/outbox/schedule.ts'

const JUST_BELOW_ONE = 1 - Number.EPSILON

test.each([
  { case: 'after the first attempt, a minute', attempts: 1, least: 60, most: 72 },
  { case: 'after the second, five', attempts: 2, least: 300, most: 360 },
  { case: 'after the fourth, an hour', attempts: 4, least: 3_600, most: 4_320 },
  { case: 'after the seventh, six hours', attempts: 7, least: 21_600, most: 25_920 },
])('$case, and up to a fifth more', ({ attempts, least, most }) => {
  expect(nextDelay(attempts, 0)).toBe(least)
  expect(nextDelay(attempts, JUST_BELOW_ONE)).toBe(most)
})

test.each([8, 9, 1_000])('after attempt %i, there is no retry', (attempts) => {
  expect(nextDelay(attempts, 0)).toBe(null)
})

describe('the retry schedule', () => {
  const longest = DELAYS_SECONDS.reduce((sum, pause) => sum + pause * (1 + JITTER), 0)

  test('ends within the 23 hours in which a retry cannot deliver twice, with hours to spare for a late cron', () => {
    expect(longest / 3_600).toBeLessThan(17)
    expect(WINDOW_SECONDS / 3_600).toBe(23)
  })

  test('waits longer each time', () => {
    expect(DELAYS_SECONDS).toEqual([...DELAYS_SECONDS].sort((a, b) => a - b))
  })

  test('leases mails for longer than a run takes', () => {
    expect(LEASE_SECONDS).toBeGreaterThan(120)
  })
})
