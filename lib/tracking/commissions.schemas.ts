/** Requests about commissions, for the API and the pages' forms. */
import * as z from 'zod'
import { filter } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { COMMISSION_STATUSES } from './commissions.ts'

/** The filters of GET /api/workspaces/:workspace/commissions. */
export const CommissionQuery = z.object({
  partnerId: z.uuid().optional(),
  customerExternalId: filter('Your customer id.').optional(),
  eventId: z.uuid().optional(),
  payoutId: z.uuid().optional(),
  status: z.enum(COMMISSION_STATUSES).optional(),
  kind: z.enum(['sale', 'lead', 'opening_balance', 'reversal']).optional(),
  ...Page.shape,
})
