/** What the endpoints take: spec, section 2; limits: docs/api.md. OpenAPI is made from these. */
import * as z from 'zod'
import type { Report } from '../domain/decisions.ts'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../domain/emails.ts'
import { isCurrency } from '../domain/money.ts'
import { Page } from './lists.ts'

/** As long as any id that a merchant's system makes, and short enough for a Postgres index. */
export const MAX_ID_LENGTH = 255
/** A billion dollars less a cent: more is a mistake, and all sums of a lifetime still fit a bigint. */
export const MAX_AMOUNT_CENTS = 99_999_999_999
const MAX_METADATA_BYTES = 16 * 1024

const id = (description: string) => {
  const length = `Must have 1 to ${MAX_ID_LENGTH} characters.`
  return z.string().min(1, length).max(MAX_ID_LENGTH, length).meta({ description })
}

/** A field that may be left out. null says the same: many JSON encoders write it for what they don't have. */
export const optional = <S extends z.ZodType>(schema: S) => schema.nullish()

const clickId = optional(
  id('The visitor’s click, from `window.tributary.clickId()`. Without it nothing is attributed.'),
)

const metadata = optional(
  z
    .record(z.string(), z.unknown())
    .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES, {
      message: `At most ${MAX_METADATA_BYTES} bytes of JSON.`,
    })
    .meta({ description: 'Free-form JSON object, at most 16 KiB and 32 levels deep.' }),
)

/** A known currency, in any case. */
export const currency = z
  .string()
  // Before the case changes: some letters beyond ASCII become those of a currency.
  .regex(/^[A-Za-z]{3}$/, 'Not an ISO 4217 currency code.')
  .transform((code) => code.toUpperCase())
  .refine(isCurrency, 'Not an ISO 4217 currency code.')
  .meta({ description: 'ISO 4217 code, in any case.', example: 'USD' })

/** POST /api/track/sale. */
export const SaleEvent = z
  .object({
    externalId: id('Your invoice or order id. One sale per id, for ever.'),
    customerExternalId: id('Your id of the customer.'),
    amountCents: z
      .int('Must be a whole number of minor units.')
      .min(1, 'Must be at least 1.')
      .max(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`)
      .meta({ description: 'Minor units: 4900 is 49.00 USD.' }),
    currency: optional(currency).meta({ default: 'USD' }),
    clickId,
    eventName: optional(id('Your name for it.')).meta({ default: 'sale' }),
    metadata,
  })
  .transform(
    (sale): Report => ({
      kind: 'sale',
      externalId: sale.externalId,
      customerExternalId: sale.customerExternalId,
      customerEmail: null,
      customerName: null,
      clickId: sale.clickId ?? null,
      eventName: sale.eventName ?? 'sale',
      metadata: sale.metadata ?? null,
      sale: { amountCents: BigInt(sale.amountCents), currency: sale.currency ?? 'USD' },
    }),
  )
  .meta({ id: 'SaleEvent' })

/** POST /api/track/lead. Its `externalId` names the customer too, unless `customerExternalId` does. */
export const LeadEvent = z
  .object({
    externalId: id('Your id of the lead, usually the user’s id. One lead per id, for ever.'),
    customerExternalId: optional(id('Your id of the customer, when it differs from `externalId`.')),
    customerEmail: optional(z.string().max(MAX_EMAIL_LENGTH)),
    customerName: optional(z.string().max(MAX_ID_LENGTH)),
    clickId,
    eventName: optional(id('Your name for it.')).meta({ default: 'lead' }),
    metadata,
  })
  .transform(
    (lead): Report => ({
      kind: 'lead',
      externalId: lead.externalId,
      customerExternalId: lead.customerExternalId ?? lead.externalId,
      customerEmail: normalizeEmail(lead.customerEmail),
      customerName: lead.customerName?.trim() || null,
      clickId: lead.clickId ?? null,
      eventName: lead.eventName ?? 'lead',
      metadata: lead.metadata ?? null,
      sale: null,
    }),
  )
  .meta({ id: 'LeadEvent' })

/** POST /api/track/click. */
export const ClickEvent = z
  .object({
    programId: z.uuid().meta({ description: 'The program whose partner sent the visitor.' }),
    slug: id('The value of `via` in the address that the visitor came to.'),
    url: optional(z.string().meta({ description: 'The page. What follows `?` or `#` is not kept.' })),
    referrer: optional(z.string()),
  })
  .meta({ id: 'ClickEvent' })

/** The filters of GET /api/workspaces/:workspace/events. */
export const EventQuery = z.object({
  kind: z.enum(['sale', 'lead']).optional(),
  externalId: id('The id under which it was reported.').optional(),
  partnerId: z.uuid().optional(),
  attributed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
  ...Page.shape,
})
