import { describe, expect, test } from 'vitest'
import { earnings, type Reward } from '../../lib/rules/rewards/rewards.ts'
import {
  refuseByInterval,
  refuseByMinimum,
  refuseProration,
} from '../../lib/rules/steps/intervals.ts'
import { monthsAfter } from '../../lib/values/days.ts'

const percent = (percent: number): Reward => ({
  id: 'r',
  kind: 'percent',
  basisPoints: Math.round(percent * 100),
})
const flat = (amountCents: number, currency: string): Reward => ({
  id: 'r',
  kind: 'flat',
  amountCents,
  currency,
})

describe('a share of the sale', () => {
  test.each([
    { case: 'a whole share', sale: 4_900n, reward: 20, earns: 980n },
    { case: 'exactly half a cent rounds up', sale: 15n, reward: 10, earns: 2n },
    { case: 'just under half a cent rounds down', sale: 14n, reward: 10, earns: 1n },
    { case: 'a sale too small to earn anything', sale: 4n, reward: 10, earns: 0n },
    { case: 'the smallest sale that earns a cent', sale: 5n, reward: 10, earns: 1n },
    { case: 'a share with two decimals', sale: 10_000n, reward: 12.34, earns: 1_234n },
    { case: 'a third of a cent more does not count', sale: 1n, reward: 33.33, earns: 0n },
    { case: 'half of one cent rounds up', sale: 1n, reward: 50, earns: 1n },
    { case: 'everything', sale: 99n, reward: 100, earns: 99n },
    { case: 'nothing', sale: 4_900n, reward: 0, earns: 0n },
    {
      case: 'the largest sale, to the cent',
      sale: 99_999_999_999_999n,
      reward: 100,
      earns: 99_999_999_999_999n,
    },
    {
      case: 'the largest sale at a share that floating point would miss',
      sale: 99_999_999_999_999n,
      reward: 33.33,
      earns: 33_330_000_000_000n,
    },
  ])('$case: $reward % of $sale is $earns', ({ sale, reward, earns }) => {
    expect(earnings({ amountCents: sale, currency: 'USD' }, percent(reward))).toEqual({
      amountCents: earns,
      currency: 'USD',
    })
  })

  test.each([
    {
      case: 'a currency without minor units counts whole yen',
      currency: 'JPY',
      sale: 1_005n,
      earns: 101n,
    },
    {
      case: 'a currency with three decimals counts fils',
      currency: 'KWD',
      sale: 12_345n,
      earns: 1_235n,
    },
    { case: 'a currency with two decimals', currency: 'EUR', sale: 1_004n, earns: 100n },
  ])('$case', ({ currency, sale, earns }) => {
    expect(earnings({ amountCents: sale, currency }, percent(10))).toEqual({
      amountCents: earns,
      currency,
    })
  })

  test('of a lead, which has no amount, is nothing', () => {
    expect(earnings(null, percent(20))).toBeNull()
  })
})

describe('a flat reward', () => {
  test.each([
    {
      case: 'is paid in full for a sale of the same amount',
      sale: { amountCents: 500n, currency: 'USD' },
    },
    { case: 'is the same for a large sale', sale: { amountCents: 1_000_000n, currency: 'USD' } },
    {
      case: 'keeps its own currency, whatever the sale was in',
      sale: { amountCents: 100n, currency: 'JPY' },
    },
    { case: 'is paid for a lead', sale: null },
  ])('$case', ({ sale }) => {
    expect(earnings(sale, flat(500, 'USD'))).toEqual({ amountCents: 500n, currency: 'USD' })
  })

  test('is never more than a sale in its own currency', () => {
    const sale = { amountCents: 499n, currency: 'USD' }
    expect(earnings(sale, flat(500, 'USD'))).toEqual(sale)
  })
})

test.each([
  { case: 'a paid trial below the minimum', interval: 'one-time', sale: 499n, refused: true },
  { case: 'a sale of exactly the minimum', interval: 'one-time', sale: 500n, refused: false },
  {
    case: 'a small sale under a recurring reward',
    interval: 'recurring',
    sale: 1n,
    refused: false,
  },
] as const)('$case is refused a one-time reward: $refused', ({ interval, sale, refused }) => {
  const terms = { rewardInterval: interval, oneTimeMinimumCents: 500 }
  expect(refuseByMinimum(terms, { amountCents: sale, currency: 'EUR' })).toEqual(
    refused
      ? { code: 'below_one_time_minimum', facts: { minimumCents: 500, currency: 'EUR' } }
      : null,
  )
})

test.each([
  { reward: flat(500, 'USD'), interval: 'recurring', isProration: true, refused: true },
  { reward: flat(500, 'USD'), interval: 'recurring', isProration: false, refused: false },
  { reward: flat(500, 'USD'), interval: 'one-time', isProration: true, refused: false },
  { reward: percent(20), interval: 'recurring', isProration: true, refused: false },
] as const)(
  'a $reward.kind $interval reward is refused for a sale that is a proration ($isProration): $refused',
  (given) => {
    const { reward, interval, isProration, refused } = given
    expect(refuseProration({ rewardInterval: interval }, reward, isProration) !== null).toBe(
      refused,
    )
  },
)

describe('the end of a recurring reward', () => {
  test.each([
    {
      case: 'the same day a year later',
      first: '2026-03-10T12:00:00Z',
      months: 12,
      ends: '2027-03-10T12:00:00Z',
    },
    {
      case: 'from the 31st to a month of 30 days',
      first: '2026-03-31T00:00:00Z',
      months: 1,
      ends: '2026-04-30T00:00:00Z',
    },
    {
      case: 'from the 31st of January to the end of February',
      first: '2026-01-31T23:59:59Z',
      months: 1,
      ends: '2026-02-28T23:59:59Z',
    },
    {
      case: 'to the 29th of February of a leap year',
      first: '2027-12-31T08:00:00Z',
      months: 2,
      ends: '2028-02-29T08:00:00Z',
    },
    {
      case: 'from the 29th of February to a year without one',
      first: '2028-02-29T08:00:00Z',
      months: 12,
      ends: '2029-02-28T08:00:00Z',
    },
    {
      case: 'from the 29th of February to the next one',
      first: '2028-02-29T08:00:00Z',
      months: 48,
      ends: '2032-02-29T08:00:00Z',
    },
    {
      case: 'clamped once, not month by month',
      first: '2026-01-31T00:00:00Z',
      months: 2,
      ends: '2026-03-31T00:00:00Z',
    },
    {
      case: 'over a change to summer time, in UTC',
      first: '2026-03-01T01:30:00Z',
      months: 1,
      ends: '2026-04-01T01:30:00Z',
    },
    {
      case: 'to the millisecond',
      first: '2026-05-05T05:05:05.005Z',
      months: 3,
      ends: '2026-08-05T05:05:05.005Z',
    },
  ])('$case', ({ first, months, ends }) => {
    expect(monthsAfter(new Date(first), months)).toEqual(new Date(ends))
  })
})

describe('the interval', () => {
  const first = new Date('2026-01-31T10:00:00Z')
  test.each([
    {
      case: 'a first sale, one-time',
      interval: 'one-time',
      months: null,
      firstAt: null,
      now: '2026-01-31T10:00:00Z',
      refused: undefined,
    },
    {
      case: 'a second sale, one-time',
      interval: 'one-time',
      months: null,
      firstAt: first,
      now: '2026-01-31T10:00:01Z',
      refused: 'one_time_already_rewarded',
    },
    {
      case: 'a second sale years later, one-time',
      interval: 'one-time',
      months: 1,
      firstAt: first,
      now: '2036-01-31T10:00:00Z',
      refused: 'one_time_already_rewarded',
    },
    {
      case: 'a first sale, recurring',
      interval: 'recurring',
      months: 1,
      firstAt: null,
      now: '2026-01-31T10:00:00Z',
      refused: undefined,
    },
    {
      case: 'a sale within the duration',
      interval: 'recurring',
      months: 1,
      firstAt: first,
      now: '2026-02-15T00:00:00Z',
      refused: undefined,
    },
    {
      case: 'the last millisecond of the duration',
      interval: 'recurring',
      months: 1,
      firstAt: first,
      now: '2026-02-28T09:59:59.999Z',
      refused: undefined,
    },
    {
      case: 'exactly at the end',
      interval: 'recurring',
      months: 1,
      firstAt: first,
      now: '2026-02-28T10:00:00Z',
      refused: 'past_reward_duration',
    },
    {
      case: 'after the end',
      interval: 'recurring',
      months: 1,
      firstAt: first,
      now: '2026-03-01T00:00:00Z',
      refused: 'past_reward_duration',
    },
    {
      case: 'ten years later, without an end',
      interval: 'recurring',
      months: null,
      firstAt: first,
      now: '2036-01-31T10:00:00Z',
      refused: undefined,
    },
  ] as const)('$case: $refused', ({ interval, months, firstAt, now, refused }) => {
    const terms = { rewardInterval: interval, rewardDurationMonths: months }
    expect(refuseByInterval(terms, firstAt, new Date(now))?.code).toBe(refused)
  })
})
