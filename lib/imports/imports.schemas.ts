/** What the import endpoints take: spec, sections 2, 4.3 and 4.4. A call's shape is refused whole, a row by itself. */
import * as z from 'zod'
import { isEmail, normalizeEmail } from '../emails.ts'
import { email, line, MAX_ID_LENGTH, nullWhenBlank, optional } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import { MAX_SLUG_LENGTH } from '../slugs.ts'

/** Rows are looked at one by one later, so that a bad one spoils no other. */
const rows = z.array(z.unknown())
const programId = z.uuid().toLowerCase()
/** A misspelt option would be one silently left out, so an unknown one is refused. */
const flag = (description: string) => optional(z.boolean()).meta({ description, default: false })
const dryRun = flag('Answers what would happen, and changes nothing.')

/** POST /api/workspaces/:workspace/partners/import. */
export const PartnerImport = z
  .strictObject({
    programId: programId.meta({ description: 'The program that the partners are to join.' }),
    options: optional(
      z.strictObject({
        sendWelcomeEmail: flag('Mails each new partner its link and the portal’s address.'),
        importOpeningBalances: flag('Makes each new partner’s openingBalanceCents a commission payable now.'),
        dryRun,
      }),
    ),
    rows,
  })
  .meta({ id: 'PartnerImport' })

/** POST /api/workspaces/:workspace/customers/import. */
export const CustomerImport = z
  .strictObject({
    programId: optional(
      programId.meta({ description: 'Where the partners are to be found; without it, in every program.' }),
    ),
    options: optional(z.strictObject({ dryRun })),
    rows,
  })
  .meta({ id: 'CustomerImport' })

/** A text for people. Its line breaks come from quoted cells. */
const label = (description: string) =>
  optional(
    z
      .string()
      .transform((text) => text.replace(/\s+/g, ' ').trim())
      .refine((text) => text.length <= MAX_ID_LENGTH && !/\p{Cc}/u.test(text))
      .transform(nullWhenBlank)
      .meta({ description, maxLength: MAX_ID_LENGTH }),
  )

/** A text that is kept to the letter: links that are out there carry it, or another system knows it. */
const key = (description: string, maxLength: number) =>
  optional(line(maxLength).transform(nullWhenBlank).meta({ description }))

const openingBalanceCents = optional(
  z
    .int()
    .min(0)
    .max(MAX_AMOUNT_CENTS)
    .meta({ description: 'Cents of USD still owed. Looked at with `importOpeningBalances` only.' }),
)

/** A row of a partner import. */
export const PartnerImportRow = z
  .object({
    email: email('Who it is: one partner per address and program.'),
    name: label('The partner’s name.'),
    slug: key(
      'The value of `?via=` in the partner’s links, kept as it is. Without it, one is made.',
      MAX_SLUG_LENGTH,
    ),
    couponId: key(
      'The id of a coupon or promotion code at the payment processor, to credit to the partner.',
      MAX_ID_LENGTH,
    ),
    couponLabel: label('The coupon’s code as people know it.'),
    openingBalanceCents,
  })
  .meta({ id: 'PartnerImportRow' })

/** To the letter, as reports name the customer too, an e-mail address as well. */
const customerId = z.string().trim().min(1).max(MAX_ID_LENGTH)

/** A day, or a time of day, which is in UTC when it doesn't say otherwise. */
const moment = z
  .union([z.literal('').transform(() => null), z.iso.date(), z.iso.datetime({ offset: true, local: true })])
  .transform((text) => {
    if (text === null) return null
    const isLocal = text.includes('T') && !/(Z|[+-]\d\d:?\d\d)$/.test(text)
    return new Date(isLocal ? `${text}Z` : text)
  })

/** A row of a customer import. */
export const CustomerImportRow = z
  .object({
    customerExternalId: customerId.meta({
      description: 'The customer’s id at the payment processor, or else its e-mail address.',
    }),
    customerEmail: optional(
      z
        .string()
        .transform(normalizeEmail)
        .refine((address) => address === null || isEmail(address))
        .meta({ description: 'The customer’s e-mail address.' }),
    ),
    partnerEmail: email('The partner who is to be credited from now on. Import it first.'),
    startedAt: optional(
      moment.meta({
        description:
          'When the customer’s first sale was rewarded on the platform before: the program’s rewards count from then.',
      }),
    ),
    programId: optional(
      programId.meta({ description: 'Where the partner is to be found; beats the call’s own.' }),
    ),
  })
  .meta({ id: 'CustomerImportRow' })
