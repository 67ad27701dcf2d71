import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { SKIP_CODES } from '../payouts.ts'

export const PartnerBalanceResponse = z
  .strictObject({
    partnerId: z.uuid(),
    currency: z.string(),
    amountCents: z
      .int()
      .meta({ description: 'What is payable now. Negative if the partner owes it.' }),
    code: z.enum(SKIP_CODES).nullable().meta({
      description:
        'Why a run would skip it; null if one would pay it, as far as the money suffices.',
    }),
    owedSince: timestamp.nullable().meta({
      description: 'Since when the balance has been negative; null if it is not.',
    }),
  })
  .meta({ id: 'PartnerBalance' })
export type PartnerBalanceResponse = z.infer<typeof PartnerBalanceResponse>
