import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { CREDIT_REASONS } from '../payouts/invoices/invoices.ts'

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
    creditNotes: z
      .array(
        z.strictObject({
          id: z.uuid(),
          number: z.string().meta({ description: 'Without gaps in the workspace: `CN-000007`.' }),
          amountCents: z
            .int()
            .min(1)
            .meta({ description: 'What it takes from the amount of the invoice.' }),
          reason: z.enum(CREDIT_REASONS),
          issuedAt: timestamp,
        }),
      )
      .meta({
        description: 'What corrects the invoice, because its payout was returned or reversed.',
      }),
  })
  .meta({ id: 'Invoice' })
export type InvoiceResponse = z.infer<typeof InvoiceResponse>
