/** Requests about payouts, for the API and the pages' forms. */
import * as z from 'zod'
import { id, line, NOT_BLANK } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { PAYOUT_METHODS, PAYOUT_STATUSES, RUN_STATUSES } from './payouts.ts'

const MAX_REASON_LENGTH = 500

/** POST /api/workspaces/:workspace/payouts/run. */
export const PayoutRun = z
  .strictObject({
    dryRun: z.boolean().nullish().meta({ description: 'Returns the payouts without making them.' }),
    programId: id('Limits the run to one program. All programs by default.').nullish(),
    method: z.enum(PAYOUT_METHODS).nullish().meta({
      description:
        '`stripe`, or `manual` for bank transfers from a CSV file, if the workspace allows them. `stripe` by default.',
    }),
  })
  .meta({ id: 'PayoutRunRequest' })

/** The filters of GET /api/workspaces/:workspace/payouts. */
export const PayoutQuery = z.object({
  runId: z.uuid().optional(),
  partnerId: z.uuid().optional(),
  status: z.enum(PAYOUT_STATUSES).optional(),
  ...Page.shape,
})

/** POST /api/workspaces/:workspace/payouts/:id/return. */
export const PayoutReturn = z
  .strictObject({
    reason: line(MAX_REASON_LENGTH)
      .min(1, NOT_BLANK)
      .meta({ description: 'Why the bank returned it, in a sentence. The partner reads it.' }),
  })
  .meta({ id: 'PayoutReturn' })

/** PATCH /api/workspaces/:workspace/payout-runs/:id. */
export const RunChange = z
  .strictObject({
    status: z.enum(RUN_STATUSES, 'Must be paid, processing, confirmed or canceled.').meta({
      description:
        '`paid` marks all payouts of the run as paid, `processing` undoes that, `confirmed` makes it final and ' +
        'notifies the partners, `canceled` cancels a run that is not marked as paid.',
    }),
  })
  .meta({ id: 'PayoutRunChange' })
