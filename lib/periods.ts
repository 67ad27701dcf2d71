/** The time that a partner's charts look back over, in the days or months that they count by. In UTC. */
import { UTCDateMini } from '@date-fns/utc'

/** How far back a chart may look, in days. */
export const PERIODS = [30, 90, 365] as const
export type PeriodDays = (typeof PERIODS)[number]

/** Bars of single days get too thin to be seen from here on: they stand for calendar months. */
const BY_MONTH_DAYS = 365
const MONTHS = 12

export type Period = {
  days: PeriodDays
  unit: 'day' | 'month'
  since: Date
  /** The first day of each slot, as 2026-05-01, oldest first. The last slot is the one that is not over. */
  slots: [string, ...string[]]
}

/** A number in a series, by the slot that it falls into. */
export type Point = { slot: string; value: bigint }

const firstDay = (date: Date): string => date.toISOString().slice(0, 10)

/** The period up to now. A year is twelve calendar months, this one included, so that no bar is of half a month. */
export const periodOf = (days: PeriodDays, now: Date): Period => {
  const unit = days === BY_MONTH_DAYS ? 'month' : 'day'
  const count = unit === 'month' ? MONTHS : days
  const starts = Array.from({ length: count }, (_, index) => slotStart(now, unit, count - 1 - index))
  const [since = now, ...others] = starts
  return { days, unit, since, slots: [firstDay(since), ...others.map(firstDay)] }
}

/** The beginning of the day or month that is so many before this one. */
const slotStart = (now: Date, unit: Period['unit'], before: number): Date => {
  const start = new UTCDateMini(now)
  start.setHours(0, 0, 0, 0)
  if (unit === 'month') start.setMonth(start.getMonth() - before, 1)
  else start.setDate(start.getDate() - before)
  return new Date(start)
}

/** A series with a number for each slot: where nothing happened, it is nought. */
export const fillSlots = (slots: readonly string[], points: Point[]): bigint[] => {
  const values = new Map(points.map(({ slot, value }) => [slot, value]))
  return slots.map((slot) => values.get(slot) ?? 0n)
}
