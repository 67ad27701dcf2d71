/** The request of a cut-over. */
import * as z from 'zod'
import { optional } from '../../http/fields.ts'
import { currency } from '../../http/report-fields.ts'
import { normalizeEmail } from '../../values/emails.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'

/** More addresses than anybody leaves out. */
const MAX_LEFT_OUT = 1_000

/** POST /programs/:id/cut-over. */
export const CutOver = z
  .strictObject({
    dryRun: optional(z.boolean()).meta({
      description: 'Returns what would be taken over, and what keeps it from it.',
      default: false,
    }),
    leaveOut: optional(
      z
        .array(
          z
            .string()
            .max(MAX_ID_LENGTH)
            .transform((text) => normalizeEmail(text) ?? ''),
        )
        .max(MAX_LEFT_OUT),
    ).meta({
      description:
        'Addresses of partners whose balances are not taken over; blank for commissions that name no partner.',
    }),
    expected: optional(
      z.array(z.strictObject({ currency, partners: z.int(), amountCents: z.int() })).max(200),
    ).meta({ description: 'The `sums` of a dry run: nothing happens if they are others by now.' }),
  })
  .meta({ id: 'CutOver' })
