/** Statistics of a period, by day, partner, program, landing page, referrer or sub. */
import { type DayRange, dayOf, daysAfter } from '../values/days.ts'

/** A click's properties: the page that was opened, the host it came from, the link's `sub`. */
const LANDING_BY = ['landingPage', 'referrer', 'sub'] as const
export type LandingBy = (typeof LANDING_BY)[number]

export const STATS_BY = ['day', 'partner', 'program', ...LANDING_BY] as const
export type StatsBy = (typeof STATS_BY)[number]

export const isLandingBy = (by: StatsBy): by is LandingBy =>
  (LANDING_BY as readonly StatsBy[]).includes(by)

/** The referrer of clicks whose browser named none. */
export const DIRECT = '(direct)'

/**
 * A range as whole months and the days before and after them, so that a year of a partner is a few
 * rows. Months are given by their first days.
 */
export const partsOf = ({ from, to }: DayRange): { months: DayRange | null; days: DayRange[] } => {
  const first = from.endsWith('-01') ? from : nextMonth(from)
  const end = nextMonth(daysAfter(to, 1).endsWith('-01') ? to : previousMonth(to))
  if (first >= end) return { months: null, days: [{ from, to }] }
  const days = [
    { from, to: daysAfter(first, -1) },
    { from: end, to },
  ]
  return {
    months: { from: first, to: daysAfter(end, -1) },
    days: days.filter((part) => part.from <= part.to),
  }
}

const nextMonth = (day: string): string => {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return dayOf(new Date(Date.UTC(year, month, 1)))
}

const previousMonth = (day: string): string => {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return dayOf(new Date(Date.UTC(year, month - 2, 1)))
}
