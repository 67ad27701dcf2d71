/** Requests about coupon aliases, for the API and the pages' forms. */
import * as z from 'zod'
import { line, NOT_BLANK, nullWhenBlank, optional } from '../../http/fields.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'

/** POST /api/workspaces/:workspace/partners/:id/coupons. Case matters at the payment processor. */
export const NewCoupon = z
  .strictObject({
    couponId: line(MAX_ID_LENGTH)
      .min(1, NOT_BLANK)
      // A URL path normalizes these away.
      .regex(/^(?!\.{1,2}$)/, 'Must not be one dot or two.')
      .meta({
        description: 'The id of a coupon or promotion code at the payment processor.',
      }),
    couponLabel: optional(line(MAX_ID_LENGTH).transform(nullWhenBlank)).meta({
      description: 'The code that customers enter.',
    }),
  })
  .transform(({ couponId, couponLabel = null }) => ({ couponId, couponLabel }))
  .meta({ id: 'NewCoupon' })
