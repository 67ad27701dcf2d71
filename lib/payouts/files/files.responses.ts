import * as z from 'zod'
import { LEFT_OUT_CODES, TAKER_FORMATS } from './formats.ts'
import { TEMPLATE_CODES } from './wise-template.ts'

const sum = { currency: z.string(), payouts: z.int(), amountCents: z.int() }

/** GET /api/workspaces/:workspace/payout-runs/:id/files. */
export const RunFilesResponse = z
  .strictObject({
    files: z.array(
      z.strictObject({
        format: z
          .enum(TAKER_FORMATS)
          .meta({ description: '`wise_template` is made by a request of its own.' }),
        ...sum,
        parts: z
          .int()
          .meta({ description: 'Files of so many rows as the taker accepts: `part` 1 to this.' }),
      }),
    ),
    leftOut: z.array(z.strictObject({ code: z.enum(LEFT_OUT_CODES), ...sum })),
    leftOutPayouts: z
      .array(
        z.strictObject({
          id: z.uuid(),
          reference: z.string(),
          partnerId: z.uuid(),
          currency: z.string(),
          amountCents: z.int(),
          code: z.enum(LEFT_OUT_CODES),
        }),
      )
      .meta({ description: 'The first 200 of them. The CSV file lists all, with the code.' }),
  })
  .meta({ id: 'PayoutRunFiles' })
export type RunFilesResponse = z.infer<typeof RunFilesResponse>

/** POST /api/workspaces/:workspace/payout-runs/:id/wise-template. */
export const TemplateFileResponse = z
  .strictObject({
    text: z.string().meta({ description: 'The file: CSV with the columns of the template.' }),
    payouts: z.int(),
    unfilled: z
      .array(z.string())
      .meta({ description: 'Columns of the template that are empty. Complete them if Wise asks.' }),
    leftOut: z.array(
      z.strictObject({
        id: z.uuid(),
        partnerId: z.uuid(),
        reference: z.string(),
        code: z.enum(TEMPLATE_CODES),
      }),
    ),
  })
  .meta({ id: 'WiseTemplateFile' })
export type TemplateFileResponse = z.infer<typeof TemplateFileResponse>
