/** The periods of charts, divided into days or months. In UTC. */
import { UTCDateMini } from '@date-fns/utc'

/** In days. */
export const PERIODS = [7, 30, 90, 365] as const
export type PeriodDays = (typeof PERIODS)[number]

export const PERIOD_NAMES: Record<PeriodDays, string> = {
  7: '7 days',
  30: '30 days',
  90: '90 days',
  365: '12 months',
}

/** The period that a query asks for: 30 days by default, whatever it says. */
export const readPeriodDays = (text: string | undefined): PeriodDays =>
  PERIODS.find((days) => String(days) === text) ?? 30

/** From this length on, bars are calendar months: bars of days would be too thin. */
const BY_MONTH_DAYS = 365
const MONTHS = 12

export type Period = {
  days: PeriodDays
  unit: 'day' | 'month'
  since: Date
  /** The first day of each slot, such as 2026-05-01, oldest first. The last slot is the current one. */
  slots: [string, ...string[]]
}

export type Point = { slot: string; value: bigint }

const firstDay = (date: Date): string => date.toISOString().slice(0, 10)

/** The period up to now. A year is the current calendar month and the eleven before it, so that all bars are whole months. */
export const periodOf = (days: PeriodDays, now: Date): Period => {
  const unit = days === BY_MONTH_DAYS ? 'month' : 'day'
  const count = unit === 'month' ? MONTHS : days
  const starts = Array.from({ length: count }, (_, index) => slotStart(now, unit, count - 1 - index))
  const [since = now, ...others] = starts
  return { days, unit, since, slots: [firstDay(since), ...others.map(firstDay)] }
}

/** The slots of the period before, as many as this one has. */
export const slotsBefore = ({ unit, slots }: Period, now: Date): string[] =>
  slots.map((_, index) => firstDay(slotStart(now, unit, 2 * slots.length - 1 - index)))

/** The start of the day or month `before` units ago. */
const slotStart = (now: Date, unit: Period['unit'], before: number): Date => {
  const start = new UTCDateMini(now)
  start.setHours(0, 0, 0, 0)
  if (unit === 'month') start.setMonth(start.getMonth() - before, 1)
  else start.setDate(start.getDate() - before)
  return new Date(start)
}

/** One value per slot: the sum of its points, 0 where there is none. */
export const fillSlots = (slots: readonly string[], points: Point[]): bigint[] => {
  const values = new Map<string, bigint>()
  for (const { slot, value } of points) values.set(slot, (values.get(slot) ?? 0n) + value)
  return slots.map((slot) => values.get(slot) ?? 0n)
}
