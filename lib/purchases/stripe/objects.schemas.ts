/**
 * The objects of Stripe's events, as far as they are read. An endpoint receives events in the API version of its account
 * or of the endpoint itself, so both shapes of an invoice are read: before 2025-03-31 it named its charge and payment
 * intent, since then its payments are objects of their own.
 */
import * as z from 'zod'
import { readEmail } from '../../emails.ts'
import { MAX_ID_LENGTH } from '../../http/fields.ts'
import { MAX_AMOUNT_CENTS } from '../../money.ts'

export const text = z.string().min(1).max(MAX_ID_LENGTH)
/** The id of an object, which may be expanded. */
const ref = z
  .union([text, z.object({ id: text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)
/** Free text. NULs and lone surrogates, which the cut may leave, are removed: they must not refuse a sale. */
const words = z
  .string()
  .nullish()
  .transform(
    (value) =>
      value
        ?.trim()
        .slice(0, MAX_ID_LENGTH)
        .replace(/[\0\p{Cs}]/gu, '')
        .trim() || null,
  )
const email = z
  .string()
  .nullish()
  .transform((value) => (value?.isWellFormed() ? readEmail(value) : null))
const amount = z.int().min(-MAX_AMOUNT_CENTS).max(MAX_AMOUNT_CENTS)
const currency = z
  .string()
  .regex(/^[a-z]{3}$/i)
  .transform((code) => code.toUpperCase())
/** The last second of the year 9999. Later dates have no ISO form that Postgres reads. */
const LAST_SECOND = 253_402_300_799
export const time = z
  .int()
  .min(0)
  .max(LAST_SECOND)
  .transform((seconds) => new Date(seconds * 1000))

const Discount = z.object({ coupon: ref, promotion_code: ref })

export const Checkout = z.object({
  id: text,
  mode: z.string(),
  created: time,
  payment_status: z.string(),
  currency: currency.nullish(),
  amount_total: amount.nullish(),
  total_details: z.object({ amount_tax: amount.default(0) }).nullish(),
  invoice: ref,
  payment_intent: ref,
  customer: ref,
  customer_email: email,
  customer_details: z.object({ email, name: words }).nullish(),
  client_reference_id: z.string().nullish(),
  discounts: z.array(Discount).nullish(),
})

const Payment = z.object({ payment_intent: ref, charge: ref })
const tax = z.object({ amount })

export const Invoice = z.object({
  id: text,
  created: time,
  currency,
  amount_paid: amount,
  amount_paid_off_stripe: amount.nullish(),
  total: amount,
  total_excluding_tax: amount.nullish(),
  total_taxes: z.array(tax).nullish(),
  total_tax_amounts: z.array(tax).nullish(),
  tax: amount.nullish(),
  customer: ref,
  customer_email: email,
  customer_name: words,
  status_transitions: z.object({ paid_at: time.nullish() }).nullish(),
  payments: z.object({ data: z.array(z.object({ payment: Payment })) }).nullish(),
  payment_intent: ref,
  charge: ref,
})

export const InvoicePayment = z.object({ invoice: ref, payment: Payment })

export const Refund = z.object({
  id: text,
  amount,
  currency,
  status: z.string().nullish(),
  charge: ref,
  payment_intent: ref,
})

export const Charge = z.object({
  id: text,
  amount,
  amount_refunded: amount,
  currency,
  customer: ref,
  payment_intent: ref,
  invoice: ref,
  refunds: z.object({ data: z.array(Refund) }).nullish(),
})

export const Dispute = z.object({
  id: text,
  amount,
  currency,
  status: z.string(),
  charge: ref,
  payment_intent: ref,
})

export type Checkout = z.output<typeof Checkout>
export type Invoice = z.output<typeof Invoice>
export type InvoicePayment = z.output<typeof InvoicePayment>
export type Refund = z.output<typeof Refund>
export type Charge = z.output<typeof Charge>
export type Dispute = z.output<typeof Dispute>
