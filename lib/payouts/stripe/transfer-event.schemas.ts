/** Reads a reversed transfer from a snapshot event of the merchant's own account. */
import * as z from 'zod'
import { fromStripe } from '../../stripe/amounts.ts'
import type { TransferReversal } from '../corrections/reversals.ts'

/** Longer than Stripe's ids, and short enough for a Postgres index. */
const id = z.string().min(1).max(255)

const ReversedTransfer = z
  .object({
    type: z.literal('transfer.reversed'),
    // A connected account may make transfers of its own.
    account: z.null().optional(),
    data: z.object({
      object: z.object({
        id,
        currency: z.string().length(3).toUpperCase(),
        amount_reversed: z.int().min(0),
        metadata: z.object({ payout_id: id.optional() }).nullish(),
      }),
    }),
  })
  .transform(
    ({ data: { object: transfer } }): TransferReversal => ({
      transferId: transfer.id,
      payoutId: transfer.metadata?.payout_id ?? null,
      reversedCents: fromStripe(transfer.amount_reversed, transfer.currency),
    }),
  )

/** The reversed transfer that a verified event is about; null for any other event. */
export const readReversedTransfer = (input: unknown): TransferReversal | null =>
  ReversedTransfer.safeParse(input).data ?? null
