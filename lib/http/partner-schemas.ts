/** What the endpoints for partners, coupons, commissions, customers and mails take: design, section 12. The pages' forms go through them too. */
import * as z from 'zod'
import { MAIL_STATUSES } from '../data/mails.ts'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../domain/emails.ts'
import { slugKey } from '../domain/slugs.ts'
import { Page } from './lists.ts'
import { MAX_ID_LENGTH, optional } from './schemas.ts'

const BLANK = 'Must not be blank.'

/** What is looked for. A blank one would look for everything, which nobody means who sends it. */
const wanted = (description: string, maxLength = MAX_ID_LENGTH) =>
  z
    .string()
    .trim()
    .min(1, BLANK)
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .meta({ description })

const email = (description: string) =>
  wanted(description, MAX_EMAIL_LENGTH).transform((text) => normalizeEmail(text) ?? text)

/** The filters of GET /api/workspaces/:workspace/partners. */
export const PartnerQuery = z.object({
  programId: z.uuid().optional(),
  email: email('The whole address, in any case.').optional(),
  slug: wanted('The whole slug, in any case.').transform(slugKey).optional(),
  groupId: z.uuid().optional(),
  status: z.enum(['approved', 'banned']).optional(),
  query: wanted('Part of an e-mail address, a name or a slug, in any case.').optional(),
  ...Page.shape,
})

const line = (maxLength: number) =>
  z
    .string('Must be a text.')
    .trim()
    .max(maxLength, `Must have at most ${maxLength} characters.`)
    .regex(/^\P{Cc}*$/u, 'Must be one line.')

const nullWhenBlank = (text: string): string | null => text || null

/** PATCH /api/workspaces/:workspace/partners/:id. What is not named stays as it is. */
export const PartnerChange = z
  .strictObject({
    name: line(MAX_ID_LENGTH)
      .transform(nullWhenBlank)
      .nullable()
      .optional()
      .meta({ description: 'The partner’s name; null for none.' }),
    groupId: z
      .uuid('Must be the id of a group.')
      .nullable()
      .optional()
      .meta({ description: 'A group of the partner’s program; null for none.' }),
    status: z
      .enum(['approved', 'banned'], 'Must be approved or banned.')
      .optional()
      .meta({ description: 'A banned partner’s link counts no more. What it has earned stays.' }),
  })
  .meta({ id: 'PartnerChange' })

/** POST /api/workspaces/:workspace/partners/:id/coupons. Kept to the letter: the processor tells case apart. */
export const NewCoupon = z
  .strictObject({
    couponId: line(MAX_ID_LENGTH).min(1, BLANK).meta({
      description: 'The id of a coupon or promotion code at the payment processor.',
    }),
    couponLabel: optional(line(MAX_ID_LENGTH).transform(nullWhenBlank)).meta({
      description: 'The coupon’s code as people know it.',
    }),
  })
  .transform(({ couponId, couponLabel = null }) => ({ couponId, couponLabel }))
  .meta({ id: 'NewCoupon' })

/** The filters of GET /api/workspaces/:workspace/commissions. */
export const CommissionQuery = z.object({
  partnerId: z.uuid().optional(),
  customerExternalId: wanted('Your id of the customer.').optional(),
  eventId: z.uuid().optional(),
  status: z.enum(['pending', 'payable', 'processing', 'paid']).optional(),
  kind: z.enum(['sale', 'lead', 'opening_balance', 'reversal']).optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/customers. */
export const CustomerQuery = z.object({
  externalId: wanted('Your id of the customer.').optional(),
  email: email('The whole address, in any case.').optional(),
  partnerId: z.uuid().optional(),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/mails. */
export const MailQuery = z.object({ status: z.enum(MAIL_STATUSES).optional(), ...Page.shape })
