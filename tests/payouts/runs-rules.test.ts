import { describe, expect, test } from 'vitest'
import { PAYOUT_SCHEDULES, RUN_STATUSES } from '../../lib/payouts/payouts.ts'
import {
  exportRefusalOf,
  nextOccurrence,
  type RunState,
  refusalOf,
  stripeRunStatus,
} from '../../lib/payouts/runs.ts'

const AT = new Date('2026-11-21T12:00:00Z')

const run = (state: Partial<RunState> = {}): RunState => ({
  method: 'manual',
  status: 'processing',
  claimedAt: AT,
  ...state,
})

const MANUAL = {
  processing: run(),
  paid: run({ status: 'paid' }),
  confirmed: run({ status: 'confirmed' }),
  canceled: run({ status: 'canceled' }),
}

test.each([
  { case: 'is still claiming', claimedAt: null, processing: 0, status: 'processing' },
  { case: 'has payouts in flight', claimedAt: AT, processing: 1, status: 'processing' },
  { case: 'has none in flight', claimedAt: AT, processing: 0, status: 'paid' },
])('a run by Stripe that $case is $status', ({ claimedAt, processing, status }) => {
  expect(stripeRunStatus(claimedAt, processing)).toBe(status)
})

describe('refusalOf', () => {
  const ALLOWED = {
    processing: ['processing', 'paid', 'canceled'],
    paid: ['paid', 'processing', 'confirmed'],
    confirmed: ['confirmed'],
    canceled: ['canceled'],
  }

  test.each(RUN_STATUSES.flatMap((from) => RUN_STATUSES.map((to) => ({ from, to }))))(
    'from $from to $to',
    ({ from, to }) => {
      const isAllowed = ALLOWED[from].includes(to)
      expect(refusalOf(MANUAL[from], to)).toEqual(isAllowed ? null : expect.any(String))
    },
  )

  test('a run that is still claiming allows no step', () => {
    const unclaimed = run({ claimedAt: null })
    expect(RUN_STATUSES.filter((to) => refusalOf(unclaimed, to) === null)).toEqual(['processing'])
    expect(exportRefusalOf(unclaimed)).toContain('still being created')
  })

  test('a run by Stripe cannot be marked, and has no bank file', () => {
    const byStripe = run({ method: 'stripe' })
    expect(RUN_STATUSES.filter((to) => refusalOf(byStripe, to) === null)).toEqual([])
    expect(exportRefusalOf(byStripe)).toContain('paid twice')
  })

  test('every manual run but a canceled one has a bank file', () => {
    expect(RUN_STATUSES.filter((status) => exportRefusalOf(MANUAL[status]) === null)).toEqual([
      'processing',
      'paid',
      'confirmed',
    ])
  })
})

describe('nextOccurrence', () => {
  test.each([
    { schedule: 'manual', now: '2026-11-21T12:00Z', next: null },
    { schedule: 'weekly', now: '2026-11-21T12:00Z', next: '2026-11-23' },
    { schedule: 'weekly', now: '2026-11-23T00:00Z', next: '2026-11-30' },
    { schedule: 'weekly', now: '2026-12-31T23:59Z', next: '2027-01-04' },
    { schedule: 'twice_monthly', now: '2026-11-01T00:00Z', next: '2026-11-15' },
    { schedule: 'twice_monthly', now: '2026-11-14T23:59Z', next: '2026-11-15' },
    { schedule: 'twice_monthly', now: '2026-11-15T00:00Z', next: '2026-12-01' },
    { schedule: 'twice_monthly', now: '2027-02-28T12:00Z', next: '2027-03-01' },
    { schedule: 'twice_monthly', now: '2026-12-31T23:59Z', next: '2027-01-01' },
    { schedule: 'monthly', now: '2027-01-31T12:00Z', next: '2027-02-01' },
    { schedule: 'monthly', now: '2027-02-01T00:00Z', next: '2027-03-01' },
    { schedule: 'monthly', now: '2028-02-29T12:00Z', next: '2028-03-01' },
    { schedule: 'monthly', now: '2026-12-01T00:00Z', next: '2027-01-01' },
  ] as const)('$schedule, seen at $now, is $next', ({ schedule, now, next }) => {
    expect(nextOccurrence(schedule, new Date(now))?.toISOString() ?? null).toBe(
      next && `${next}T00:00:00.000Z`,
    )
  })

  test('is always in the future, at most a month ahead', () => {
    for (let day = 0; day < 800; day++) {
      const now = new Date(Date.UTC(2026, 0, 1 + day, day % 24))
      for (const schedule of PAYOUT_SCHEDULES) {
        const next = nextOccurrence(schedule, now)
        if (!next) continue
        expect(next > now).toBe(true)
        expect(next.getTime() - now.getTime()).toBeLessThanOrEqual(31 * 86_400_000)
      }
    }
  })
})
