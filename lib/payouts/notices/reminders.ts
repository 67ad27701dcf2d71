/** When partners whose earnings cannot be paid are reminded. */

const DAY_MS = 86_400_000
/** After so many days with money due, and then every 30 days. */
const FIRST_DAYS = [3, 10, 30]
const INTERVAL_DAYS = 30
/** Ten years. Later reminders are not sent. */
const MAX_REMINDERS = FIRST_DAYS.length + 120

/** A reminder of a series. Whoever is owed since `dueSince` or earlier is to have had it. */
export type Reminder = { number: number; dueSince: Date }

const daysUntil = (number: number): number =>
  FIRST_DAYS[number - 1] ??
  FIRST_DAYS.reduce((a, b) => Math.max(a, b)) + (number - FIRST_DAYS.length) * INTERVAL_DAYS

/**
 * The reminders of a series as of now. A partner gets the latest that is due, so one who was not
 * reminded for months, as before the workspace had a key, gets one mail.
 */
export const remindersAt = (now: Date): Reminder[] =>
  Array.from({ length: MAX_REMINDERS }, (_, index) => ({
    number: index + 1,
    dueSince: new Date(now.getTime() - daysUntil(index + 1) * DAY_MS),
  }))
