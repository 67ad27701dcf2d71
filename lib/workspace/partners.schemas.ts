/** What changes a partner: design, section 12. The pages' forms go through these too. */
import * as z from 'zod'
import { line, MAX_ID_LENGTH, NOT_BLANK, nullWhenBlank, optional } from '../http/fields.ts'

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
    couponId: line(MAX_ID_LENGTH)
      .min(1, NOT_BLANK)
      // An address can't end so: it would mean the folder, or the one above.
      .regex(/^(?!\.{1,2}$)/, 'Must not be one dot or two.')
      .meta({
        description: 'The id of a coupon or promotion code at the payment processor.',
      }),
    couponLabel: optional(line(MAX_ID_LENGTH).transform(nullWhenBlank)).meta({
      description: 'The coupon’s code as people know it.',
    }),
  })
  .transform(({ couponId, couponLabel = null }) => ({ couponId, couponLabel }))
  .meta({ id: 'NewCoupon' })
