/**
 * Facts: what a payment processor's event says about a purchase, in the same form for every
 * processor. Amounts are minor units by ISO 4217; times in facts are ISO 8601 in UTC.
 */
import type { StoredLine } from '../rewards/sale-lines.ts'
import type { Refusal } from './outcomes.ts'
import { isProcessorId, type Processor } from './processors.ts'

/**
 * A part of what was paid: in total, and without tax. `shippingCents` is the shipping in it,
 * without tax; none if absent.
 */
export type PaidPart = { grossCents: number; netCents: number; shippingCents?: number }

/**
 * What was paid in money, and what was paid otherwise, if anything: marked as paid outside of the
 * processor, or from a balance of the customer.
 */
export type Paid = PaidPart & { currency: string; outOfBand?: PaidPart }

/** What was bought, and by whom. Absent if the processor does not say so. */
type Bought = {
  /** With the amounts that it states, before what else was paid is spread over them: `linesOf`. */
  lines?: StoredLine[]
  /** The customer's country: ISO 3166. */
  country?: string
}

export type CheckoutFact = Bought & {
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
  /** What is due until it is paid: a payment that is captured later may say how much was. */
  due?: Paid | null
  subscription?: string | null
  /** The merchant's id of the customer. */
  customerExternalId?: string | null
  /** The same by a field that a buyer may have written. Absent unless the backend writes it. */
  reference?: string | null
  /** The id under which the merchant reports this sale. See `reportKey`. */
  externalId?: string | null
}

export type InvoiceFact = Bought & {
  kind: 'invoice'
  id: string
  customer: string | null
  email: string | null
  name: string | null
  paidAt: string
  paid: Paid
  /** What was paid beyond the invoice's total, as far as the invoice itself says. */
  overpaidCents?: number
  subscription?: string | null
  /** The processor's reason for the invoice, such as `subscription_cycle`. */
  billingReason?: string | null
  /** Whether it bills a change of the subscription within a period, and no period that begins. */
  isProration?: boolean
  /** Coupon ids and promotion code ids, as far as the invoice itself names them. */
  coupons?: string[]
  /** Its discounts: a discount fact may name their coupons. */
  discounts?: string[]
  clickId?: string | null
  customerExternalId?: string | null
  externalId?: string | null
}

/** A payment: a sale of its own unless it belongs to an invoice or checkout (`readPurchase`). */
type IntentFact = Pick<Bought, 'country'> & {
  kind: 'intent'
  id: string
  customer: string | null
  email: string | null
  charge: string | null
  /** What was received of it. */
  paid: Paid
  /** What was authorized, if more than was received. */
  authorizedCents?: number
  /** The invoice or checkout that it pays, if it names one. */
  pays: string | null
  clickId: string | null
  customerExternalId: string | null
  externalId: string | null
}

/** The payment that the same event names has paid this invoice. */
type PaymentFact = {
  kind: 'payment'
  invoice: string
  payment?: string | null
  charge?: string | null
}

/** A charge, and the total refunded of it, including what was authorized and not captured. */
export type ChargeFact = {
  kind: 'charge'
  payment: string
  /** Its own id. */
  charge?: string | null
  /** What was authorized. */
  amountCents: number
  /** What was captured, if less. */
  capturedCents?: number
  refundedCents: number
  currency: string
}

/** The card, or the bank account, that a payment was made with. */
type PaymentMethodFact = {
  kind: 'payment_method'
  payment: string
  charge: string
  /** The processor's id of the card's number, the same for every customer who pays with it. */
  fingerprint: string
  /** The address that was given with it. */
  billingEmail: string | null
}

/** The statuses of a refund, from open to final. A canceled refund has failed. */
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const

export type RefundFact = {
  kind: 'refund'
  id: string
  payment: string
  charge?: string | null
  amountCents: number
  currency: string
  /** When it was made. ISO 8601. */
  createdAt?: string | null
  status: (typeof REFUND_STATUSES)[number]
}

/**
 * The statuses of a dispute, from open to final. The merchant keeps the money during an inquiry and
 * after a dispute that is won; a lost dispute may still be won on appeal.
 */
export const DISPUTE_STATUSES = ['inquiry', 'open', 'lost', 'won'] as const

export type DisputeFact = {
  kind: 'dispute'
  id: string
  payment: string
  charge?: string | null
  amountCents: number
  currency: string
  status: (typeof DISPUTE_STATUSES)[number]
}

/** What was credited of a paid invoice. The refunds in it are also facts of their own. */
export type CreditNoteFact = {
  kind: 'credit_note'
  id: string
  invoice: string
  amountCents: number
  /** What of the amount is without tax, and the shipping in it, if the note says so. */
  net?: { netCents: number; shippingCents: number } | null
  currency: string
  /** What it credits of lines that it names by their ids, without tax and discounts. */
  lines?: { line: string; netCents: number }[]
  refunds: { id: string; amountCents: number | null }[]
  isVoid: boolean
}

/** The merchant's id of a processor's customer. */
export type IdentityFact = { kind: 'identity'; customer: string; customerExternalId: string }

/** A coupon of a customer, or of one of its subscriptions. A null end is never. */
export type DiscountFact = {
  kind: 'discount'
  id: string | null
  customer: string
  subscription: string | null
  coupon: string | null
  promotionCode: string | null
  start: string
  end: string | null
}

export type Fact =
  | CheckoutFact
  | InvoiceFact
  | IntentFact
  | PaymentFact
  | ChargeFact
  | PaymentMethodFact
  | RefundFact
  | DisputeFact
  | CreditNoteFact
  | IdentityFact
  | DiscountFact

/** Whether a fact reports a sale, which may decide whom it is credited to. */
export const reportsSale = ({ kind }: Fact): boolean =>
  kind === 'checkout' || kind === 'invoice' || kind === 'intent'

/** The key of a merchant's report. Its colon keeps it apart from processors' ids, without one. */
export const reportKey = (externalId: string): string => `${REPORT}${externalId}`

/** The key that names a purchase by the id under which the merchant reports it. */
export const purchaseKeyOf = (externalId: string): string =>
  isProcessorId(externalId) ? externalId : reportKey(externalId)

const REPORT = 'report:'

/** The id under which a sale may be recorded, by a key of its purchase. */
export const externalIdOf = (key: string): string =>
  key.startsWith(REPORT) ? key.slice(REPORT.length) : key

/** A processor's event, as it is stored. */
export type ProcessorEvent = {
  processor: Processor
  processorEventId: string
  type: string
  livemode: boolean
  occurredAt: Date
  /** The processor's id of the customer. */
  customer: string | null
  /** The ids of its invoice, payments, charges and checkout. See `reportKey` for the merchant's. */
  keys: string[]
  /** The address that the buyer typed, or that the processor has of the customer. */
  email: string | null
  facts: Fact[]
  /** Why the event does not count. It has no keys and no facts. */
  refusal?: Refusal
}

/** A purchase that the processor's API lists, as the events that would have reported it. */
export type ListedPurchase = { paidAt: Date; events: ProcessorEvent[] }
