/** When programs pay by themselves: on the days that the merchant chose, at midnight UTC. */
import { UTCDateMini } from '@date-fns/utc'

/** How often a program pays; `manual` is never. */
export const PAYOUT_SCHEDULES = ['manual', 'weekly', 'twice_monthly', 'monthly'] as const
export type PayoutSchedule = (typeof PAYOUT_SCHEDULES)[number]

/**
 * A schedule with its days in ascending order: a weekday from Monday, 1, to Sunday, 7, or days of
 * the month from 1 to 28. `LAST_DAY` is the last one of any month. Two for `twice_monthly`, none
 * for `manual`.
 */
export type Schedule = { payoutSchedule: PayoutSchedule; payoutDays: number[] }

export const LAST_DAY = 31
/** The last one that every month has. */
const LAST_COMMON_DAY = 28
const DAYS_PER_WEEK = 7

/** The days of a schedule for which none were chosen. */
export const DEFAULT_DAYS: Record<PayoutSchedule, number[]> = {
  manual: [],
  weekly: [1],
  twice_monthly: [1, 15],
  monthly: [1],
}

const isWeekday = (day: number): boolean => day >= 1 && day <= DAYS_PER_WEEK
const isMonthDay = (day: number): boolean =>
  (day >= 1 && day <= LAST_COMMON_DAY) || day === LAST_DAY

/** Why days do not fit a schedule; null if they do. */
export const daysRefusalOf = ({ payoutSchedule, payoutDays }: Schedule): string | null => {
  const isOfMonth = payoutSchedule !== 'weekly'
  const wanted = DEFAULT_DAYS[payoutSchedule].length
  const isFitting =
    payoutDays.length === wanted &&
    new Set(payoutDays).size === wanted &&
    payoutDays.every(isOfMonth ? isMonthDay : isWeekday)
  if (isFitting) return null
  if (wanted === 0) return 'Must be empty: a manual schedule has no days.'
  if (!isOfMonth) return 'Must be one weekday, from 1 for Monday to 7 for Sunday.'
  return `Must be ${wanted === 1 ? 'one day' : 'two different days'} of the month, from 1 to ${LAST_COMMON_DAY}, or ${LAST_DAY} for the last day.`
}

/** The days of a patched program: those given, those it has, or the new schedule's own. */
export const changedDays = (
  before: Schedule,
  {
    payoutSchedule = before.payoutSchedule,
    payoutDays,
  }: { [K in keyof Schedule]?: Schedule[K] | null | undefined },
): number[] => {
  if (payoutDays) return payoutDays.toSorted((a, b) => a - b)
  const isKept = payoutDays === undefined && payoutSchedule === before.payoutSchedule
  return isKept || !payoutSchedule ? before.payoutDays : DEFAULT_DAYS[payoutSchedule]
}

/** A schedule's day in the month that many months from now, at midnight. */
const inMonth = (day: number, now: Date, months: number): Date => {
  const month = now.getUTCMonth() + months
  // Day 0 is the last one of the month before.
  return new Date(
    day === LAST_DAY
      ? Date.UTC(now.getUTCFullYear(), month + 1, 0)
      : Date.UTC(now.getUTCFullYear(), month, day),
  )
}

/** A weekday up to now, and the one after it. */
const weekdays = (weekday: number, now: Date): [Date, Date] => {
  const latest = new UTCDateMini(now)
  latest.setHours(0, 0, 0, 0)
  latest.setDate(latest.getDate() - ((latest.getDay() - weekday + DAYS_PER_WEEK) % DAYS_PER_WEEK))
  const next = new UTCDateMini(latest)
  next.setDate(next.getDate() + DAYS_PER_WEEK)
  return [new Date(latest), new Date(next)]
}

/** The latest time of one day of a schedule up to now, and the next one. */
const aroundNow = (
  schedule: PayoutSchedule,
  day: number,
  now: Date,
): [latest: Date, next: Date] => {
  if (schedule === 'weekly') return weekdays(day, now)
  const current = inMonth(day, now, 0)
  return current <= now ? [current, inMonth(day, now, 1)] : [inMonth(day, now, -1), current]
}

/** Days after which a schedule begins that was set: managers, who are mailed, can stop it. */
const DAYS_TO_BEGIN = 3

/** When a schedule begins that is set now. Earlier occurrences create no runs. */
export const scheduleBegins = (now: Date): Date =>
  new Date(now.getTime() + DAYS_TO_BEGIN * 86_400_000)

/** A schedule's next occurrence; null for `manual`. Without days, the schedule's own count. */
export const nextOccurrence = (
  {
    payoutSchedule,
    payoutDays,
    payoutScheduleSince,
  }: Pick<Schedule, 'payoutSchedule'> & { payoutDays: number[] | null; payoutScheduleSince: Date },
  now: Date,
): Date | null => {
  // One that begins at this millisecond counts.
  const from = new Date(Math.max(now.getTime(), payoutScheduleSince.getTime() - 1))
  const times = (payoutDays ?? DEFAULT_DAYS[payoutSchedule]).map((day) =>
    aroundNow(payoutSchedule, day, from)[1].getTime(),
  )
  return times.length ? new Date(Math.min(...times)) : null
}

/** When one day of a schedule occurs. */
export type Occurrence = { schedule: PayoutSchedule; day: number; defaults: number[]; at: Date }

/**
 * The latest occurrences up to now, or the next ones, of every day of every schedule: a program's
 * are those of its days.
 */
export const occurrences = (which: 'latest' | 'next', now: Date): Occurrence[] =>
  PAYOUT_SCHEDULES.flatMap((schedule) => {
    const days = Array.from({ length: LAST_DAY }, (_, index) => index + 1)
    const isDay = schedule === 'weekly' ? isWeekday : isMonthDay
    return schedule === 'manual'
      ? []
      : days.filter(isDay).map((day) => ({
          schedule,
          day,
          defaults: DEFAULT_DAYS[schedule],
          at: aroundNow(schedule, day, now)[which === 'latest' ? 0 : 1],
        }))
  })
