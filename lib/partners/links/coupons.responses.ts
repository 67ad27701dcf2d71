import * as z from 'zod'

export const CouponResponse = z
  .strictObject({ couponId: z.string(), couponLabel: z.string().nullable() })
  .meta({ id: 'CouponAlias' })
export type CouponResponse = z.infer<typeof CouponResponse>
