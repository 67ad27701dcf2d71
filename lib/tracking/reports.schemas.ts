/** What the tracking endpoints take: spec, section 2; limits: docs/api.md. OpenAPI is made from these. */
import * as z from 'zod'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../emails.ts'
import { currency, id, MAX_ID_LENGTH, optional } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import type { Report } from './report.ts'

const MAX_METADATA_BYTES = 16 * 1024

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
