/** Requests of the import endpoints: spec, sections 2, 4.3 and 4.4. */
import * as z from 'zod'
import { ApiError } from '../http/errors.ts'
import { email, line, nullWhenBlank, optional } from '../http/fields.ts'
import { currency as currencyCode } from '../http/report-fields.ts'
import { isEmail, normalizeEmail } from '../values/emails.ts'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'
import { MAX_SLUG_LENGTH } from '../values/slugs.ts'
import { MAX_FORM_LENGTH, MAX_FORMER_LINK_LENGTH, MAX_FORMS } from './partners/former-links.ts'

/** The largest body of an import, in bytes: 500 partners with 2 KiB each. */
export const IMPORT_MAX_BYTES = 1024 * 1024

/** Refuses too many rows before the schema checks them. @throws {ApiError} `too_many_rows` */
export const limitRows =
  (maxRows: number) =>
  (body: unknown): void => {
    const { rows } = Object(body) as { rows?: unknown }
    if (Array.isArray(rows) && rows.length > maxRows) {
      throw new ApiError(
        'too_many_rows',
        `The request has ${rows.length} rows; the limit is ${maxRows}. Nothing was imported. Split it into several requests.`,
      )
    }
  }

/** Rows are validated one by one later, so that an invalid row does not refuse the others. */
const rows = z.array(z.unknown())
const programId = z.uuid().toLowerCase()
/** An option. Unknown options are refused, because a misspelled one would have no effect. */
const flag = (description: string) => optional(z.boolean()).meta({ description, default: false })
const dryRun = flag('Returns the results without saving anything.')
const importId = optional(
  z.uuid().toLowerCase().meta({
    description:
      'Names the import: any UUID, the same in all of its calls. A repeated call of the same import gets the first response.',
  }),
)

/** POST /api/workspaces/:workspace/partners/import. */
export const PartnerImport = z
  .strictObject({
    programId: programId.meta({ description: 'The program that the partners join.' }),
    options: optional(
      z.strictObject({
        sendWelcomeEmail: flag('Mails each new partner its link and the portal’s URL.'),
        importOpeningBalances: flag(
          'Creates an immediately payable commission from each new partner’s `openingBalanceCents`.',
        ),
        completeExisting: flag(
          'With `importOpeningBalances`: existing active partners without an opening balance get that of their row.',
        ),
        linkForms: optional(
          z
            .record(z.string().min(1).max(MAX_FORM_LENGTH), z.boolean())
            .refine(
              (forms) => Object.keys(forms).length <= MAX_FORMS,
              `Must have at most ${MAX_FORMS} forms.`,
            )
            .meta({
              description:
                'Whether links of the earlier platform still work, by the place of the slug: `{"?ref": true, "/": false}`. ' +
                'Stored for the program. `sendWelcomeEmail` requires it for all `formerLink`s, from this field or from a visit.',
            }),
        ),
        createGroups: flag('Creates missing groups that rows name, with the program’s rewards.'),
        dryRun,
      }),
    ),
    importId,
    rows,
  })
  .meta({ id: 'PartnerImport' })

/** POST /api/workspaces/:workspace/customers/import. */
export const CustomerImport = z
  .strictObject({
    programId: optional(
      programId.meta({ description: 'The partners’ program. All programs by default.' }),
    ),
    options: optional(
      z.strictObject({
        keepOwners: flag('Customers keep the partner that they have.'),
        dryRun,
      }),
    ),
    importId,
    rows,
  })
  .meta({ id: 'CustomerImport' })

/** POST /api/workspaces/:workspace/imports/:id/undo. */
export const ImportUndoRequest = z
  .strictObject({ dryRun: flag('Returns the result without changing anything.') })
  .meta({ id: 'ImportUndo' })

/** A text for people. Line breaks, which come from quoted CSV cells, become spaces. */
const label = (description: string) =>
  optional(
    z
      .string()
      .transform((text) => text.replace(/\s+/g, ' ').trim())
      .refine((text) => text.length <= MAX_ID_LENGTH && !/\p{Cc}/u.test(text))
      .transform(nullWhenBlank)
      .meta({ description, maxLength: MAX_ID_LENGTH }),
  )

/** A text that is stored unchanged: published links or another system contain it. */
const key = (description: string, maxLength: number) =>
  optional(line(maxLength).transform(nullWhenBlank).meta({ description }))

const openingBalanceCents = optional(
  z.int().min(0).max(MAX_AMOUNT_CENTS).meta({
    description: 'The balance owed, in USD cents. Ignored without `importOpeningBalances`.',
  }),
)

export const isWebUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

/** More slugs of one partner would be a mistake. */
export const MAX_SLUGS = 100

/** A row of a partner import. */
export const PartnerImportRow = z
  .object({
    email: email('One partner per address and program.'),
    name: label('The partner’s name.'),
    slug: key(
      'The value of `?via=` in the partner’s links, stored unchanged and matched in any case. Generated by default.',
      MAX_SLUG_LENGTH,
    ),
    slugs: optional(
      z.array(line(MAX_SLUG_LENGTH)).max(MAX_SLUGS).meta({
        description:
          'Further slugs of the partner, whose links continue to work. In a row without a `slug`, the first is the main one.',
      }),
    ),
    couponId: key(
      'The id of a coupon or promotion code at the payment processor. Its sales are credited to the partner.',
      MAX_ID_LENGTH,
    ),
    couponLabel: label('The code that customers enter.'),
    openingBalanceCents,
    group: label(
      'The group that a new partner joins: its id, or its name in any case. None by default.',
    ),
    formerLink: optional(
      line(MAX_FORMER_LINK_LENGTH)
        .transform(nullWhenBlank)
        .refine((text) => text === null || isWebUrl(text))
        .meta({
          description:
            'The partner’s link on the earlier platform, unchanged. The “We’ve moved” email shows it, and says whether it still works.',
          maxLength: MAX_FORMER_LINK_LENGTH,
        }),
    ),
  })
  .meta({ id: 'PartnerImportRow' })

/** More of one customer would be a mistake. */
export const MAX_PRIOR_COMMISSIONS = 1_000_000

/** Stored unchanged, email addresses too, because reports name the customer by it. */
const customerId = z.string().trim().min(1).max(MAX_ID_LENGTH)

/** A date or a time, in UTC unless it has an offset. */
const moment = z
  .union([
    z.literal('').transform(() => null),
    z.iso.date(),
    z.iso.datetime({ offset: true, local: true }),
  ])
  .transform((text) => {
    if (text === null) return null
    const isLocal = text.includes('T') && !/(Z|[+-]\d\d:?\d\d)$/.test(text)
    return new Date(isLocal ? `${text}Z` : text)
  })

/** A row of a customer import. */
export const CustomerImportRow = z
  .object({
    customerExternalId: customerId.meta({
      description:
        'The customer’s id at the payment processor, your own id as in your reports, or the email address. ' +
        'Stored unchanged.',
    }),
    customerEmail: optional(
      z
        .string()
        .transform(normalizeEmail)
        .refine((address) => address === null || isEmail(address))
        .meta({ description: 'The customer’s email address.' }),
    ),
    partnerEmail: email('The partner to credit from now on. It must already exist.'),
    startedAt: optional(
      moment.meta({
        description:
          'When the previous platform rewarded the customer’s first sale: a date or a time from 1990 on, UTC by default. ' +
          '`rewardDurationMonths` starts at it.',
      }),
    ),
    priorCommissions: optional(
      z.int().min(0).max(MAX_PRIOR_COMMISSIONS).meta({
        description:
          'How many commissions the previous platform paid the partner for this customer. Shown to the partner, and never paid.',
      }),
    ),
    priorAmountCents: optional(
      z
        .int()
        .min(0)
        .max(MAX_AMOUNT_CENTS)
        .meta({ description: 'The sum of these commissions, in minor units.' }),
    ),
    priorCurrency: optional(
      z.union([z.literal('').transform(() => null), currencyCode]).meta({
        description: 'The currency of `priorAmountCents`, as an ISO 4217 code. USD by default.',
      }),
    ),
    programId: optional(
      programId.meta({
        description: 'The partner’s program. Overrides the request’s `programId`.',
      }),
    ),
  })
  .meta({ id: 'CustomerImportRow' })
