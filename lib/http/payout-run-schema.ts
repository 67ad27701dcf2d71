/** What POST /api/workspaces/:workspace/payouts/run takes. */
import * as z from 'zod'
import { PAYOUT_METHODS } from '../domain/payouts.ts'
import { id } from './fields.ts'

export const PayoutRun = z
  .strictObject({
    dryRun: z.boolean().nullish().meta({ description: 'Only says what the run would come to.' }),
    programId: id('Pays in this program only; without it, in all.').nullish(),
    method: z
      .enum(PAYOUT_METHODS)
      .nullish()
      .meta({ description: 'By Stripe, or by your bank from a file. `stripe` if not given.' }),
  })
  .meta({ id: 'PayoutRunRequest' })
