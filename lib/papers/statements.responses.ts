import * as z from 'zod'
import { ENTRY_KINDS } from '../rules/statements/statements.ts'

/** GET /api/workspaces/:workspace/partners/:id/statement. */
export const StatementResponse = z
  .strictObject({
    partnerId: z.uuid(),
    month: z.string().meta({ description: 'In UTC: `2026-10`.' }),
    balances: z.array(
      z.strictObject({
        currency: z.string(),
        openingCents: z.int().meta({ description: 'What was owed when the month began.' }),
        sums: z.array(z.strictObject({ kind: z.enum(ENTRY_KINDS), amountCents: z.int() })),
        closingCents: z.int(),
      }),
    ),
  })
  .meta({ id: 'Statement' })
export type StatementResponse = z.infer<typeof StatementResponse>

/** GET /api/workspaces/:workspace/payout-years/:year. */
export const PayoutYearResponse = z
  .strictObject({
    year: z.int(),
    data: z.array(
      z.strictObject({
        email: z.string(),
        name: z.string().nullable().meta({ description: 'As on invoices, or the partner’s.' }),
        country: z.string().nullable(),
        vatId: z.string().nullable(),
        documentsReceived: z.boolean(),
        currency: z.string(),
        payouts: z.int(),
        stripeCents: z.int(),
        manualCents: z.int(),
        returnedCents: z
          .int()
          .meta({ description: 'What came back or was reversed of them, until now.' }),
        netCents: z.int(),
      }),
    ),
    nextCursor: z.uuid().nullable(),
  })
  .meta({ id: 'PayoutYear' })
export type PayoutYearResponse = z.infer<typeof PayoutYearResponse>
