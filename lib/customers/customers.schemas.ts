/** Requests about customers, for the API and the pages' forms. */
import * as z from 'zod'
import { emailFilter, filter } from '../http/fields.ts'
import { OrderedPage } from '../http/lists.ts'

/** The filters of GET /api/workspaces/:workspace/customers. */
export const CustomerQuery = z.object({
  externalId: filter('Your customer id.').optional(),
  email: emailFilter().optional(),
  partnerId: z.uuid().optional(),
  ...OrderedPage.shape,
})
