/** Reads a payout of a connected account to its owner's bank from a snapshot event. */
import * as z from 'zod'
import { fromStripe } from '../../stripe/amounts.ts'
import type { AccountPayout } from '../details/banks.ts'

const MAX_FAILURE_LENGTH = 300

/**
 * https://docs.stripe.com/api/payouts/object: a payout may be `paid` first, and fail within five
 * business days.
 */
const AccountPayoutEvent = z
  .object({
    type: z.enum(['payout.paid', 'payout.failed']),
    // Without it, the payout is the merchant's own.
    account: z.string().regex(/^acct_[A-Za-z0-9]{1,200}$/),
    data: z.object({
      object: z.object({
        // Longer than Stripe's ids, and short enough for a Postgres index.
        id: z.string().min(1).max(255),
        created: z.int().min(0).max(99_999_999_999),
        currency: z
          .string()
          .regex(/^[a-z]{3}$/i)
          .toUpperCase(),
        amount: z.int(),
        failure_message: z.string().nullish(),
      }),
    }),
  })
  .transform(
    ({ type, account, data: { object: payout } }): AccountPayout => ({
      id: payout.id,
      stripeAccountId: account,
      currency: payout.currency,
      amountCents: fromStripe(payout.amount, payout.currency),
      status: type === 'payout.failed' ? 'failed' : 'paid',
      createdAt: new Date(payout.created * 1_000),
      failure:
        payout.failure_message
          ?.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
          .trim()
          .slice(0, MAX_FAILURE_LENGTH) || null,
    }),
  )

/** The payout of a connected account that a verified event is about; null for any other event. */
export const readAccountPayout = (input: unknown): AccountPayout | null =>
  AccountPayoutEvent.safeParse(input).data ?? null
