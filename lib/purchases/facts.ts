/**
 * Facts: what a payment processor's event says about a purchase, in the same form for every processor. Amounts are minor
 * units by ISO 4217; times in facts are ISO 8601 in UTC.
 */
import type { Processor } from './processors.ts'

/** An amount that was paid: in total, and without tax. */
export type Paid = { grossCents: number; netCents: number; currency: string }

export type CheckoutFact = {
  kind: 'checkout'
  id: string
  createdAt: string
  invoice: string | null
  payment: string | null
  customer: string | null
  email: string | null
  name: string | null
  /** The click id that the merchant passed to the checkout. */
  clickId: string | null
  /** Coupon ids and promotion code ids, in the order in which they were applied. */
  coupons: string[]
  /** Null until it is paid. */
  paid: Paid | null
}

export type InvoiceFact = {
  kind: 'invoice'
  id: string
  customer: string | null
  email: string | null
  name: string | null
  paidAt: string
  paid: Paid
}

/** The payment that the same event names has paid this invoice. */
type PaymentFact = { kind: 'payment'; invoice: string }

/** A charge, and the total refunded of it so far. */
export type ChargeFact = {
  kind: 'charge'
  payment: string
  amountCents: number
  refundedCents: number
  currency: string
}

/** The statuses of a refund, from open to final. A canceled refund has failed. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const

export type RefundFact = {
  kind: 'refund'
  id: string
  payment: string
  amountCents: number
  currency: string
  status: (typeof REFUND_STATUSES)[number]
}

/**
 * The statuses of a dispute, from open to final. The merchant keeps the money during an inquiry and after a dispute that
 * is won; a lost dispute may still be won on appeal.
 */
export const DISPUTE_STATUSES = ['inquiry', 'open', 'lost', 'won'] as const

export type DisputeFact = {
  kind: 'dispute'
  id: string
  payment: string
  amountCents: number
  currency: string
  status: (typeof DISPUTE_STATUSES)[number]
}

export type Fact = CheckoutFact | InvoiceFact | PaymentFact | ChargeFact | RefundFact | DisputeFact

/** A processor's event, as it is stored. */
export type ProcessorEvent = {
  processor: Processor
  processorEventId: string
  type: string
  livemode: boolean
  occurredAt: Date
  /** The processor's id of the customer. */
  customer: string | null
  /** The processor's ids of the purchase: its invoice, payments, charges and checkout. */
  keys: string[]
  facts: Fact[]
}

/** A purchase that the processor's API lists, as the events that would have reported it. */
export type ListedPurchase = { paidAt: Date; events: ProcessorEvent[] }
