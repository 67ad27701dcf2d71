import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { COMMISSION_STATUSES } from './commissions.ts'

export const CommissionResponse = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['sale', 'lead', 'opening_balance', 'reversal']),
    amountCents: z.int().meta({
      description: 'Minor units. A reversal is negative; a reversal that reinstates an amount is positive.',
    }),
    currency: z.string(),
    status: z.enum(COMMISSION_STATUSES),
    payableAt: timestamp,
    createdAt: timestamp,
    partnerId: z.uuid(),
    customerExternalId: z.string().nullable(),
    eventId: z.uuid().nullable(),
    reversesId: z.uuid().nullable().meta({ description: 'The commission that a reversal reverses.' }),
    payoutId: z.uuid().nullable().meta({ description: 'The payout that includes it, if any.' }),
  })
  .meta({ id: 'Commission' })
export type CommissionResponse = z.infer<typeof CommissionResponse>

/** What a partner has earned in one currency, net of reversals. */
export const BalanceResponse = z
  .strictObject({
    currency: z.string(),
    pendingCents: z.int().meta({ description: 'In the holding period.' }),
    payableCents: z.int().meta({
      description:
        'Included in the next payout run. Negative if commissions were reversed after they were paid.',
    }),
    processingCents: z.int().meta({ description: 'In payouts that are being sent.' }),
    paidCents: z.int(),
  })
  .meta({ id: 'Balance' })
export type BalanceResponse = z.infer<typeof BalanceResponse>
