/** The filters of the lists: design, section 12. The pages' forms go through them too. */
import * as z from 'zod'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../emails.ts'
import { id, MAX_ID_LENGTH, NOT_BLANK } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { MAIL_STATUSES } from '../mail/outbox.queries.ts'
import { slugKey } from '../slugs.ts'
import { COMMISSION_STATUSES } from '../tracking/commissions.ts'

/** What is looked for. A blank one would look for everything, which nobody means who sends it. */
const wanted = (description: string, maxLength = MAX_ID_LENGTH) =>
  z
    .string()
    .trim()
    .min(1, NOT_BLANK)
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .meta({ description })

/** An address is looked for as it is stored. What is none is found nowhere, which is no mistake. */
const wantedEmail = wanted('The whole address, in any case.', MAX_EMAIL_LENGTH).transform(
  (text) => normalizeEmail(text) ?? text,
)

/** The filters of GET /api/workspaces/:workspace/partners. */
export const PartnerQuery = z.object({
  programId: z.uuid().optional(),
  email: wantedEmail.optional(),
  slug: wanted('The whole slug, in any case.').transform(slugKey).optional(),
  groupId: z.uuid().optional(),
  status: z.enum(['approved', 'banned']).optional(),
  query: wanted('Part of an e-mail address, a name or a slug, in any case.').optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/events. */
export const EventQuery = z.object({
  kind: z.enum(['sale', 'lead']).optional(),
  externalId: id('The id under which it was reported.').optional(),
  partnerId: z.uuid().optional(),
  attributed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/commissions. */
export const CommissionQuery = z.object({
  partnerId: z.uuid().optional(),
  customerExternalId: wanted('Your id of the customer.').optional(),
  eventId: z.uuid().optional(),
  payoutId: z.uuid().optional(),
  status: z.enum(COMMISSION_STATUSES).optional(),
  kind: z.enum(['sale', 'lead', 'opening_balance', 'reversal']).optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/customers. */
export const CustomerQuery = z.object({
  externalId: wanted('Your id of the customer.').optional(),
  email: wantedEmail.optional(),
  partnerId: z.uuid().optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/mails. */
export const MailQuery = z.object({ status: z.enum(MAIL_STATUSES).optional(), ...Page.shape })
