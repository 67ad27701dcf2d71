/**
 * What Stripe’s events say about a purchase: the few facts that decide it, whatever the version of Stripe’s API that
 * they came in. Amounts are minor units by ISO 4217; times are ISO 8601 in UTC.
 */

/** An amount that was paid: all of it, and what of it was not tax. */
export type StripePaid = { grossCents: number; netCents: number; currency: string }

export type CheckoutFact = {
  kind: 'checkout'
  sessionId: string
  /** When the buyer came to the checkout. */
  createdAt: string
  invoice: string | null
  paymentIntent: string | null
  customer: string | null
  email: string | null
  name: string | null
  /** The click that the merchant passed on as `client_reference_id`. */
  clickId: string | null
  /** Coupon ids and promotion code ids, in the order in which they were applied. */
  coupons: string[]
  /** Null while it is not paid yet. */
  paid: StripePaid | null
}

export type InvoiceFact = {
  kind: 'invoice'
  id: string
  customer: string | null
  email: string | null
  name: string | null
  paidAt: string
  paid: StripePaid
}

/** That an invoice was paid by the payment that the same event names. */
type PaymentFact = { kind: 'payment'; invoice: string }

/** A charge, and what has been refunded of it in all. */
export type ChargeFact = {
  kind: 'charge'
  payment: string
  amountCents: number
  refundedCents: number
  currency: string
}

export type RefundFact = {
  kind: 'refund'
  id: string
  payment: string
  amountCents: number
  currency: string
  status: string
}

export type DisputeFact = {
  kind: 'dispute'
  id: string
  payment: string
  amountCents: number
  currency: string
  status: string
}

export type StripeFact = CheckoutFact | InvoiceFact | PaymentFact | ChargeFact | RefundFact | DisputeFact
