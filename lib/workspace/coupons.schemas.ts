/** Requests about coupon aliases, for the API and the pages' forms. */
import * as z from 'zod'
import { line, MAX_ID_LENGTH, NOT_BLANK, nullWhenBlank, optional } from '../http/fields.ts'

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
