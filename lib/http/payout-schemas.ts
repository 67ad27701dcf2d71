/** What the endpoints of payouts take, but for the run: design, section 12. The pages' forms go through them too. */
import * as z from 'zod'
import { RUN_STATUSES } from '../domain/payout-runs.ts'
import { PAYOUT_STATUSES } from '../domain/payouts.ts'
import { Page } from './lists.ts'

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
