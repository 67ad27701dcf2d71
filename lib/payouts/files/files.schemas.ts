/** Requests for the files of a manual run, for the API and the pages. */
import * as z from 'zod'
import { currency } from '../../http/report-fields.ts'
import { FILE_FORMATS } from './formats.ts'
import { DECIMALS } from './paypal.ts'

const MAX_PARTS = 99
const part = z.coerce
  .number('Must be a number.')
  .int('Must be a whole number.')
  .min(1)
  .max(MAX_PARTS)
const blankIsAbsent = (text: unknown) => (text === '' ? undefined : text)

/** The query of GET /api/workspaces/:workspace/payout-runs/:id/export. */
export const ExportQuery = z.object({
  format: z
    .enum(FILE_FORMATS, `Must be one of ${FILE_FORMATS.join(', ')}.`)
    .default('csv')
    .meta({
      description:
        '`csv` lists all payouts. The others list those of the partners who want to be paid so.',
    }),
  currency: z
    .optional(currency)
    .meta({ description: 'Required unless the format is `csv`.', example: 'EUR' }),
  part: part.default(1).meta({ description: 'Which file, if there are several.' }),
  sourceCurrency: z.preprocess(blankIsAbsent, z.optional(currency)).meta({
    description:
      'For `wise`: the currency that you pay in. The currency of the payouts by default.',
  }),
  decimal: z.enum(DECIMALS, 'Must be point or comma.').default('point').meta({
    description: 'For `paypal`, which reads amounts as the country of your account writes them.',
  }),
})

/** Wise's own templates of a thousand recipients take about 200 KB. */
const MAX_TEMPLATE = 500_000

/** POST /api/workspaces/:workspace/payout-runs/:id/wise-template. */
export const TemplateFile = z
  .strictObject({
    template: z
      .string('Must be a string.')
      .trim()
      .min(1, 'Paste the template first.')
      .max(MAX_TEMPLATE, 'The template is too long.')
      .meta({
        description:
          'A batch template that you downloaded from Wise, as CSV: its first line, and the rows of saved recipients.',
      }),
    currency: currency.check(
      z.meta({ description: 'The currency of the payouts.', example: 'GBP' }),
    ),
    sourceCurrency: z.nullish(currency).meta({ description: 'The currency that you pay in.' }),
    part: part.nullish(),
  })
  .meta({ id: 'WiseTemplateRequest' })
