import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { CouponResponse } from './coupons.responses.ts'

export const PartnerResponse = z
  .strictObject({
    id: z.uuid(),
    programId: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    slug: z.string(),
    groupId: z.uuid().nullable(),
    status: z.enum(['approved', 'banned']),
    link: z.url(),
    minimumPayoutCents: z.int().nullable().meta({ description: 'null for the program’s.' }),
    documentsReceivedAt: timestamp.nullable(),
    coupons: z.array(CouponResponse),
  })
  .meta({ id: 'Partner' })
export type PartnerResponse = z.infer<typeof PartnerResponse>
