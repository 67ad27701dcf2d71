import { describe, expect, test } from 'vitest'
import { RUN_STATUSES } from '../../lib/payouts/payouts.ts'
import { exportRefusalOf, type RunState, refusalOf, stripeRunStatus } from '../../lib/payouts/runs.ts'

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
