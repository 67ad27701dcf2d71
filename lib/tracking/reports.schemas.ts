/** Requests of the tracking endpoints: spec, section 2. */
import * as z from 'zod'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../emails.ts'
import { currency, id, MAX_ID_LENGTH, optional } from '../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../money.ts'
import { CLOCK_DIFFERENCE_MS, MAX_AGE_DAYS } from './occurred-at.ts'
import type { RefundReport } from './refund.ts'
import type { Report } from './report.ts'

const MAX_METADATA_BYTES = 16 * 1024

/**
 * A click id as reported: null if blank. One that is too long for a click's is cut, because the event's explanation
 * quotes it.
 */
const readClickId = (text: string): string | null => {
  const clickId = text.trim()
  // A cut surrogate pair could not be stored.
  if (clickId.length > MAX_ID_LENGTH) return `${clickId.slice(0, MAX_ID_LENGTH).toWellFormed()}…`
  return clickId || null
}

/** Any text: a report whose click id comes from a broken cookie is a sale all the same. */
const clickId = optional(
  z
    .string()
    .transform(readClickId)
    .meta({
      description:
        'The visitor’s click, from `window.tributary.clickId()`. Without it, the event is not attributed. Any other ' +
        'text counts as an unknown click, and a blank one as none.',
    }),
)

const metadata = optional(
  z
    .record(z.string(), z.unknown())
    .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES, {
      message: `At most ${MAX_METADATA_BYTES} bytes of JSON.`,
    })
    .meta({ description: 'Free-form JSON object, at most 16 KiB and 32 levels deep.' }),
)

const occurredAt = optional(
  z.iso
    .datetime({ offset: true, error: 'Must be a time with its offset, such as 2026-11-22T09:30:00Z.' })
    .transform((text) => new Date(text))
    .refine((at) => Number(at) <= Date.now() + CLOCK_DIFFERENCE_MS, 'Must not be in the future.')
    .refine(
      (at) => Number(at) >= Date.now() - MAX_AGE_DAYS * 24 * 60 * 60_000,
      `Must be at most ${MAX_AGE_DAYS} days ago.`,
    )
    .meta({
      description:
        'When it happened, if that is not now: ISO 8601 with `Z` or an offset, at most 400 days ago. Everything is decided as of ' +
        'this time.',
      examples: ['2026-11-22T09:30:00Z'],
    }),
)

export const saleFields = z.object({
  externalId: id(
    'Your invoice or order id. One sale per id. For a payment that a connected payment processor reports too: ' +
      'its id of the invoice (`in_...`) or, without one, of the payment (`pi_...`).',
  ),
  customerExternalId: id(
    'Your customer id, the same in every lead and sale. If a payment processor is connected, pass this id to it too.',
  ),
  amountCents: z
    .int('Must be a whole number of minor units.')
    .min(1, 'Must be at least 1.')
    .max(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`)
    .meta({
      description:
        'What the customer paid, after discounts and net of tax, in minor units: 4900 is 49.00 USD, or 4,900 JPY.',
    }),
  currency: optional(currency).meta({ description: 'ISO 4217 code, in any case. `USD` by default.' }),
  clickId,
  eventName: optional(id('Your name for the event.')).meta({ default: 'sale' }),
  metadata,
  occurredAt,
})

export const toSale = (sale: z.output<typeof saleFields>): Report => ({
  kind: 'sale',
  externalId: sale.externalId,
  customerExternalId: sale.customerExternalId,
  customerEmail: null,
  customerName: null,
  clickId: sale.clickId ?? null,
  eventName: sale.eventName ?? 'sale',
  metadata: sale.metadata ?? null,
  occurredAt: sale.occurredAt ?? undefined,
  sale: { amountCents: BigInt(sale.amountCents), currency: sale.currency ?? 'USD' },
})

/** POST /api/track/sale. */
export const SaleEvent = saleFields.transform(toSale).meta({ id: 'SaleEvent' })

export const leadFields = z.object({
  externalId: id(
    'Your lead id, usually the user id. One lead per id. It is your customer id too, unless `customerExternalId` is given.',
  ),
  customerExternalId: optional(
    id(
      'Your customer id, if it differs from `externalId`. If a payment processor is connected, pass this id to it too.',
    ),
  ),
  customerEmail: optional(
    z.string().max(MAX_EMAIL_LENGTH).meta({ description: 'Saved if the lead is attributed.' }),
  ),
  customerName: optional(
    z.string().max(MAX_ID_LENGTH).meta({ description: 'Saved if the lead is attributed.' }),
  ),
  clickId,
  eventName: optional(id('Your name for the event.')).meta({ default: 'lead' }),
  metadata,
  occurredAt,
})

export const toLead = (lead: z.output<typeof leadFields>): Report => ({
  kind: 'lead',
  externalId: lead.externalId,
  customerExternalId: lead.customerExternalId ?? lead.externalId,
  customerEmail: normalizeEmail(lead.customerEmail),
  customerName: lead.customerName?.trim() || null,
  clickId: lead.clickId ?? null,
  eventName: lead.eventName ?? 'lead',
  metadata: lead.metadata ?? null,
  occurredAt: lead.occurredAt ?? undefined,
  sale: null,
})

/** POST /api/track/lead. Its `externalId` names the customer too, unless `customerExternalId` does. */
export const LeadEvent = leadFields.transform(toLead).meta({ id: 'LeadEvent' })

/** POST /api/track/refund. */
export const RefundEvent = z
  .object({
    externalId: id('Your refund or credit note id. One refund per id.'),
    saleExternalId: id(
      'The `externalId` of the sale. A refund that arrives before its sale waits for it. For a sale that a connected payment ' +
        'processor reports too, any of the processor’s ids of it works as well.',
    ),
    amountCents: optional(
      z
        .int('Must be a whole number of minor units.')
        .min(1, 'Must be at least 1.')
        .max(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`)
        .meta({
          description:
            'The part of the sale’s `amountCents` that was refunded. Without it, all that is left of the sale. More than is ' +
            'left counts as what is left.',
        }),
    ),
    currency: optional(currency).meta({
      description: 'ISO 4217 code, in any case. That of the sale by default, and no other.',
    }),
    eventName: optional(id('Your name for the event.')).meta({ default: 'refund' }),
    metadata,
  })
  .transform(
    (refund): RefundReport => ({
      externalId: refund.externalId,
      saleExternalId: refund.saleExternalId,
      requested: { amountCents: refund.amountCents ?? null, currency: refund.currency ?? null },
      eventName: refund.eventName ?? 'refund',
      metadata: refund.metadata ?? null,
    }),
  )
  .meta({ id: 'RefundEvent' })

/** More than the parameters that a tag reads. */
const MAX_SLUGS = 10

/** POST /api/track/click. */
export const ClickEvent = z
  .object({
    programId: z.uuid().meta({ description: 'The program of the partner.' }),
    slug: optional(
      id('The value of `via` in the landing page’s URL. Case and surrounding space are ignored.'),
    ),
    slugs: optional(z.array(z.string()).max(MAX_SLUGS)).meta({
      description:
        'In the place of `slug`: what may be one, the likeliest first, such as the values of `via` and `ref`. The first that is a partner’s counts.',
    }),
    url: optional(
      z.string().meta({ description: 'The landing page. Saved without its query string and fragment.' }),
    ),
    referrer: optional(z.string()).meta({
      description: 'The referring page. Saved without its query string and fragment.',
    }),
    clickId: optional(z.string()).meta({
      description:
        'The `clickId` that the visitor has, if any. It decides which click stands, by the program’s `attribution`. Charts count a repeated arrival within 30 minutes of it once. Without a slug, it is checked, and returned if it still counts.',
    }),
    age: optional(z.number()).meta({
      description:
        'Milliseconds since the visit, for one that could not be sent at once. At most a day counts.',
    }),
  })
  .refine(({ slug, slugs, clickId }) => slug || slugs?.length || clickId, {
    path: ['slug'],
    error: 'Required, unless there are `slugs` or a `clickId`.',
  })
  .meta({ id: 'ClickEvent' })
