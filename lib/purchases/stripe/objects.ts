/** Reads the facts of a purchase from the objects of Stripe's events. */
import type { DisputeFact, Fact, Paid, RefundFact } from '../facts.ts'
import { fromStripe } from './amounts.ts'
import type { Charge, Checkout, Dispute, Invoice, InvoicePayment, Refund } from './objects.schemas.ts'

export type ObjectFacts = { customer?: string | null; keys: (string | null)[]; facts: Fact[] }

const sum = (parts: { amount: number }[]): number => parts.reduce((total, part) => total + part.amount, 0)

const paid = (currency: string, gross: number, net: number): Paid => ({
  grossCents: fromStripe(Math.max(0, gross), currency),
  netCents: fromStripe(Math.max(0, Math.min(net, gross)), currency),
  currency,
})

export const readCheckout = (session: Checkout): ObjectFacts => {
  if (session.mode !== 'payment' && session.mode !== 'subscription') return { keys: [], facts: [] }
  const { invoice, payment_intent: payment, customer } = session
  const gross = session.amount_total ?? 0
  const reference = session.client_reference_id
  return {
    customer,
    keys: [session.id, invoice, payment],
    facts: [
      {
        kind: 'checkout',
        id: session.id,
        createdAt: session.created.toISOString(),
        invoice,
        payment,
        customer,
        email: session.customer_details?.email ?? session.customer_email,
        name: session.customer_details?.name ?? null,
        // Merchants use it for ids of their own too.
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

export const readInvoice = (invoice: Invoice): ObjectFacts => {
  const { total } = invoice
  const taxes =
    invoice.total_excluding_tax == null
      ? (invoice.tax ?? sum(invoice.total_taxes ?? invoice.total_tax_amounts ?? []))
      : total - invoice.total_excluding_tax
  // Neither an overpayment nor the customer's balance pays for this invoice. A partial payment includes tax in proportion.
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

export const readInvoicePayment = ({ invoice, payment }: InvoicePayment): ObjectFacts => ({
  keys: [invoice, payment.payment_intent, payment.charge],
  facts: invoice ? [{ kind: 'payment', invoice }] : [],
})

/** Older API versions leave the status of a succeeded refund out. */
const refundStatus = (status: string | null | undefined): RefundFact['status'] => {
  switch (status ?? 'succeeded') {
    case 'succeeded':
      return 'succeeded'
    case 'failed':
    case 'canceled':
      return 'failed'
    default:
      return 'pending'
  }
}

/** Appeals follow a lost dispute. A dispute that was prevented never withdrew the money. */
const disputeStatus = (status: string): DisputeFact['status'] => {
  switch (status) {
    case 'warning_needs_response':
    case 'warning_under_review':
    case 'warning_closed':
      return 'inquiry'
    case 'lost':
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return 'lost'
    case 'won':
    case 'prevented':
      return 'won'
    default:
      return 'open'
  }
}

export const readRefund = (refund: Refund): ObjectFacts => {
  const payment = refund.payment_intent ?? refund.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status } = refund
  const amountCents = fromStripe(refund.amount, currency)
  return {
    keys: [refund.payment_intent, refund.charge],
    facts: [{ kind: 'refund', id, payment, amountCents, currency, status: refundStatus(status) }],
  }
}

export const readCharge = (charge: Charge): ObjectFacts => {
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

export const readDispute = (dispute: Dispute): ObjectFacts => {
  const payment = dispute.payment_intent ?? dispute.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status } = dispute
  return {
    keys: [dispute.payment_intent, dispute.charge],
    facts: [
      {
        kind: 'dispute',
        id,
        payment,
        amountCents: fromStripe(dispute.amount, currency),
        currency,
        status: disputeStatus(status),
      },
    ],
  }
}
