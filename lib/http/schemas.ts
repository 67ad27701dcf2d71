/** The bodies of the tracking endpoints: spec, section 2; limits: docs/api.md. OpenAPI is made from these. */
import * as z from 'zod'
import type { Report } from '../domain/decisions.ts'
import { normalizeEmail } from '../domain/emails.ts'
import { isCurrency } from '../domain/money.ts'

/** As long as any id that a merchant's system makes, and short enough for a Postgres index. */
const MAX_ID_LENGTH = 255
/** RFC 5321 allows no longer address. */
const MAX_EMAIL_LENGTH = 320
/** A billion dollars less a cent: more is a mistake, and all sums of a lifetime still fit a bigint. */
const MAX_AMOUNT_CENTS = 99_999_999_999
const MAX_METADATA_BYTES = 16 * 1024

const id = (description: string) => {
  const length = `Must have 1 to ${MAX_ID_LENGTH} characters.`
  return z.string().min(1, length).max(MAX_ID_LENGTH, length).meta({ description })
}

/** A field that may be left out. null says the same: many JSON encoders write it for what they don't have. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish()

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

const currency = z
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

/** The answer of both tracking endpoints. */
export const TrackingResponse = z
  .object({
    eventId: z.uuid().nullable().meta({ description: 'null when the event is not attributed.' }),
    attributed: z.boolean(),
  })
  .meta({ id: 'TrackingResponse' })

/** The filters of GET /api/workspaces/:workspace/events. */
export const EventQuery = z.object({
  kind: z.enum(['sale', 'lead']).optional(),
  externalId: id('The id under which it was reported.').optional(),
  partnerId: z.uuid().optional(),
  attributed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
  cursor: z.uuid().optional().meta({ description: 'The `nextCursor` of the page before.' }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** The answer of POST /api/track/click. */
export const ClickAnswer = z
  .object({ clickId: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'Click' })

/** An event as GET shows it, with its explanation. */
export const EventAnswer = z
  .object({
    id: z.uuid(),
    kind: z.enum(['sale', 'lead']),
    externalId: z.string(),
    eventName: z.string(),
    attributed: z.boolean(),
    attributedBy: z.enum(['click', 'customer']).nullable(),
    partner: z
      .object({ id: z.uuid(), slug: z.string(), name: z.string().nullable(), email: z.string() })
      .nullable(),
    customer: z.object({
      id: z.uuid().nullable().meta({ description: 'null while no event of the customer was attributed.' }),
      externalId: z.string(),
      email: z.string().nullable(),
      name: z.string().nullable(),
    }),
    amountCents: z.int().nullable(),
    currency: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    occurredAt: z.iso.datetime(),
    commission: z
      .object({
        id: z.uuid(),
        amountCents: z.int(),
        currency: z.string(),
        status: z.enum(['pending', 'payable']),
        payableAt: z.iso.datetime(),
      })
      .nullable(),
    steps: z.array(
      z.object({
        code: z.string().meta({ description: 'Stable; see docs/decisions.md.' }),
        text: z.string().meta({ description: 'The step in words, for people. The wording may change.' }),
        facts: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'Event' })

export const EventListAnswer = z
  .object({ data: z.array(EventAnswer), nextCursor: z.uuid().nullable() })
  .meta({ id: 'EventList' })

export const ErrorAnswer = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      requestId: z.string(),
      docUrl: z.url(),
    }),
  })
  .meta({ id: 'Error' })
