import * as z from 'zod'

export const BrandResponse = z
  .strictObject({
    logoUrl: z.url().nullable(),
    accentColor: z.string().nullable(),
    supportEmail: z.string().nullable(),
    version: z.int(),
  })
  .meta({ id: 'Brand' })
export type BrandResponse = z.infer<typeof BrandResponse>
