import * as z from 'zod'

/** GET /api/workspaces/:workspace/payer. */
export const PayerResponse = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the workspace until you enter another.' }),
    street: z.string().nullable(),
    postalCode: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable(),
    vatId: z.string().nullable(),
    iban: z.string().nullable().meta({ description: 'Its country and last four characters.' }),
  })
  .meta({ id: 'Payer' })
export type PayerResponse = z.infer<typeof PayerResponse>
