import { expect, test } from 'vitest'
import { fillSlots, type PeriodDays, periodOf, readPeriodDays, slotsBefore } from '../lib/periods.ts'

const now = new Date('2028-03-01T00:30:00Z')

test.each<{ days: PeriodDays; unit: string; slots: number; first: string; second: string; last: string }>([
  { days: 7, unit: 'day', slots: 7, first: '2028-02-24', second: '2028-02-25', last: '2028-03-01' },
  { days: 30, unit: 'day', slots: 30, first: '2028-02-01', second: '2028-02-02', last: '2028-03-01' },
  { days: 90, unit: 'day', slots: 90, first: '2027-12-03', second: '2027-12-04', last: '2028-03-01' },
  { days: 365, unit: 'month', slots: 12, first: '2027-04-01', second: '2027-05-01', last: '2028-03-01' },
])('$days days by $unit, up to the current one', ({ days, unit, slots, first, second, last }) => {
  const period = periodOf(days, now)
  expect(period.unit).toBe(unit)
  expect(period.since.toISOString()).toBe(`${first}T00:00:00.000Z`)
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
  const before = slotsBefore(periodOf(7, now), now)
  expect([before.length, before[0], before.at(-1)]).toEqual([7, '2028-02-17', '2028-02-23'])
  const year = slotsBefore(periodOf(365, now), now)
  expect([year.length, year[0], year.at(-1)]).toEqual([12, '2026-04-01', '2027-03-01'])
})

test.each(['', '1', '-7', '07', '__proto__', undefined])('the query %s asks for 30 days', (text) => {
  expect(readPeriodDays(text)).toBe(30)
})
