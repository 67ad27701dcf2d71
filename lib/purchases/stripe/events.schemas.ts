/**
 * Reads what an event of Stripe's says. An endpoint gets its events in the version of Stripe's API that its account or
 * itself is set to, so both shapes of an invoice are read: until 2025-03-31 it named its charge and payment intent,
 * since then its payments are objects of their own.
 */
import * as z from 'zod'
import { readEmail } from '../../emails.ts'
import { MAX_ID_LENGTH } from '../../http/fields.ts'
import { findUnstorable } from '../../json.ts'
import { MAX_AMOUNT_CENTS } from '../../money.ts'
import type { StripeFact, StripePaid } from '../facts.ts'
import { fromStripe } from './amounts.ts'

/** What an event says, for the database. */
export type StripeEvent = {
  stripeId: string
  type: string
  livemode: boolean
  occurredAt: Date
  customer: string | null
  /** What it names of the purchase that it is about: its invoice, payments, charges and checkout. */
  keys: string[]
  facts: StripeFact[]
}

/** Whether an event tells who bought what, rather than what became of it later. */
export const decides = ({ facts }: StripeEvent): boolean =>
  facts.some(({ kind }) => kind === 'checkout' || kind === 'invoice')

const text = z.string().min(1).max(MAX_ID_LENGTH)
/** An object that may have been expanded, by its id. */
const ref = z
  .union([text, z.object({ id: text }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null)
/** What somebody typed. A sale is not refused for a NUL or half a letter in it, which the cut may leave too. */
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
/** The last second of the year 9999: after it a date has no ISO form that Postgres reads. */
const LAST_SECOND = 253_402_300_799
const time = z
  .int()
  .min(0)
  .max(LAST_SECOND)
  .transform((seconds) => new Date(seconds * 1000))

const Envelope = z.object({
  id: text,
  type: text,
  created: time,
  livemode: z.boolean().default(false),
  data: z.object({ object: z.looseObject({}) }),
})

const Discount = z.object({ coupon: ref, promotion_code: ref })

const Checkout = z.object({
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

const Invoice = z.object({
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

const InvoicePayment = z.object({ invoice: ref, payment: Payment })

const Refund = z.object({
  id: text,
  amount,
  currency,
  status: z.string().nullish(),
  charge: ref,
  payment_intent: ref,
})

const Charge = z.object({
  id: text,
  amount,
  amount_refunded: amount,
  currency,
  customer: ref,
  payment_intent: ref,
  invoice: ref,
  refunds: z.object({ data: z.array(Refund) }).nullish(),
})

const Dispute = z.object({ id: text, amount, currency, status: z.string(), charge: ref, payment_intent: ref })

type Said = { customer?: string | null; keys: (string | null)[]; facts: StripeFact[] }

const sum = (parts: { amount: number }[]): number => parts.reduce((total, part) => total + part.amount, 0)

const paid = (currency: string, gross: number, net: number): StripePaid => ({
  grossCents: fromStripe(Math.max(0, gross), currency),
  netCents: fromStripe(Math.max(0, Math.min(net, gross)), currency),
  currency,
})

const readCheckout = (session: z.output<typeof Checkout>): Said => {
  if (session.mode !== 'payment' && session.mode !== 'subscription') return { keys: [], facts: [] }
  const { invoice, payment_intent: paymentIntent, customer } = session
  const gross = session.amount_total ?? 0
  const reference = session.client_reference_id
  return {
    customer,
    keys: [session.id, invoice, paymentIntent],
    facts: [
      {
        kind: 'checkout',
        sessionId: session.id,
        createdAt: session.created.toISOString(),
        invoice,
        paymentIntent,
        customer,
        email: session.customer_details?.email ?? session.customer_email,
        name: session.customer_details?.name ?? null,
        // Merchants put ids of their own there too.
        clickId: reference && CLICK_ID.test(reference) ? reference : null,
        coupons: (session.discounts ?? [])
          .flatMap((d) => [d.promotion_code, d.coupon])
          .filter((id) => id !== null),
        paid:
          session.payment_status === 'unpaid'
            ? null
            : paid(session.currency ?? 'USD', gross, gross - (session.total_details?.amount_tax ?? 0)),
      },
    ],
  }
}

/** See newClickId in lib/db/ids.ts. */
const CLICK_ID = /^clk_[A-Za-z0-9_]{1,200}$/

const readInvoice = (invoice: z.output<typeof Invoice>): Said => {
  const { total } = invoice
  const taxes =
    invoice.total_excluding_tax == null
      ? (invoice.tax ?? sum(invoice.total_taxes ?? invoice.total_tax_amounts ?? []))
      : total - invoice.total_excluding_tax
  // What was paid too much, or from the customer's balance, was not paid for this. Of what was paid in part, its
  // part was tax.
  const gross = Math.max(0, Math.min(total, invoice.amount_paid + (invoice.amount_paid_off_stripe ?? 0)))
  const net = total > 0 ? Math.round((gross * (total - taxes)) / total) : 0
  const payments = [
    ...(invoice.payments?.data ?? []).map(({ payment }) => payment),
    { payment_intent: invoice.payment_intent, charge: invoice.charge },
  ]
  return {
    customer: invoice.customer,
    keys: [invoice.id, ...payments.flatMap((payment) => [payment.payment_intent, payment.charge])],
    facts: [
      {
        kind: 'invoice',
        id: invoice.id,
        customer: invoice.customer,
        email: invoice.customer_email,
        name: invoice.customer_name,
        paidAt: (invoice.status_transitions?.paid_at ?? invoice.created).toISOString(),
        paid: paid(invoice.currency, gross, net),
      },
    ],
  }
}

const readInvoicePayment = ({ invoice, payment }: z.output<typeof InvoicePayment>): Said => ({
  keys: [invoice, payment.payment_intent, payment.charge],
  facts: invoice ? [{ kind: 'payment', invoice }] : [],
})

const readRefund = (refund: z.output<typeof Refund>): Said => {
  const payment = refund.payment_intent ?? refund.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status } = refund
  const amountCents = fromStripe(refund.amount, currency)
  return {
    keys: [refund.payment_intent, refund.charge],
    facts: [{ kind: 'refund', id, payment, amountCents, currency, status: status ?? 'succeeded' }],
  }
}

const readCharge = (charge: z.output<typeof Charge>): Said => {
  const { currency, invoice } = charge
  return {
    customer: charge.customer,
    keys: [charge.id, charge.payment_intent, invoice],
    facts: [
      {
        kind: 'charge',
        payment: charge.payment_intent ?? charge.id,
        amountCents: fromStripe(charge.amount, currency),
        refundedCents: fromStripe(charge.amount_refunded, currency),
        currency,
      },
      ...(invoice ? [{ kind: 'payment' as const, invoice }] : []),
      ...(charge.refunds?.data ?? [])
        .map((refund) => ({ ...refund, payment_intent: charge.payment_intent, charge: charge.id }))
        .flatMap((refund) => readRefund(refund).facts),
    ],
  }
}

const readDispute = (dispute: z.output<typeof Dispute>): Said => {
  const payment = dispute.payment_intent ?? dispute.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status } = dispute
  return {
    keys: [dispute.payment_intent, dispute.charge],
    facts: [
      { kind: 'dispute', id, payment, amountCents: fromStripe(dispute.amount, currency), currency, status },
    ],
  }
}

/** What an object says under each kind of event. What it has no schema for is of no interest. */
const reader = (type: string): ((object: unknown) => Said) | null => {
  if (type === 'checkout.session.completed' || type === 'checkout.session.async_payment_succeeded') {
    return (object) => readCheckout(Checkout.parse(object))
  }
  if (type === 'invoice.paid') return (object) => readInvoice(Invoice.parse(object))
  if (type === 'invoice_payment.paid') return (object) => readInvoicePayment(InvoicePayment.parse(object))
  if (type === 'charge.refunded') return (object) => readCharge(Charge.parse(object))
  if (/^(charge\.)?refund\.(created|updated|failed)$/.test(type)) {
    return (object) => readRefund(Refund.parse(object))
  }
  if (/^charge\.dispute\.\w+$/.test(type)) return (object) => readDispute(Dispute.parse(object))
  return null
}

/**
 * Reads an event whose signature is right.
 *
 * @returns the event; without facts, when it is of no interest; null for what is no event of Stripe's
 */
export const readEvent = (input: unknown): StripeEvent | null => {
  const envelope = Envelope.safeParse(input)
  if (!envelope.success) return null
  const { id: stripeId, type, livemode, created: occurredAt, data } = envelope.data
  const head = { stripeId, type, livemode, occurredAt }
  try {
    const { customer = null, keys, facts } = reader(type)?.(data.object) ?? { keys: [], facts: [] }
    const event = { ...head, customer, keys: [...new Set(keys.filter((key) => key !== null))], facts }
    return findUnstorable(event) ? null : event
  } catch (error) {
    if (error instanceof z.ZodError) return null
    throw error
  }
}
