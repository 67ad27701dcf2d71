/** Payouts of connected accounts to their owners' banks. */

/** The latest status at Stripe. A paid payout may fail later; a failed one stays failed. */
export type AccountPayoutStatus = 'paid' | 'failed'

/** A payout of a connected account, as Stripe reports it. */
export type AccountPayout = {
  id: string
  stripeAccountId: string
  /** ISO 4217. */
  currency: string
  /** Minor units of ISO 4217. */
  amountCents: number
  status: AccountPayoutStatus
  createdAt: Date
  /** Stripe's text, in one line. */
  failure: string | null
}

/**
 * Where the money of a transfer is, as far as is known. Stripe bundles what an account received
 * into payouts to its bank, so the status follows from the account's payouts since the transfer:
 *
 * - `on_its_way`: none was reported yet, and the transfer was at most two weeks ago
 * - `paid`: one of them arrived
 * - `refused`: none arrived, and the last one failed, or Stripe pays nothing out to the bank. A
 *   failure before the transfer counts unless Stripe pays out again
 */
export const BANK_STATUSES = ['on_its_way', 'paid', 'refused'] as const
export type BankStatus = (typeof BANK_STATUSES)[number]
