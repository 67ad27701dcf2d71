/**
 * The objects of Stripe's events, as far as they are read. An endpoint receives events in the API
 * version of its account or of the endpoint itself, so the shapes of several versions are read.
 * Before 2025-03-31, an invoice named its charge, payment intent and subscription; since then its
 * payments are objects of their own. Since 2025-09-30, a discount names its coupon in `source`.
 */
import * as z from 'zod'
import {
  amount,
  country,
  currency,
  email,
  list,
  metadata,
  page,
  ref,
  reference,
  text,
  time,
  words,
} from './fields.schemas.ts'
import { CheckoutLine, CreditNoteLine, InvoiceLine } from './lines.schemas.ts'

/** A coupon as a checkout names it. */
const UsedCoupon = z.object({ coupon: ref, promotion_code: ref })

/** A discount as versions of all times have it. The oldest ones gave it no id. */
export const Discount = z.object({
  id: text.nullish(),
  coupon: ref,
  source: z.object({ coupon: ref }).nullish(),
  promotion_code: ref,
  customer: ref,
  subscription: ref,
  start: time,
  end: time.nullish(),
})

/** A discount of an invoice or a subscription: its id alone, unless it is expanded. */
const DiscountRef = z.union([text.transform((id) => ({ id })), z.looseObject({}).pipe(Discount)])
const discounts = z.array(DiscountRef).nullish().catch(null)

const ShippingCost = z.object({ amount_total: amount, amount_tax: amount.default(0) }).nullish()

export const Checkout = z.object({
  id: text,
  mode: z.string(),
  created: time,
  payment_status: z.string(),
  currency: currency.nullish(),
  amount_total: amount.nullish(),
  total_details: z
    .object({ amount_tax: amount.default(0), amount_shipping: amount.nullish() })
    .nullish(),
  shipping_cost: ShippingCost,
  invoice: ref,
  payment_intent: ref,
  payment_link: ref,
  subscription: ref,
  customer: ref,
  customer_email: email,
  customer_details: z.object({ email, name: words, address: country }).nullish(),
  line_items: page(CheckoutLine),
  client_reference_id: reference,
  discounts: z.array(UsedCoupon).nullish(),
  metadata,
})

const Payment = z.object({ payment_intent: ref, charge: ref })
const tax = z.object({ amount })
const SubscriptionDetails = z.object({ subscription: ref, metadata }).nullish()

export const Invoice = z.object({
  id: text,
  created: time,
  currency,
  amount_paid: amount,
  amount_overpaid: amount.nullish(),
  amount_paid_off_stripe: amount.nullish(),
  paid_out_of_band: z.boolean().nullish(),
  pre_payment_credit_notes_amount: amount.nullish(),
  total: amount,
  total_excluding_tax: amount.nullish(),
  total_taxes: z.array(tax).nullish(),
  total_tax_amounts: z.array(tax).nullish(),
  tax: amount.nullish(),
  shipping_cost: ShippingCost,
  customer: ref,
  customer_email: email,
  customer_name: words,
  customer_address: country,
  status_transitions: z.object({ paid_at: time.nullish() }).nullish(),
  billing_reason: text.nullish(),
  lines: page(InvoiceLine),
  parent: z.object({ subscription_details: SubscriptionDetails }).nullish(),
  subscription: ref,
  subscription_details: z.object({ metadata }).nullish(),
  discount: Discount.nullish().catch(null),
  discounts,
  total_discount_amounts: z
    .array(z.object({ discount: DiscountRef }))
    .nullish()
    .catch(null),
  metadata,
  payments: list(z.object({ payment: Payment })),
  payment_intent: ref,
  charge: ref,
})

export const InvoicePayment = z.object({ invoice: ref, payment: Payment })

export const PaymentIntent = z.object({
  id: text,
  created: time,
  currency,
  amount: amount.nullish(),
  amount_received: amount,
  amount_details: z
    .object({
      shipping: z.object({ amount: amount.nullish() }).nullish(),
      tax: z.object({ total_tax_amount: amount.nullish() }).nullish(),
    })
    .nullish(),
  customer: ref,
  receipt_email: email,
  latest_charge: ref,
  shipping: z.object({ address: country }).nullish().catch(null),
  invoice: ref,
  payment_details: z.object({ order_reference: z.string().nullish() }).nullish(),
  metadata,
})

export const Refund = z.object({
  id: text,
  amount,
  currency,
  created: time.nullish(),
  status: z.string().nullish(),
  charge: ref,
  payment_intent: ref,
})

export const Charge = z.object({
  id: text,
  amount,
  amount_captured: amount.nullish(),
  amount_refunded: amount,
  currency,
  customer: ref,
  payment_intent: ref,
  invoice: ref,
  refunds: list(Refund),
})

/** A method of payment without a fingerprint, such as Link or PayPal, has null. */
const fingerprint = z
  .looseObject({ type: text })
  .transform((details) => {
    const method = z.object({ fingerprint: text }).safeParse(details[details.type])
    return method.data?.fingerprint ?? null
  })
  .nullish()
  .catch(null)

export const PaidCharge = z.object({
  id: text,
  customer: ref,
  payment_intent: ref,
  receipt_email: email,
  billing_details: z.object({ email }).nullish().catch(null),
  payment_method_details: fingerprint,
})

export const Dispute = z.object({
  id: text,
  amount,
  currency,
  status: z.string(),
  charge: ref,
  payment_intent: ref,
})

/** Before 2025-03-31, a credit note named one refund; its type said if the invoice was paid. */
export const CreditNote = z.object({
  id: text,
  amount,
  currency,
  status: z.string(),
  type: z.string().nullish(),
  post_payment_amount: amount.nullish(),
  total_excluding_tax: amount.nullish(),
  total_taxes: z.array(tax).nullish(),
  tax_amounts: z.array(tax).nullish(),
  shipping_cost: ShippingCost,
  invoice: ref,
  customer: ref,
  refund: ref,
  refunds: z.array(z.object({ refund: ref, amount_refunded: amount.nullish() })).nullish(),
  lines: page(CreditNoteLine),
})

export const Customer = z.object({
  id: text,
  email,
  metadata,
  discount: Discount.nullish().catch(null),
})

export const Subscription = z.object({
  id: text,
  customer: ref,
  discount: Discount.nullish().catch(null),
  discounts,
  metadata,
})

export type Checkout = z.output<typeof Checkout>
export type Invoice = z.output<typeof Invoice>
export type InvoicePayment = z.output<typeof InvoicePayment>
export type PaymentIntent = z.output<typeof PaymentIntent>
export type Refund = z.output<typeof Refund>
export type Charge = z.output<typeof Charge>
export type PaidCharge = z.output<typeof PaidCharge>
export type Dispute = z.output<typeof Dispute>
export type CreditNote = z.output<typeof CreditNote>
export type Customer = z.output<typeof Customer>
export type Subscription = z.output<typeof Subscription>
export type Discount = z.output<typeof Discount>
