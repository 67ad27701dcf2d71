/** What the endpoints of payouts take: design, section 12. The pages' forms go through them too. */
import * as z from 'zod'
import { id } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { PAYOUT_METHODS, PAYOUT_STATUSES, RUN_STATUSES } from './payouts.ts'

/** POST /api/workspaces/:workspace/payouts/run. */
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

/** The filters of GET /api/workspaces/:workspace/payouts. */
export const PayoutQuery = z.object({
  runId: z.uuid().optional(),
  partnerId: z.uuid().optional(),
  status: z.enum(PAYOUT_STATUSES).optional(),
  ...Page.shape,
})

/** PATCH /api/workspaces/:workspace/payout-runs/:id. */
export const RunChange = z
  .strictObject({
    status: z.enum(RUN_STATUSES, 'Must be paid, processing, confirmed or canceled.').meta({
      description:
        '`paid` marks all of its payouts as paid, `processing` takes that back, `confirmed` makes it final and tells ' +
        'the partners, `canceled` lets go of everything, as long as nothing is marked as paid.',
    }),
  })
  .meta({ id: 'PayoutRunChange' })
