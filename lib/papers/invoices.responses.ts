import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

const party = z.strictObject({
  name: z.string(),
  street: z.string().nullable(),
  postalCode: z.string().nullable(),
  city: z.string().nullable(),
  country: z.string().nullable(),
  vatId: z.string().nullable(),
})

export const InvoiceResponse = z
  .strictObject({
    id: z.uuid(),
    number: z.string().meta({ description: 'Without gaps in the workspace: `INV-000042`.' }),
    payoutId: z.uuid(),
    partnerId: z.uuid(),
    currency: z.string(),
    amountCents: z.int(),
    supplier: party.meta({ description: 'The partner, as it was when the invoice was issued.' }),
    customer: party.meta({ description: 'The merchant, as it was then.' }),
    issuedAt: timestamp,
  })
  .meta({ id: 'Invoice' })
export type InvoiceResponse = z.infer<typeof InvoiceResponse>
