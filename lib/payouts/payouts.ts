/** Payouts: when a program pays, who is left out, and what a payout's status is. No I/O, no clock. */
import { UTCDateMini } from '@date-fns/utc'

/** By Stripe to connected accounts, or by the merchant's bank from a file. */
export const PAYOUT_METHODS = ['stripe', 'manual'] as const
export type PayoutMethod = (typeof PAYOUT_METHODS)[number]

/**
 * When a program pays by itself: on Mondays, on the 1st and the 15th, or on the 1st of a month, from midnight UTC.
 * `manual`: whenever a manager asks for it.
 */
export const PAYOUT_SCHEDULES = ['manual', 'weekly', 'twice_monthly', 'monthly'] as const
export type PayoutSchedule = (typeof PAYOUT_SCHEDULES)[number]

/**
 * How a partner's Stripe account is: `onboarding` needs more from the partner, `in_review` waits for Stripe, `enabled`
 * can be paid, `restricted` could be and needs something again, `closed` never can again.
 */
export type PayoutAccountStatus = 'onboarding' | 'in_review' | 'enabled' | 'restricted' | 'closed'

export const PAYOUT_STATUSES = ['processing', 'paid', 'failed', 'canceled'] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/** Why a partner with a balance gets nothing from a run. */
export const SKIP_CODES = ['not_connected', 'partner_banned', 'below_minimum', 'negative_balance'] as const
export type SkipCode = (typeof SKIP_CODES)[number]

/** A manual run has all of them; a run by Stripe is `processing` until everything is claimed and sent, then `paid`. */
export const RUN_STATUSES = ['processing', 'paid', 'confirmed', 'canceled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

const MONDAY = 1
const SECOND_DAY = 15

/** The latest moment up to now at which a program of this schedule was to pay; null for one that pays when asked. */
export const latestOccurrence = (schedule: PayoutSchedule, now: Date): Date | null => {
  if (schedule === 'manual') return null
  const day = new UTCDateMini(now)
  day.setHours(0, 0, 0, 0)
  if (schedule === 'weekly') day.setDate(day.getDate() - ((day.getDay() - MONDAY + 7) % 7))
  else day.setDate(schedule === 'twice_monthly' && day.getDate() >= SECOND_DAY ? SECOND_DAY : 1)
  return new Date(day)
}

/** The transfers of a payout at Stripe, of which there is one: by it a transfer is found again. */
export const transferGroup = (payoutId: string): string => `payout_${payoutId}`

/**
 * The idempotency key of a transfer. Attempts are counted up only once Stripe has refused the one before, or has
 * forgotten its key and has no transfer of it.
 */
export const transferKey = (payoutId: string, keyVersion: number): string =>
  `payout_${payoutId}_${keyVersion}`

/** Stripe may forget a key once it is 24 hours old. */
const KEY_LIFE_MS = 24 * 3_600_000
/** Longer than any Worker may be held up between looking at the clock and Stripe's hearing of it. */
const KEY_END_MS = 3_600_000

/**
 * What is left of the key under which a transfer was first used. In the last hour of its life it is used no more, and
 * there is no other one yet: whoever used it at the last moment has been heard by then, or never will be.
 */
export const keyState = (keyUsedAt: Date, now: Date): 'known' | 'expiring' | 'forgotten' => {
  const age = now.getTime() - keyUsedAt.getTime()
  if (age > KEY_LIFE_MS) return 'forgotten'
  return age > KEY_LIFE_MS - KEY_END_MS ? 'expiring' : 'known'
}
