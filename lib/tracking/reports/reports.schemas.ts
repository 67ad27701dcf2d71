/** Reports of sales and leads: spec, section 2. */
import * as z from 'zod/mini'
import { currency, id } from '../../http/report-fields.ts'
import { MAX_LINES, type StoredLine } from '../../rules/rewards/sale-lines.ts'
import { CLOCK_DIFFERENCE_MS, MAX_AGE_DAYS } from '../../rules/steps/occurred-at.ts'
import type { PartnerCode, Report } from '../../rules/steps/report.ts'
import { MAX_EMAIL_LENGTH, normalizeEmail } from '../../values/emails.ts'
import { MAX_ID_LENGTH } from '../../values/external-ids.ts'
import { MAX_AMOUNT_CENTS, sumOf } from '../../values/money.ts'

/** The largest body of a sale, in bytes: 100 lines with long ids and names, and all metadata. */
export const SALE_MAX_BYTES = 256 * 1024

const MAX_METADATA_BYTES = 16 * 1024
const MAX_QUANTITY = 1_000_000

/** A reported click id, or null if blank. Long ones are cut, because explanations quote them. */
const readClickId = (text: string): string | null => {
  const clickId = text.trim()
  // A cut surrogate pair could not be stored.
  if (clickId.length > MAX_ID_LENGTH) return `${clickId.slice(0, MAX_ID_LENGTH).toWellFormed()}…`
  return clickId || null
}

/** Any text: a report whose click id comes from a broken cookie is a sale all the same. */
const clickId = z.nullish(
  z
    .pipe(z.string(), z.transform(readClickId))
    .check(
      z.describe(
        'The visitor’s click, from `window.tributary.clickId()`. Without it, or with other text, the event is not attributed by a click.',
      ),
    ),
)

const anyMetadata = z.record(z.string(), z.unknown())

const bytesOf = (value: z.infer<typeof anyMetadata> | null | undefined): number =>
  value ? new TextEncoder().encode(JSON.stringify(value)).length : 0

/** Whatever the merchant wants to keep with an event. */
export const metadata = z.nullish(
  anyMetadata.check(
    z.refine(
      (value) => bytesOf(value) <= MAX_METADATA_BYTES,
      `At most ${MAX_METADATA_BYTES} bytes of JSON.`,
    ),
    z.describe('At most 16 KiB and 32 levels deep.'),
  ),
)

/** Any two letters: a sale is not lost because of a code that is not assigned. */
const customerCountry = z.nullish(
  z
    .pipe(
      z.string().check(z.regex(/^[A-Za-z]{2}$/, 'Must be two letters, such as DE.')),
      z.transform((code) => code.toUpperCase()),
    )
    .check(
      z.meta({ description: 'The customer’s country: ISO 3166, in any case.', example: 'DE' }),
    ),
)

/** An amount of a report. */
export const amountCents = (description: string, least = 1) =>
  z
    .int('Must be a whole number of minor units.')
    .check(
      z.minimum(least, `Must be at least ${least}.`),
      z.maximum(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`),
      z.describe(description),
    )

const time = z.iso.datetime({
  offset: true,
  error: 'Must be a time with its offset, such as 2026-11-22T09:30:00Z.',
})

const occurredAt = z.nullish(
  z
    .pipe(
      time,
      z.transform((text) => new Date(text)),
    )
    .check(
      z.refine(
        (at) => Number(at) <= Date.now() + CLOCK_DIFFERENCE_MS,
        'Must not be in the future.',
      ),
      z.refine(
        (at) => Number(at) >= Date.now() - MAX_AGE_DAYS * 24 * 60 * 60_000,
        `Must be at most ${MAX_AGE_DAYS} days ago.`,
      ),
      z.meta({
        description:
          'When it happened, if not now: ISO 8601 with `Z` or an offset, at most 400 days ago.',
        examples: ['2026-11-22T09:30:00Z'],
      }),
    ),
)

const partnerSlug = z.nullish(
  id(
    'A slug of the partner, if the program has `trustedAttribution`. A valid click takes precedence.',
  ),
)
const couponCode = z.nullish(
  id('The ID or label of the partner’s coupon, if the program has `trustedAttribution`.'),
)

type Codes = { partnerSlug?: string | null | undefined; couponCode?: string | null | undefined }

/** Refuses a report that names a partner twice. */
export const checkCodes = (context: { value: Codes; issues: z.core.$ZodRawIssue[] }): void => {
  const { partnerSlug, couponCode } = context.value
  if (partnerSlug == null || couponCode == null) return
  const message = 'Must not be sent with partnerSlug.'
  context.issues.push({ code: 'custom', message, path: ['couponCode'], input: couponCode })
}

const toCode = ({ partnerSlug, couponCode }: Codes): PartnerCode | undefined => {
  if (partnerSlug != null) return { by: 'slug', value: partnerSlug }
  return couponCode != null ? { by: 'coupon', value: couponCode } : undefined
}

const wrongQuantity = `Must be a whole number from 1 to ${MAX_QUANTITY}.`

const SaleLine = z
  .object({
    productId: id('Your id of the product.'),
    name: z.nullish(id('Its name, as managers and partners read it.')),
    quantity: z
      .nullish(
        z
          .int(wrongQuantity)
          .check(z.minimum(1, wrongQuantity), z.maximum(MAX_QUANTITY, wrongQuantity)),
      )
      .check(z.meta({ default: 1 })),
    amountCents: amountCents('What the customer paid for the whole line.', 0),
    metadata: z.nullish(
      anyMetadata.check(z.describe('Of the line. A rule reads it before that of the sale.')),
    ),
  })
  .check(z.meta({ id: 'SaleLine' }))

const lines = z.nullish(
  z
    .array(SaleLine)
    .check(
      z.minLength(1, 'Must have at least one line.'),
      z.maxLength(MAX_LINES, `Must have at most ${MAX_LINES} lines.`),
      z.describe(
        'What was bought. The amounts add up to `amountCents`. The metadata of the sale and of all lines have at most 16 KiB together.',
      ),
    ),
)

type Lined = Pick<z.output<typeof saleFields>, 'amountCents' | 'metadata' | 'lines'>

/** Refuses lines that do not add up to the sale, or whose metadata is too large. */
export const checkLines = (context: { value: Lined; issues: z.core.$ZodRawIssue[] }): void => {
  const { amountCents, metadata, lines } = context.value
  if (!lines) return
  const refuse = (message: string) =>
    context.issues.push({ code: 'custom', message, path: ['lines'], input: lines })
  // As bigints, because a sum of so many numbers may not be exact.
  const sum = sumOf(lines.map((line) => BigInt(line.amountCents)))
  if (sum !== BigInt(amountCents))
    refuse(`The amounts of the lines add up to ${sum}, and amountCents is ${amountCents}.`)
  const bytes = lines.reduce((all, line) => all + bytesOf(line.metadata), bytesOf(metadata))
  if (bytes > MAX_METADATA_BYTES)
    refuse(`The metadata has ${bytes} bytes of JSON. At most ${MAX_METADATA_BYTES} are kept.`)
}

const toLine = (line: z.output<typeof SaleLine>): StoredLine => ({
  productId: line.productId,
  ...(line.name != null && { name: line.name }),
  quantity: line.quantity ?? 1,
  amountCents: line.amountCents,
  ...(line.metadata && { metadata: line.metadata }),
})

export const saleFields = z.object({
  externalId: id(
    'Your invoice or order id. One sale per id. If a connected payment processor also reports the payment: ' +
      'its invoice id (`in_...`) or else its payment id (`pi_...`).',
  ),
  customerExternalId: id(
    'Your customer id, the same in every lead and sale. If a payment processor is connected, pass this id to it too.',
  ),
  amountCents: amountCents(
    'What the customer paid, after discounts and net of tax, in minor units: 4900 is 49.00 USD, or 4,900 JPY. **49.00 is 0.49 USD.**',
  ),
  currency: z.nullish(currency).check(z.describe('ISO 4217 code, in any case. `USD` by default.')),
  clickId,
  eventName: z.nullish(id('Your name for the event.')).check(z.meta({ default: 'sale' })),
  lines,
  customerCountry,
  metadata,
  occurredAt,
  partnerSlug,
  couponCode,
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
  code: toCode(sale),
  lines: sale.lines?.map(toLine),
  country: sale.customerCountry ?? undefined,
  sale: { amountCents: BigInt(sale.amountCents), currency: sale.currency ?? 'USD' },
})

/** POST /api/track/sale. */
export const SaleEvent = z
  .pipe(saleFields.check(checkCodes, checkLines), z.transform(toSale))
  .check(z.meta({ id: 'SaleEvent' }))

const customerText = (maxLength: number) =>
  z.nullish(
    z.string().check(z.maxLength(maxLength), z.describe('Saved if the lead is attributed.')),
  )

export const leadFields = z.object({
  externalId: id(
    'Your lead id, usually the user id. One lead per id. It is your customer id too, unless `customerExternalId` is given.',
  ),
  customerExternalId: z.nullish(
    id(
      'Your customer id, if it differs from `externalId`. If a payment processor is connected, pass this id to it too.',
    ),
  ),
  customerEmail: customerText(MAX_EMAIL_LENGTH),
  emailVerified: z.nullish(z.boolean().check(z.describe('Whether the address is verified.'))),
  customerName: customerText(MAX_ID_LENGTH),
  clickId,
  eventName: z.nullish(id('Your name for the event.')).check(z.meta({ default: 'lead' })),
  customerCountry,
  metadata,
  occurredAt,
  partnerSlug,
  couponCode,
})

export const toLead = (lead: z.output<typeof leadFields>): Report => ({
  kind: 'lead',
  externalId: lead.externalId,
  customerExternalId: lead.customerExternalId ?? lead.externalId,
  customerEmail: normalizeEmail(lead.customerEmail),
  emailVerified: lead.emailVerified || undefined,
  customerName: lead.customerName?.trim() || null,
  clickId: lead.clickId ?? null,
  eventName: lead.eventName ?? 'lead',
  metadata: lead.metadata ?? null,
  occurredAt: lead.occurredAt ?? undefined,
  code: toCode(lead),
  country: lead.customerCountry ?? undefined,
  sale: null,
})

/**
 * POST /api/track/lead. Its `externalId` names the customer too, unless `customerExternalId` does.
 */
export const LeadEvent = z
  .pipe(leadFields.check(checkCodes), z.transform(toLead))
  .check(z.meta({ id: 'LeadEvent' }))
