/** The periods of charts, divided into days or months. In UTC. */
import { UTCDateMini } from '@date-fns/utc'
import {
  type DayRange,
  dayOf,
  daysAfter,
  isDay,
  lengthOf,
  MAX_RANGE_DAYS,
  rangeOf,
} from './days.ts'

/** In days. */
export const PERIODS = [7, 30, 90, 365] as const
export type PeriodDays = (typeof PERIODS)[number]

/** The period of a query: 30 days if it has none. */
export const readPeriodDays = (text: string | undefined): PeriodDays =>
  PERIODS.find((days) => String(days) === text) ?? 30

/** Bars of days. Longer periods have bars of months. */
const MAX_DAY_BARS = 92
const MONTHS = 12
/** Nothing was recorded before. */
const FIRST_DAY = '2000-01-01'

type Unit = 'day' | 'month'

export type Period = DayRange & {
  /** Null if the days were chosen. */
  days: PeriodDays | null
  unit: Unit
  /** The unit of the totals that are read: chosen days may start or end within a month. */
  readBy: Unit
  /** The first day of the previous period, which has the same length. */
  formerFrom: string
  /** The first day of each slot, such as 2026-05-01, oldest first. */
  slots: string[]
}

export type Point = { slot: string; value: bigint }

/**
 * The period up to now. A year is the current month and the eleven before it, so that all bars are
 * whole months.
 */
export const periodOf = (days: PeriodDays, now: Date): Period => {
  const unit = days > MAX_DAY_BARS ? 'month' : 'day'
  const count = unit === 'month' ? MONTHS : days
  const slots = Array.from({ length: count }, (_, index) => slotStart(now, unit, count - 1 - index))
  const formerFrom = slotStart(now, unit, 2 * count - 1)
  return {
    days,
    unit,
    readBy: unit,
    from: slotStart(now, unit, count - 1),
    to: dayOf(now),
    formerFrom,
    slots,
  }
}

/** The period of chosen days. */
const periodBetween = ({ from, to }: DayRange): Period => {
  const length = lengthOf({ from, to })
  const days = Array.from({ length }, (_, index) => daysAfter(from, index))
  const unit = length > MAX_DAY_BARS ? 'month' : 'day'
  const slots = [...new Set(days.map((day) => slotOf(day, unit)))]
  return { days: null, unit, readBy: 'day', from, to, formerFrom: daysAfter(from, -length), slots }
}

/**
 * The period of a page's URL: the days `from` to `to`, or the last `days`.
 * @returns the last 30 days and the problem, if the chosen days are invalid
 */
export const readPeriod = (
  { days, from, to }: Record<string, string | undefined>,
  now: Date,
): { period: Period; problem?: string } => {
  const standard = periodOf(readPeriodDays(days), now)
  if (!from && !to) return { period: standard }
  const refused = (problem: string) => ({ period: standard, problem })
  if ((from && !isDay(from)) || (to && !isDay(to)))
    return refused('Enter both days of the period as a date, such as 2026-05-01.')
  const today = dayOf(now)
  const range = rangeOf({ ...(from && { from }), ...(to && { to: to < today ? to : today }) }, now)
  const length = lengthOf(range)
  if (range.from < FIRST_DAY) return refused(`The period must begin on ${FIRST_DAY} or later.`)
  if (length < 1)
    return refused('The period must begin on or before its last day, and not after today.')
  if (length > MAX_RANGE_DAYS)
    return refused(`A period has ${MAX_RANGE_DAYS} days at most. This one has ${length}.`)
  return { period: periodBetween(range) }
}

/** The first day of the slot that a day is in. */
const slotOf = (day: string, unit: Unit): string =>
  unit === 'month' ? `${day.slice(0, 7)}-01` : day

/** The start of the day or month `before` units ago. */
const slotStart = (now: Date, unit: Unit, before: number): string => {
  const start = new UTCDateMini(now)
  start.setHours(0, 0, 0, 0)
  if (unit === 'month') start.setMonth(start.getMonth() - before, 1)
  else start.setDate(start.getDate() - before)
  return dayOf(start)
}

/** One value per slot: the sum of its points, 0 where there is none. */
export const fillSlots = (slots: readonly string[], points: readonly Point[]): bigint[] => {
  const values = new Map<string, bigint>()
  for (const { slot, value } of points) values.set(slot, (values.get(slot) ?? 0n) + value)
  return slots.map((slot) => values.get(slot) ?? 0n)
}

/**
 * Splits the points of a period and of the previous one.
 *
 * @param points in the unit `readBy`
 * @returns one value per slot of the period, and the sum of the previous one
 */
export const splitPoints = ({ unit, from, slots }: Period, points: readonly Point[]) => {
  const within = points.filter(({ slot }) => slot >= from)
  const before = points.filter(({ slot }) => slot < from)
  return {
    values: fillSlots(
      slots,
      within.map(({ slot, value }) => ({ slot: slotOf(slot, unit), value })),
    ),
    before: before.reduce((sum, { value }) => sum + value, 0n),
  }
}
