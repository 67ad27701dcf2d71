import { expect, test } from 'vitest'
import { keyState, transferGroup, transferKey } from '../../lib/payouts/payouts.ts'
import { commissionStatus } from '../../lib/rules/steps/commissions.ts'

const then = new Date('2026-11-21T08:00:00Z')

test.each([
  {
    case: 'in its holding period',
    at: '2026-12-01',
    payoutId: null,
    paidAt: null,
    status: 'pending',
  },
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
  {
    case: 'payable now',
    at: '2026-11-21T08:00:00Z',
    payoutId: null,
    paidAt: null,
    status: 'payable',
  },
  {
    case: 'in a payout that is processing',
    at: '2026-11-01',
    payoutId: 'p',
    paidAt: null,
    status: 'processing',
  },
  {
    case: 'in a payout that was sent',
    at: '2026-11-01',
    payoutId: 'p',
    paidAt: then,
    status: 'paid',
  },
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
