/** Payouts: methods, statuses, and the idempotency keys of transfers. */

/** By Stripe to connected accounts, or by the merchant's bank from a file. */
export const PAYOUT_METHODS = ['stripe', 'manual'] as const
export type PayoutMethod = (typeof PAYOUT_METHODS)[number]

/**
 * The status of a partner's Stripe account: `onboarding` needs more information from the partner,
 * `in_review` waits for Stripe, `enabled` can be paid, `restricted` was enabled and needs more
 * information, `closed` is permanent.
 */
export const PAYOUT_ACCOUNT_STATUSES = [
  'onboarding',
  'in_review',
  'enabled',
  'restricted',
  'closed',
] as const
export type PayoutAccountStatus = (typeof PAYOUT_ACCOUNT_STATUSES)[number]

/**
 * `canceling`: nothing more is sent, but it may have been sent, or its commissions are being
 * released. `reversed`: its transfer was reversed in full at Stripe. In part, it remains `paid`.
 * `returned`: the bank returned it after its run was confirmed.
 */
export const PAYOUT_STATUSES = [
  'processing',
  'paid',
  'failed',
  'canceling',
  'canceled',
  'reversed',
  'returned',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

export const SKIP_CODES = [
  'program_in_shadow',
  'test_partner',
  'negative_balance',
  'partner_banned',
  'excluded',
  'below_minimum',
  'documents_missing',
  'other_method',
  'not_connected',
  'account_changed',
  'account_new',
  'account_in_review',
  'account_restricted',
  'country_not_supported',
  'amount_too_small',
  'amount_too_fine',
  'insufficient_funds',
  'over_maximum',
] as const
export type SkipCode = (typeof SKIP_CODES)[number]

/**
 * A run by Stripe is in `review` if its program has a review period, then `processing` until
 * everything is claimed and sent, then `completed`, whatever became of its payouts. A manual run is
 * `processing`, `paid`, `confirmed`.
 */
export const RUN_STATUSES = [
  'processing',
  'review',
  'completed',
  'paid',
  'confirmed',
  'canceling',
  'canceled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The `transfer_group` of a payout, by which its transfer is found at Stripe. */
export const transferGroup = (payoutId: string): string => `payout_${payoutId}`

/**
 * The idempotency key of a transfer. The version is raised only when Stripe has refused the request
 * for now, or has forgotten the key and has no transfer.
 */
export const transferKey = (payoutId: string, keyVersion: number): string =>
  `payout_${payoutId}_${keyVersion}`

/** Stripe may forget a key once it is 24 hours old. */
export const KEY_LIFE_HOURS = 24
const KEY_LIFE_MS = KEY_LIFE_HOURS * 3_600_000
/** More than any delay between a Worker's reading of the time and Stripe's receipt. */
const KEY_MARGIN_MS = 3_600_000

/**
 * The state of an idempotency key. An `expiring` key is neither used nor replaced, so that a
 * delayed request with it cannot overlap one with the next key.
 */
export const keyState = (keyUsedAt: Date, now: Date): 'known' | 'expiring' | 'forgotten' => {
  const age = now.getTime() - keyUsedAt.getTime()
  if (age > KEY_LIFE_MS) return 'forgotten'
  return age > KEY_LIFE_MS - KEY_MARGIN_MS ? 'expiring' : 'known'
}
