import { expect, test } from 'vitest'
import { exponentialDelay, listedDelay, withJitter } from '../lib/values/backoff.ts'

test.each([
  { attempts: 1, delay: 2 },
  { attempts: 2, delay: 4 },
  { attempts: 5, delay: 32 },
  { attempts: 6, delay: 60 },
  { attempts: 1_000, delay: 60 },
])(
  'after $attempts attempts the delay doubles to $delay, up to the maximum',
  ({ attempts, delay }) => {
    expect(exponentialDelay(attempts, { first: 2, max: 60 })).toBe(delay)
  },
)

test.each([
  { attempts: 1, delay: 60 },
  { attempts: 2, delay: 300 },
  { attempts: 3, delay: null },
])('the listed delay after attempt $attempts is $delay', ({ attempts, delay }) => {
  expect(listedDelay([60, 300], attempts)).toBe(delay)
})

test('jitter lengthens a delay by up to its share', () => {
  expect(withJitter(100, 0.2, 0)).toBe(100)
  expect(withJitter(100, 0.2, 0.5)).toBe(110)
})
