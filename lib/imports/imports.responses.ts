import * as z from 'zod'
import { ErrorResponse } from '../http/common.responses.ts'

const Sum = z.strictObject({ currency: z.string(), amountCents: z.int() })

const problem = {
  code: z.string().optional().meta({ description: 'What to correct; see docs/api.md.' }),
  message: z.string().optional(),
}

/** POST /api/workspaces/:workspace/partners/import. */
export const PartnerImportResponse = z
  .strictObject({
    summary: z.strictObject({
      created: z.int(),
      skippedExisting: z.int(),
      errors: z.int(),
      slugsRenamed: z.int(),
      couponsMapped: z.int(),
      completed: z.int().optional().meta({ description: 'Only with `completeExisting`.' }),
    }),
    results: z.array(
      z.strictObject({
        email: z.string(),
        status: z.enum(['created', 'completed', 'skipped_existing', 'error']),
        slug: z.string(),
        couponMapped: z.boolean(),
        requestedSlug: z
          .string()
          .optional()
          .meta({ description: 'The requested slug, if it was taken.' }),
        slugsNotKept: z.array(z.string()).optional().meta({
          description:
            'Those of the row’s other slugs that are not the partner’s: another partner has them, or the partner existed, and was not changed.',
        }),
        ...problem,
      }),
    ),
    warnings: z
      .array(
        z.strictObject({
          code: z.enum(['balance_in_another_program']),
          count: z
            .int()
            .meta({ description: 'Partners with an opening balance in several programs.' }),
          amountCents: z
            .int()
            .meta({ description: 'Their balances in the other programs, in minor units.' }),
          currency: z.string(),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'Absent if there are none. A warning blocks nothing.' }),
    linkForms: z
      .array(
        z.strictObject({
          form: z.string().meta({
            description:
              'Where the links have the slug: `?ref`, `/` for the path, after `//host` on another site.',
          }),
          links: z.int(),
          example: z.string(),
          works: z.boolean().nullable().meta({ description: 'Null if it is not known.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Only of a `dryRun`: the forms of the new partners’ `formerLink`s that the snippet does not read by itself.',
      }),
  })
  .meta({ id: 'PartnerImportResult' })
export type PartnerImportResponse = z.infer<typeof PartnerImportResponse>

/** POST /api/workspaces/:workspace/customers/import. */
export const CustomerImportResponse = z
  .strictObject({
    summary: z.strictObject({
      created: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      errors: z.int(),
      moved: z.int().meta({ description: 'How many of the updated changed partners.' }),
    }),
    results: z.array(
      z.strictObject({
        customerExternalId: z.string(),
        partnerEmail: z.string(),
        status: z.enum(['created', 'updated', 'unchanged', 'partner_not_found', 'error']),
        ownerEmail: z.string().optional().meta({
          description: 'The partner that the customer had before the row, if it is another one.',
        }),
        ...problem,
      }),
    ),
  })
  .meta({ id: 'CustomerImportResult' })
export type CustomerImportResponse = z.infer<typeof CustomerImportResponse>

/** POST /api/workspaces/:workspace/imports/:id/undo. */
export const ImportUndoResponse = z
  .strictObject({
    importId: z.uuid(),
    undone: z
      .strictObject({
        partners: z.int(),
        customers: z.int(),
        openingBalances: z.strictObject({ count: z.int(), sums: z.array(Sum) }),
        mails: z.int().meta({ description: 'Emails that were not sent, and were withdrawn.' }),
      })
      .meta({ description: 'What was taken back; in a dry run, what would be.' }),
  })
  .meta({ id: 'ImportUndoResult' })
export type ImportUndoResponse = z.infer<typeof ImportUndoResponse>

/** The 409 of an undo. */
export const ImportInUseResponse = ErrorResponse.extend({
  dependents: z
    .strictObject({
      partners: z.strictObject({
        count: z.int(),
        first: z
          .array(z.strictObject({ id: z.uuid(), email: z.string(), name: z.string().nullable() }))
          .meta({ description: 'The first 20.' }),
      }),
      customers: z.strictObject({
        count: z.int(),
        first: z
          .array(
            z.strictObject({
              id: z.uuid(),
              externalId: z.string(),
              email: z.string().nullable(),
            }),
          )
          .meta({ description: 'The first 20.' }),
      }),
      earned: z.array(Sum).meta({
        description:
          'What they have earned since the import, opening balances included, by currency.',
      }),
    })
    .meta({ description: 'Whom the import has made or changed, and somebody has used since.' }),
}).meta({ id: 'ImportInUse' })
