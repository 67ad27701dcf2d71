/** Requests about sources. */
import * as z from 'zod'
import { line, nullWhenBlank, optional } from '../../http/fields.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'
import { PLATFORM_IDS, PURPOSES } from './source.ts'

/** Tokens have some hundred characters. A header can contain no others. */
const token = z
  .string('Must be a string.')
  .trim()
  .min(1, 'Must not be blank.')
  .max(1_000, 'Must have at most 1,000 characters.')
  .regex(/^[!-~]*$/, 'Must be one line, without spaces.')

/** POST /api/workspaces/:workspace/import-sources. */
export const NewImportSource = z
  .strictObject({
    programId: z.uuid().toLowerCase().meta({ description: 'The program that the rows are for.' }),
    purpose: optional(z.enum(PURPOSES)).meta({
      description:
        '`import` reads the rows of an import. `shadow` reads the commissions into the program’s shadow run.',
      default: 'import',
    }),
    platform: z.enum(PLATFORM_IDS),
    token: token.meta({
      description:
        'Your API key or secret at the platform. Stored encrypted, and deleted when everything is read.',
    }),
    account: optional(
      line(MAX_ID_LENGTH)
        .regex(/^[!-~]*$/, 'Must be one line, without spaces.')
        .transform(nullWhenBlank)
        .meta({ description: 'The account or program at the platform, if it needs one.' }),
    ),
  })
  .meta({ id: 'NewImportSource' })

/** Less than 1 MB. */
const MAX_ROWS = 1_000

/** GET /api/workspaces/:workspace/import-sources/:id/rows. */
export const SourceRowsQuery = z.object({
  cursor: z
    .string()
    .max(2_000)
    .regex(/^\P{Cc}*$/u)
    .optional()
    .meta({ description: 'The `nextCursor` of the previous page.' }),
  limit: z.coerce.number().int().min(1).max(MAX_ROWS).default(200),
})
