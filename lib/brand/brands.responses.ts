import * as z from 'zod'

export const BrandResponse = z
  .strictObject({
    logoUrl: z.url().nullable(),
    accentColor: z.string().nullable(),
    supportEmail: z.string().nullable(),
    supportEmailVerified: z.boolean().meta({
      description:
        'Whether somebody who reads the support address has confirmed it. Then replies to mails go there.',
    }),
    version: z.int(),
  })
  .meta({ id: 'Brand' })
export type BrandResponse = z.infer<typeof BrandResponse>
