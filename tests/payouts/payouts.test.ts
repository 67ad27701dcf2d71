import { expect, test } from 'vitest'
import {
  keyState,
  latestOccurrence,
  type PayoutSchedule,
  transferGroup,
  transferKey,
} from '../../lib/payouts/payouts.ts'
import { commissionStatus } from '../../lib/tracking/commissions.ts'

test.each<{ schedule: PayoutSchedule; now: string; day: string | null }>([
  { schedule: 'manual', now: '2026-11-21T08:00:00Z', day: null },
  { schedule: 'weekly', now: '2026-11-21T08:00:00Z', day: '2026-11-16' },
  { schedule: 'weekly', now: '2026-11-16T00:00:00Z', day: '2026-11-16' },
  { schedule: 'weekly', now: '2026-11-15T23:59:59Z', day: '2026-11-09' },
  { schedule: 'weekly', now: '2026-03-01T12:00:00Z', day: '2026-02-23' },
  { schedule: 'twice_monthly', now: '2026-11-14T23:59:59Z', day: '2026-11-01' },
  { schedule: 'twice_monthly', now: '2026-11-15T00:00:00Z', day: '2026-11-15' },
  { schedule: 'twice_monthly', now: '2026-11-30T10:00:00Z', day: '2026-11-15' },
  { schedule: 'monthly', now: '2026-11-30T23:59:59Z', day: '2026-11-01' },
  { schedule: 'monthly', now: '2026-12-01T00:00:00Z', day: '2026-12-01' },
  { schedule: 'monthly', now: '2028-02-29T10:00:00Z', day: '2028-02-01' },
])('the latest occurrence of $schedule at $now is $day', ({ schedule, now, day }) => {
  const at = latestOccurrence(schedule, new Date(now))
  expect(at?.toISOString() ?? null).toBe(day && `${day}T00:00:00.000Z`)
  // A date of another class would be no parameter for the database.
  if (at) expect(Object.getPrototypeOf(at)).toBe(Date.prototype)
})

const then = new Date('2026-11-21T08:00:00Z')

test.each([
  { case: 'in its holding period', at: '2026-12-01', payoutId: null, paidAt: null, status: 'pending' },
  {
    case: 'in review in its holding period',
    at: '2026-12-01',
    payoutId: null,
    paidAt: null,
    isHeld: true,
    status: 'held',
  },
  {
    case: 'in review after it',
    at: '2026-11-01',
    payoutId: null,
    paidAt: null,
    isHeld: true,
    status: 'held',
  },
  { case: 'payable now', at: '2026-11-21T08:00:00Z', payoutId: null, paidAt: null, status: 'payable' },
  {
    case: 'in a payout that is processing',
    at: '2026-11-01',
    payoutId: 'p',
    paidAt: null,
    status: 'processing',
  },
  { case: 'in a payout that was sent', at: '2026-11-01', payoutId: 'p', paidAt: then, status: 'paid' },
])('a commission that is $case is $status', ({ at, payoutId, paidAt, isHeld = false, status }) => {
  expect(commissionStatus({ payableAt: new Date(at), payoutId, paidAt, isHeld }, then)).toBe(status)
})

test('a transfer has one idempotency key per version, and one group', () => {
  expect(transferKey('p', 1)).not.toBe(transferKey('p', 2))
  expect(transferKey('p', 1)).not.toBe(transferKey('q', 1))
  expect(transferGroup('p')).toBe(transferGroup('p'))
})

test.each([
  { hours: 0, state: 'known' },
  { hours: 22.9, state: 'known' },
  { hours: 23.1, state: 'expiring' },
  { hours: 23.9, state: 'expiring' },
  { hours: 24.1, state: 'forgotten' },
])('after $hours hours a key is $state', ({ hours, state }) => {
  expect(keyState(then, new Date(then.getTime() + hours * 3_600_000))).toBe(state)
})
