/** Requests about mails, for the API and the pages' filters. */
import * as z from 'zod'
import { Page } from '../http/lists.ts'
import { MAIL_STATUSES } from './mails.ts'

/** The filters of GET /api/workspaces/:workspace/mails. */
export const MailQuery = z.object({
  status: z.enum(MAIL_STATUSES).optional(),
  partnerId: z.uuid().optional(),
  ...Page.shape,
})
