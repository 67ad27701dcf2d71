/** Days in UTC, such as 2026-05-01, and ranges of them. */
import { UTCDateMini } from '@date-fns/utc'
import { addMonths } from 'date-fns/addMonths'

/** The longest range of statistics, in days: a leap year. */
export const MAX_RANGE_DAYS = 366

/** Inclusive. */
export type DayRange = { from: string; to: string }

const DAY_MS = 86_400_000

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

export const daysAfter = (day: string, days: number): string =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS))

/** Whether a text is a day of the calendar. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && daysAfter(text, 0) === text

export const daysBefore = (now: Date, days: number): string => daysAfter(dayOf(now), -days)

/** The days of a range; 0 or less if it ends before it starts. */
export const lengthOf = ({ from, to }: DayRange): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1

/** The requested days: the last 30 by default. */
export const rangeOf = ({ from, to }: Partial<DayRange>, now: Date): DayRange => {
  const end = to ?? dayOf(now)
  return { from: from ?? daysAfter(end, -29), to: end }
}

/**
 * The time so many months later, in UTC. The end of a shorter month is clamped: January 31 plus one
 * month is the last day of February.
 */
export const monthsAfter = (at: Date, months: number): Date =>
  new Date(addMonths(new UTCDateMini(at), months))
