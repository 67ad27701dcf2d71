import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { PROCESSORS } from '../rules/purchases/processors.ts'

const IdentityResponse = z.strictObject({
  kind: z.enum(['external', ...PROCESSORS, 'guest', 'email']).meta({
    description:
      '`external` is your own id, `guest` a buyer without an id. An `email` only matches.',
  }),
  value: z.string(),
  source: z.enum(['lead', 'sale', 'import', 'purchase', 'customer']).meta({
    description: 'What named it first, or tied it to the others.',
  }),
  evidence: z
    .string()
    .nullable()
    .meta({ description: 'The id of that lead, sale, purchase, or payment processor’s customer.' }),
  text: z.string().meta({ description: 'The same in words. The wording may change.' }),
})

export const CustomerResponse = z
  .strictObject({
    id: z.uuid(),
    externalId: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    partnerId: z
      .uuid()
      .nullable()
      .meta({ description: 'null if no partner has referred the customer.' }),
    importedAt: timestamp.nullable(),
    startedAt: timestamp.nullable(),
    prior: z
      .strictObject({
        partnerId: z.uuid(),
        commissions: z.int().nullable(),
        amountCents: z.int().nullable(),
        currency: z.string(),
      })
      .nullable()
      .meta({
        description:
          'What a partner was paid for the customer on another platform, as an import says.',
      }),
    identities: z
      .array(IdentityResponse)
      .meta({ description: 'The first 100, oldest first. Erased addresses are left out.' }),
  })
  .meta({ id: 'Customer' })
export type CustomerResponse = z.infer<typeof CustomerResponse>
