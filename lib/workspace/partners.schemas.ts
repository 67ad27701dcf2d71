/** Requests about partners, for the API and the pages' forms. */
import * as z from 'zod'
import { emailFilter, filter, integer, line, MAX_ID_LENGTH, nullWhenBlank } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import { slugKey } from '../slugs.ts'

/** The filters of GET /api/workspaces/:workspace/partners. */
export const PartnerQuery = z.object({
  programId: z.uuid().optional(),
  email: emailFilter().optional(),
  slug: filter('The whole slug, in any case.').transform(slugKey).optional(),
  groupId: z.uuid().optional(),
  status: z.enum(['approved', 'banned']).optional(),
  query: filter('Part of an email address, name or slug, in any case.').optional(),
  ...Page.shape,
})

/** PATCH /api/workspaces/:workspace/partners/:id. Omitted fields keep their values. */
export const PartnerChange = z
  .strictObject({
    name: line(MAX_ID_LENGTH)
      .transform(nullWhenBlank)
      .nullable()
      .optional()
      .meta({ description: 'The partner’s name; null for none.' }),
    groupId: z
      .uuid('Must be the id of a group.')
      .nullable()
      .optional()
      .meta({ description: 'A group of the partner’s program; null for none.' }),
    status: z.enum(['approved', 'banned'], 'Must be approved or banned.').optional().meta({
      description: 'A banned partner’s links no longer work. Sales that were paid before are still earned.',
    }),
    minimumPayoutCents: integer(
      0,
      MAX_AMOUNT_CENTS,
      'The smallest sum that the partner is paid, in minor units of every currency; null for the program’s.',
    )
      .nullable()
      .optional(),
    documentsReceived: z.boolean('Must be true or false.').optional().meta({
      description: 'Whether you have the documents that you need from the partner, such as a tax form.',
    }),
  })
  .meta({ id: 'PartnerChange' })
