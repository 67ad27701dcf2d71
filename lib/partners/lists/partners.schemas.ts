/** Requests about partners, for the API and the pages' forms. */
import * as z from 'zod'
import {
  email,
  emailFilter,
  filter,
  integer,
  line,
  NOT_BLANK,
  nullWhenBlank,
  optional,
} from '../../http/fields.ts'
import { Page } from '../../http/lists.ts'
import { currency } from '../../http/report-fields.ts'
import { reward } from '../../rules/rewards/rewards.schemas.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { MAX_SLUG_LENGTH, slugKey } from '../../values/slugs.ts'

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

export const PARTNER_SORTS = [
  'newest',
  'name',
  'clicks',
  'leads',
  'customers',
  'sales',
  'revenue',
  'earned',
  'unpaid',
  'active',
] as const
export type PartnerSort = (typeof PARTNER_SORTS)[number]

/** A number or a day to compare. Postgres accepts neither the year 0 nor a day without an end. */
const figure = z.union([
  z.string().regex(/^-?\d{1,18}$/),
  z.iso.date().regex(/^[12]/),
  z.literal('-infinity'),
])

/**
 * Where a page ended: the partner, and its figure at that time. With the id alone, a changed figure
 * would repeat or skip partners.
 */
const PartnerCursor = z.string().transform((cursor, context) => {
  const [id, ...figures] = cursor.split('_')
  const read = z
    .object({ id: z.uuid(), figure: figure.optional() })
    .safeParse({ id, figure: figures.length > 0 ? figures.join('_') : undefined })
  if (read.success) return read.data
  context.issues.push({
    code: 'custom',
    message: 'Follow the link to the next page.',
    input: cursor,
  })
  return z.NEVER
})

/** The cursor after a partner. @property figure null if the list is not sorted by one */
export const partnerCursor = ({ id, figure }: { id: string; figure: string | null }): string =>
  figure === null ? id : `${id}_${figure}`

/** The page of partners: its filters, and what it is sorted by. */
export const PartnerListQuery = PartnerQuery.extend({
  cursor: PartnerCursor.optional(),
  sort: z.enum(PARTNER_SORTS).default('newest'),
  order: z.enum(['asc', 'desc']).optional(),
  currency: z.optional(currency),
})

/** PATCH /api/workspaces/:workspace/partners/:id. Omitted fields keep their values. */
export const PartnerChange = z
  .strictObject({
    email: email(
      'Corrects the address in all programs of the workspace. Unsent mails and the payout account move with it. The partner then signs in to the portal with the new address.',
    ).optional(),
    slug: line(MAX_SLUG_LENGTH).trim().min(1, NOT_BLANK).optional().meta({
      description:
        'The value of `?via=` in the main link. Links with the former slug still work: see `GET /partners/:id/links`.',
    }),
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
    reward: reward.nullable().optional().meta({
      description:
        'The partner’s own reward for sales, in place of the group’s and the program’s; null for theirs.',
    }),
    status: z.enum(['approved', 'banned'], 'Must be approved or banned.').optional().meta({
      description:
        'Links of a banned partner do not work. Sales that were paid before the ban still earn commissions.',
    }),
    minimumPayoutCents: integer(
      0,
      MAX_AMOUNT_CENTS,
      'The smallest payout to the partner, in minor units of any currency; null for the program’s.',
    )
      .nullable()
      .optional(),
    documentsReceived: z.boolean('Must be true or false.').optional().meta({
      description: 'Whether you have received the partner’s documents, such as a tax form.',
    }),
  })
  .meta({ id: 'PartnerChange' })

/** POST /api/workspaces/:workspace/partners/:id/links. */
export const NewLink = z
  .strictObject({
    slug: line(MAX_SLUG_LENGTH).trim().min(1, NOT_BLANK).meta({
      description: 'The value of `?via=`, stored unchanged and matched in any case.',
    }),
  })
  .meta({ id: 'NewLink' })

/** A slug that a partner chooses in the portal: nothing that looks like another slug. */
export const OwnLink = z.strictObject({
  slug: line(MAX_SLUG_LENGTH)
    .min(1, NOT_BLANK)
    .toLowerCase()
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      'Use letters from a to z, digits, and single hyphens between them.',
    ),
})

/** POST /api/workspaces/:workspace/partners. */
export const NewPartner = z
  .strictObject({
    programId: z.uuid().toLowerCase().meta({ description: 'The program that the partner joins.' }),
    email: email('One partner per address and program.'),
    name: optional(line(MAX_ID_LENGTH).transform(nullWhenBlank)).meta({
      description: 'The partner’s name.',
    }),
    slug: optional(line(MAX_SLUG_LENGTH).transform(nullWhenBlank)).meta({
      description:
        'The value of `?via=` in the partner’s links, stored unchanged and matched in any case. Generated by default.',
    }),
    groupId: optional(z.uuid('Must be the id of a group.').toLowerCase()).meta({
      description: 'A group of the program.',
    }),
    couponId: optional(
      line(MAX_ID_LENGTH)
        .regex(/^(?!\.{1,2}$)/, 'Must not be one dot or two.')
        .transform(nullWhenBlank),
    ).meta({ description: 'A coupon or promotion code whose sales are credited to the partner.' }),
    sendWelcomeEmail: optional(z.boolean('Must be true or false.')).meta({
      description: 'Sends the partner its link and the portal’s URL.',
      default: false,
    }),
    onSlugTaken: optional(z.enum(['refuse', 'suffix'], 'Must be refuse or suffix.')).meta({
      description: 'Whether a taken slug is refused or gets a suffix.',
      default: 'refuse',
    }),
  })
  .meta({ id: 'NewPartner' })
