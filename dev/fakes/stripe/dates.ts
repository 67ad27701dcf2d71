/** Arithmetic on Stripe's timestamps: whole seconds. */
import { UTCDate } from '@date-fns/utc'
import { addDays } from 'date-fns/addDays'
import { addMonths } from 'date-fns/addMonths'
import { addWeeks } from 'date-fns/addWeeks'
import { addYears } from 'date-fns/addYears'
import type Stripe from 'stripe'

const ADD = new Map<string, typeof addDays>([
  ['day', addDays],
  ['week', addWeeks],
  ['month', addMonths],
  ['year', addYears],
])

/** Adds billing intervals to a time, in UTC. */
export const later = (
  seconds: number,
  interval: Stripe.Price.Recurring.Interval,
  count: number,
): number => {
  const add = ADD.get(interval)
  if (!add) throw new Error(`Unknown interval "${interval}".`)
  return add(new UTCDate(seconds * 1_000), count).getTime() / 1_000
}
