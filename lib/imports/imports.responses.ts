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
        requestedSlug: z.string().optional().meta({
          description: 'The requested slug, if it was taken. Links with it credit another partner.',
        }),
        slugsNotKept: z.array(z.string()).optional().meta({
          description:
            'The row’s other slugs that the partner did not get: another partner has them, or the partner existed and was not changed.',
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
              'Where the links have the slug: `?ref` for a parameter, `/` for the path, with `//host` before it on another site.',
          }),
          links: z.int(),
          example: z.string(),
          works: z.boolean().nullable().meta({ description: 'null if it is unknown.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'Only in a `dryRun`: the forms of the new partners’ `formerLink`s that the snippet does not read by default.',
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
      moved: z.int().meta({ description: 'How many of the updated customers changed partners.' }),
    }),
    results: z.array(
      z.strictObject({
        customerExternalId: z.string(),
        partnerEmail: z.string(),
        status: z.enum(['created', 'updated', 'unchanged', 'partner_not_found', 'error']),
        ownerEmail: z.string().optional().meta({
          description: 'The former partner of the customer, if it is another one.',
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
        mails: z.int().meta({ description: 'Withdrawn emails.' }),
      })
      .meta({ description: 'What was undone or, in a dry run, what would be.' }),
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
          'What they have earned since the import, with opening balances and less reversals, by currency.',
      }),
    })
    .meta({
      description: 'The partners and customers of the import that were used or changed since.',
    }),
}).meta({ id: 'ImportInUse' })
export type ImportInUseResponse = z.infer<typeof ImportInUseResponse>
