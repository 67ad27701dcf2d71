import { expect, test } from 'vitest'
import {
  fillSlots,
  type PeriodDays,
  periodOf,
  readPeriod,
  readPeriodDays,
  splitPoints,
} from '../lib/values/periods.ts'

const now = new Date('2028-03-01T00:30:00Z')

test.each<{
  days: PeriodDays
  unit: string
  slots: number
  first: string
  second: string
  last: string
}>([
  { days: 7, unit: 'day', slots: 7, first: '2028-02-24', second: '2028-02-25', last: '2028-03-01' },
  {
    days: 30,
    unit: 'day',
    slots: 30,
    first: '2028-02-01',
    second: '2028-02-02',
    last: '2028-03-01',
  },
  {
    days: 90,
    unit: 'day',
    slots: 90,
    first: '2027-12-03',
    second: '2027-12-04',
    last: '2028-03-01',
  },
  {
    days: 365,
    unit: 'month',
    slots: 12,
    first: '2027-04-01',
    second: '2027-05-01',
    last: '2028-03-01',
  },
])('$days days by $unit, up to the current one', ({ days, unit, slots, first, second, last }) => {
  const period = periodOf(days, now)
  expect(period.unit).toBe(unit)
  expect([period.from, period.to]).toEqual([first, '2028-03-01'])
  expect(period.slots).toHaveLength(slots)
  expect([period.slots[0], period.slots[1], period.slots.at(-1)]).toEqual([first, second, last])
})

test('a year that ends on the 31st has every month once', () => {
  const { slots } = periodOf(365, new Date('2026-08-31T23:59:59Z'))
  expect(new Set(slots).size).toBe(12)
  expect(slots).toContain('2026-02-01')
})

test('a slot without a point is 0', () => {
  const points = [
    { slot: '2026-05-02', value: 3n },
    { slot: '2026-04-01', value: 9n },
  ]
  expect(fillSlots(['2026-05-01', '2026-05-02', '2026-05-03'], points)).toEqual([0n, 3n, 0n])
})

test('the period before is as long, and ends where this one begins', () => {
  expect(periodOf(7, now).formerFrom).toBe('2028-02-17')
  expect(periodOf(365, now).formerFrom).toBe('2026-04-01')
  expect(readPeriod({ from: '2027-03-01', to: '2027-03-31' }, now).period.formerFrom).toBe(
    '2027-01-29',
  )
})

test('points are split into the slots of the period and what was before, also where both share a month', () => {
  const { period } = readPeriod({ from: '2027-06-15', to: '2027-10-14' }, now)
  expect(period.slots).toEqual([
    '2027-06-01',
    '2027-07-01',
    '2027-08-01',
    '2027-09-01',
    '2027-10-01',
  ])
  const points = [
    { slot: '2027-06-14', value: 1n },
    { slot: '2027-06-15', value: 2n },
    { slot: '2027-06-30', value: 4n },
    { slot: '2027-10-14', value: 8n },
  ]
  expect(splitPoints(period, points)).toEqual({ values: [6n, 0n, 0n, 0n, 8n], before: 1n })
})

test.each([
  {
    query: { from: '2028-02-01', to: '2028-02-02' },
    days: ['2028-02-01', '2028-02-02'],
    unit: 'day',
  },
  { query: { from: '2028-02-20' }, days: ['2028-02-20', '2028-03-01'], unit: 'day' },
  {
    query: { from: '2028-02-20', to: '2028-12-31' },
    days: ['2028-02-20', '2028-03-01'],
    unit: 'day',
  },
  { query: { to: '2027-12-31' }, days: ['2027-12-02', '2027-12-31'], unit: 'day' },
  {
    query: { from: '2027-11-30', to: '2028-02-29' },
    days: ['2027-11-30', '2028-02-29'],
    unit: 'day',
  },
  {
    query: { from: '2027-11-29', to: '2028-02-29' },
    days: ['2027-11-29', '2028-02-29'],
    unit: 'month',
  },
  {
    query: { from: '2027-03-02', to: '2028-03-01' },
    days: ['2027-03-02', '2028-03-01'],
    unit: 'month',
  },
])('the days $query are a period by $unit', ({ query, days, unit }) => {
  const { period, problem } = readPeriod({ days: '7', ...query }, now)
  expect(problem).toBeUndefined()
  expect(period).toMatchObject({ days: null, from: days[0], to: days[1], unit, readBy: 'day' })
})

test.each([
  { query: { from: '2028-02-30' }, problem: 'as a date' },
  { query: { to: "1' or '1" }, problem: 'as a date' },
  { query: { from: '0001-01-01', to: '0001-01-02' }, problem: '2000-01-01 or later' },
  { query: { from: '2028-02-02', to: '2028-02-01' }, problem: 'on or before its last day' },
  { query: { from: '2028-03-02' }, problem: 'on or before its last day' },
  {
    query: { from: '2027-02-28', to: '2028-02-29' },
    problem: '366 days at most. This one has 367',
  },
])('the days $query are refused', ({ query, problem }) => {
  expect(readPeriod(query, now)).toEqual({
    period: periodOf(30, now),
    problem: expect.stringContaining(problem),
  })
})

test.each(['', '1', '-7', '07', '__proto__', undefined])(
  'the query %s asks for 30 days',
  (text) => {
    expect(readPeriodDays(text)).toBe(30)
  },
)
