import { describe, expect, test } from 'vitest'
import { RUN_STATUSES } from '../../lib/payouts/payouts.ts'
import {
  canceledRunStatus,
  exportRefusalOf,
  RUN_STEPS,
  type RunState,
  refusalOf,
  stripeRunStatus,
} from '../../lib/payouts/runs/runs.ts'

const AT = new Date('2026-11-21T12:00:00Z')

const run = (state: Partial<RunState> = {}): RunState => ({
  method: 'manual',
  status: 'processing',
  claimedAt: AT,
  ...state,
})

const MANUAL = {
  processing: run(),
  // Of runs by Stripe only: as a manual run, none of them allows a step.
  review: run({ status: 'review' }),
  completed: run({ status: 'completed' }),
  paid: run({ status: 'paid' }),
  confirmed: run({ status: 'confirmed' }),
  canceling: run({ status: 'canceling' }),
  canceled: run({ status: 'canceled' }),
}

test.each([
  { case: 'is still claiming', claimedAt: null, processing: 0, status: 'processing' },
  { case: 'has payouts in flight', claimedAt: AT, processing: 1, status: 'processing' },
  { case: 'has none in flight', claimedAt: AT, processing: 0, status: 'completed' },
  { case: 'is in review', claimedAt: AT, processing: 2, isInReview: true, status: 'review' },
  {
    case: 'had nothing to review',
    claimedAt: AT,
    processing: 0,
    isInReview: true,
    status: 'completed',
  },
])('a run by Stripe that $case is $status', ({ claimedAt, processing, isInReview, status }) => {
  expect(stripeRunStatus(claimedAt, processing, isInReview)).toBe(status)
})

test('a canceled run is canceling until the last of its payouts has ended', () => {
  expect([canceledRunStatus(2), canceledRunStatus(0)]).toEqual(['canceling', 'canceled'])
})

describe('refusalOf', () => {
  const ALLOWED = {
    processing: ['processing', 'paid', 'canceled'],
    review: [],
    completed: [],
    paid: ['paid', 'processing', 'confirmed'],
    confirmed: ['confirmed'],
    canceling: ['canceled'],
    canceled: ['canceled'],
  }

  test.each(RUN_STATUSES.flatMap((from) => RUN_STEPS.map((to) => ({ from, to }))))(
    'from $from to $to',
    ({ from, to }) => {
      const isAllowed = (ALLOWED[from] as string[]).includes(to)
      expect(refusalOf(MANUAL[from], to)).toEqual(isAllowed ? null : expect.any(String))
    },
  )

  test('a run that is still claiming allows no step but canceling', () => {
    const unclaimed = run({ claimedAt: null })
    expect(RUN_STEPS.filter((to) => refusalOf(unclaimed, to) === null)).toEqual([
      'processing',
      'canceled',
    ])
    expect(exportRefusalOf(unclaimed)).toContain('still being created')
  })

  test('a run by Stripe can be canceled until it has ended, but not marked, and has no bank file', () => {
    const byStripe = run({ method: 'stripe' })
    expect(RUN_STEPS.filter((to) => refusalOf(byStripe, to) === null)).toEqual(['canceled'])
    expect(
      RUN_STEPS.filter((to) => refusalOf({ ...byStripe, status: 'review' }, to) === null),
    ).toEqual(['canceled'])
    expect(
      RUN_STEPS.filter((to) => refusalOf({ ...byStripe, status: 'completed' }, to) === null),
    ).toEqual([])
    expect(exportRefusalOf(byStripe)).toContain('paid twice')
  })

  test('every manual run but a canceled one has a bank file', () => {
    const ofManualRuns = RUN_STATUSES.filter(
      (status) => status !== 'review' && status !== 'completed',
    )
    expect(ofManualRuns.filter((status) => exportRefusalOf(MANUAL[status]) === null)).toEqual([
      'processing',
      'paid',
      'confirmed',
    ])
  })
})
