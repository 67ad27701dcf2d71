import { describe, expect, test } from 'vitest'
import {
  changedDays,
  DEFAULT_DAYS,
  daysRefusalOf,
  LAST_DAY,
  nextOccurrence,
  occurrences,
  PAYOUT_SCHEDULES,
  type PayoutSchedule,
} from '../../lib/rules/programs/schedules.ts'

/** The latest occurrence of a schedule, as a query finds it. */
const latest = (schedule: PayoutSchedule, days: number[] | null, now: Date) =>
  occurrences('latest', now)
    .filter((one) => one.schedule === schedule && (days ?? one.defaults).includes(one.day))
    .map(({ at }) => at)
    .sort((a, b) => Number(b) - Number(a))[0] ?? null

/** Each schedule with days, seen at a time, between its latest and its next occurrence. */
test.each<{
  schedule: PayoutSchedule
  days?: number[]
  now: string
  last: string | null
  next: string | null
}>([
  { schedule: 'manual', now: '2026-11-21T08:00Z', last: null, next: null },
  { schedule: 'weekly', now: '2026-11-21T08:00Z', last: '2026-11-16', next: '2026-11-23' },
  { schedule: 'weekly', now: '2026-11-16T00:00Z', last: '2026-11-16', next: '2026-11-23' },
  { schedule: 'weekly', now: '2026-11-15T23:59:59Z', last: '2026-11-09', next: '2026-11-16' },
  { schedule: 'weekly', now: '2026-03-01T12:00Z', last: '2026-02-23', next: '2026-03-02' },
  { schedule: 'weekly', now: '2026-12-31T23:59Z', last: '2026-12-28', next: '2027-01-04' },
  {
    schedule: 'weekly',
    days: [7],
    now: '2026-11-21T08:00Z',
    last: '2026-11-15',
    next: '2026-11-22',
  },
  {
    schedule: 'weekly',
    days: [7],
    now: '2026-11-22T00:00Z',
    last: '2026-11-22',
    next: '2026-11-29',
  },
  {
    schedule: 'weekly',
    days: [5],
    now: '2026-11-26T23:59Z',
    last: '2026-11-20',
    next: '2026-11-27',
  },
  { schedule: 'twice_monthly', now: '2026-11-01T00:00Z', last: '2026-11-01', next: '2026-11-15' },
  {
    schedule: 'twice_monthly',
    now: '2026-11-14T23:59:59Z',
    last: '2026-11-01',
    next: '2026-11-15',
  },
  { schedule: 'twice_monthly', now: '2026-11-15T00:00Z', last: '2026-11-15', next: '2026-12-01' },
  { schedule: 'twice_monthly', now: '2027-02-28T12:00Z', last: '2027-02-15', next: '2027-03-01' },
  { schedule: 'twice_monthly', now: '2026-12-31T23:59Z', last: '2026-12-15', next: '2027-01-01' },
  {
    schedule: 'twice_monthly',
    days: [15, 31],
    now: '2026-04-29T12:00Z',
    last: '2026-04-15',
    next: '2026-04-30',
  },
  {
    schedule: 'twice_monthly',
    days: [28, 31],
    now: '2026-02-28T00:00Z',
    last: '2026-02-28',
    next: '2026-03-28',
  },
  {
    schedule: 'twice_monthly',
    days: [5, 20],
    now: '2026-11-03T00:00Z',
    last: '2026-10-20',
    next: '2026-11-05',
  },
  { schedule: 'monthly', now: '2026-11-30T23:59:59Z', last: '2026-11-01', next: '2026-12-01' },
  { schedule: 'monthly', now: '2026-12-01T00:00Z', last: '2026-12-01', next: '2027-01-01' },
  { schedule: 'monthly', now: '2028-02-29T10:00Z', last: '2028-02-01', next: '2028-03-01' },
  {
    schedule: 'monthly',
    days: [28],
    now: '2026-01-05T00:00Z',
    last: '2025-12-28',
    next: '2026-01-28',
  },
  {
    schedule: 'monthly',
    days: [31],
    now: '2028-02-28T12:00Z',
    last: '2028-01-31',
    next: '2028-02-29',
  },
  {
    schedule: 'monthly',
    days: [31],
    now: '2026-12-31T00:00Z',
    last: '2026-12-31',
    next: '2027-01-31',
  },
  {
    schedule: 'monthly',
    days: [31],
    now: '2026-04-30T23:59Z',
    last: '2026-04-30',
    next: '2026-05-31',
  },
])(
  '$schedule on $days, seen at $now, is after $last and before $next',
  ({ schedule, days = null, now, last, next }) => {
    const at = new Date(now)
    const midnight = (day: string | null) => day && new Date(day)
    expect(latest(schedule, days, at)).toEqual(midnight(last))
    const program = { payoutSchedule: schedule, payoutDays: days, payoutScheduleSince: at }
    expect(nextOccurrence(program, at)).toEqual(midnight(next))
  },
)

test.each([
  { since: '2026-11-18T12:00Z', next: '2026-11-23' },
  { since: '2026-11-23T00:00Z', next: '2026-11-23' },
  { since: '2026-11-23T00:01Z', next: '2026-11-30' },
])(
  'a weekly schedule that begins at $since pays on $next for the first time',
  ({ since, next }) => {
    const program = {
      payoutSchedule: 'weekly' as const,
      payoutDays: null,
      payoutScheduleSince: new Date(since),
    }
    expect(nextOccurrence(program, new Date('2026-11-17T10:00Z'))).toEqual(new Date(next))
  },
)

test('the next occurrence is always later, at most a month ahead, and the latest one as soon as it is reached', () => {
  const wrong: object[] = []
  for (let day = 0; day < 800; day++) {
    const now = new Date(Date.UTC(2026, 0, 1 + day, day % 24))
    for (const { schedule, day: chosen, at } of occurrences('next', now)) {
      const isNext = at > now && at.getTime() - now.getTime() <= 31 * 86_400_000
      const isLatest = latest(schedule, [chosen], at)?.getTime() === at.getTime()
      // A date of another class would be no parameter for the database.
      const isDate = Object.getPrototypeOf(at) === Date.prototype
      if (!isNext || !isLatest || !isDate)
        wrong.push({ now, schedule, chosen, at, isNext, isLatest, isDate })
    }
  }
  expect(wrong).toEqual([])
})

describe('days', () => {
  test.each(PAYOUT_SCHEDULES)('of %s by default fit it', (payoutSchedule) => {
    expect(daysRefusalOf({ payoutSchedule, payoutDays: DEFAULT_DAYS[payoutSchedule] })).toBeNull()
  })

  test.each<{ payoutSchedule: PayoutSchedule; payoutDays: number[]; fits: boolean }>([
    { payoutSchedule: 'weekly', payoutDays: [7], fits: true },
    { payoutSchedule: 'weekly', payoutDays: [8], fits: false },
    { payoutSchedule: 'weekly', payoutDays: [1, 2], fits: false },
    { payoutSchedule: 'monthly', payoutDays: [28], fits: true },
    { payoutSchedule: 'monthly', payoutDays: [29], fits: false },
    { payoutSchedule: 'monthly', payoutDays: [LAST_DAY], fits: true },
    { payoutSchedule: 'monthly', payoutDays: [], fits: false },
    { payoutSchedule: 'twice_monthly', payoutDays: [10, LAST_DAY], fits: true },
    { payoutSchedule: 'twice_monthly', payoutDays: [10], fits: false },
    { payoutSchedule: 'twice_monthly', payoutDays: [10, 10], fits: false },
    { payoutSchedule: 'manual', payoutDays: [1], fits: false },
  ])('$payoutDays of $payoutSchedule fit: $fits', ({ fits, ...schedule }) => {
    expect(daysRefusalOf(schedule)).toEqual(fits ? null : expect.any(String))
  })

  const before = { payoutSchedule: 'monthly' as const, payoutDays: [20] }
  test.each([
    { case: 'remain while the schedule does', patch: {}, days: [20] },
    {
      case: 'remain when the same schedule is sent',
      patch: { payoutSchedule: 'monthly' as const },
      days: [20],
    },
    {
      case: 'are those of a new schedule',
      patch: { payoutSchedule: 'weekly' as const },
      days: [1],
    },
    { case: 'are the schedule’s own when null is sent', patch: { payoutDays: null }, days: [1] },
    {
      case: 'are sorted',
      patch: { payoutSchedule: 'twice_monthly' as const, payoutDays: [31, 10] },
      days: [10, 31],
    },
  ])('$case', ({ patch, days }) => {
    expect(changedDays(before, patch)).toEqual(days)
  })
})
