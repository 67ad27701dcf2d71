/** Reads the facts of a purchase from the objects of Stripe's events. */

import { reportKey } from '../../../rules/purchases/facts.ts'
import { isStripeId } from '../../../rules/purchases/stripe-ids.ts'
import { fromStripe } from '../../../stripe/amounts.ts'
import { couponsOf } from './customer-objects.ts'
import { linesOfCheckout, linesOfInvoice } from './line-objects.ts'
import type { InvoiceLine } from './lines.schemas.ts'
import type { ObjectFacts } from './object-facts.ts'
import type {
  Checkout,
  Invoice,
  InvoicePayment,
  PaidCharge,
  PaymentIntent,
} from './objects.schemas.ts'
import { amountsOf, netOf, paid, paidOf, shippingOf } from './paid-amounts.ts'

const reportKeys = (externalId: string | null) =>
  externalId === null ? [] : [reportKey(externalId)]

/** What a workspace says of its events. */
export type Reading = {
  /** Whether its backend creates all checkouts, so that their references may name customers. */
  backendCreatesCheckouts: boolean
}

export const readCheckout = (
  session: Checkout,
  { backendCreatesCheckouts }: Reading,
): ObjectFacts => {
  if (session.mode !== 'payment' && session.mode !== 'subscription') return { keys: [], facts: [] }
  const { invoice, payment_intent: payment, customer, subscription, metadata } = session
  const total = Math.max(0, session.amount_total ?? 0)
  const details = session.total_details
  const shipping = shippingOf(session.shipping_cost) ?? details?.amount_shipping ?? 0
  const reference = session.client_reference_id
  const email = session.customer_details?.email ?? session.customer_email
  const amounts = { total, tax: details?.amount_tax ?? 0, shipping }
  const currency = session.currency ?? 'USD'
  const due = paid(currency, amounts, total)
  const country = session.customer_details?.address
  return {
    customer,
    email,
    keys: [session.id, invoice, payment, ...reportKeys(metadata.externalId)],
    facts: [
      {
        kind: 'checkout',
        id: session.id,
        createdAt: session.created.toISOString(),
        invoice,
        payment,
        customer,
        email,
        name: session.customer_details?.name ?? null,
        clickId: reference.clickId ?? metadata.tributary_click,
        coupons: (session.discounts ?? [])
          .flatMap((d) => [d.promotion_code, d.coupon])
          .filter((id) => id !== null),
        ...(session.payment_status === 'unpaid' ? { paid: null, due } : { paid: due }),
        subscription,
        customerExternalId: metadata.customerExternalId,
        // The page of a pricing table and the URL of a payment link set the reference, so a visitor
        // can name any customer.
        ...(backendCreatesCheckouts &&
          !session.payment_link &&
          metadata.customerExternalId === null &&
          reference.customerExternalId !== null && { reference: reference.customerExternalId }),
        externalId: metadata.externalId,
        // The lines of an invoice are its own.
        ...(invoice === null &&
          total > 0 &&
          linesOfCheckout(session.line_items, netOf(amounts), currency)),
        ...(country && { country }),
      },
    ],
  }
}

/**
 * Stripe makes an invoice for a change of a subscription at once. If the change begins a period, as
 * another interval or an upgrade from a free plan does, the invoice bills that period in full
 * beside what it credits.
 */
const isProration = ({ billing_reason, lines }: Invoice): boolean =>
  billing_reason === 'subscription_update' && !lines.data.some(billsPeriod)

const billsPeriod = ({ type, proration, parent }: InvoiceLine): boolean =>
  parent
    ? parent.subscription_item_details?.proration === false
    : type === 'subscription' && proration === false

export const readInvoice = (invoice: Invoice): ObjectFacts => {
  const { id, customer, metadata, currency, customer_address: country } = invoice
  const amounts = amountsOf(invoice)
  const details = invoice.parent?.subscription_details
  const ofSubscription = details?.metadata ?? invoice.subscription_details?.metadata ?? null
  // Renewals repeat the subscription's metadata. Only its first invoice is the sale that they were
  // written for.
  const ofFirst = invoice.billing_reason === 'subscription_create' ? ofSubscription : null
  const externalId = metadata.externalId ?? ofFirst?.externalId ?? null
  const payments = [
    ...invoice.payments.map(({ payment }) => payment),
    { payment_intent: invoice.payment_intent, charge: invoice.charge },
  ]
  const discounts = [
    ...(invoice.discount ? [invoice.discount] : []),
    ...(invoice.discounts ?? []),
    ...(invoice.total_discount_amounts ?? []).map(({ discount }) => discount),
  ]
  return {
    customer,
    email: invoice.customer_email,
    keys: [
      id,
      ...payments.flatMap((payment) => [payment.payment_intent, payment.charge]),
      ...reportKeys(externalId),
    ],
    facts: [
      {
        kind: 'invoice',
        id,
        customer,
        email: invoice.customer_email,
        name: invoice.customer_name,
        paidAt: (invoice.status_transitions?.paid_at ?? invoice.created).toISOString(),
        paid: paidOf(invoice, amounts),
        ...(invoice.amount_overpaid && {
          overpaidCents: fromStripe(Math.max(0, invoice.amount_overpaid), currency),
        }),
        subscription: details?.subscription ?? invoice.subscription,
        billingReason: invoice.billing_reason ?? null,
        isProration: isProration(invoice),
        coupons: [...new Set(discounts.flatMap((one) => ('start' in one ? couponsOf(one) : [])))],
        discounts: [...new Set(discounts.flatMap(({ id }) => id ?? []))],
        clickId: metadata.tributary_click ?? ofFirst?.tributary_click ?? null,
        customerExternalId:
          metadata.customerExternalId ?? ofSubscription?.customerExternalId ?? null,
        externalId,
        ...(amounts.total > 0 && linesOfInvoice(invoice.lines, netOf(amounts), currency)),
        ...(country && { country }),
      },
      ...payments.flatMap(({ payment_intent: payment, charge }) =>
        payment ? { kind: 'payment' as const, invoice: id, payment, charge } : [],
      ),
    ],
  }
}

export const readInvoicePayment = ({ invoice, payment }: InvoicePayment): ObjectFacts => ({
  keys: [invoice, payment.payment_intent, payment.charge],
  facts: invoice
    ? [{ kind: 'payment', invoice, payment: payment.payment_intent, charge: payment.charge }]
    : [],
})

/** Older versions name a payment's invoice; newer ones, its invoice or checkout as an order. */
export const readPaymentIntent = (intent: PaymentIntent): ObjectFacts => {
  const { id, customer, receipt_email: email, latest_charge: charge, currency, metadata } = intent
  const order = intent.payment_details?.order_reference
  const country = intent.shipping?.address
  const pays = intent.invoice ?? (order && isStripeId(order) ? order : null)
  const received = Math.max(0, intent.amount_received)
  const total = Math.max(received, intent.amount ?? 0)
  const amounts = {
    total,
    tax: intent.amount_details?.tax?.total_tax_amount ?? 0,
    shipping: intent.amount_details?.shipping?.amount ?? 0,
  }
  return {
    customer,
    email,
    keys: [id, charge, pays, ...reportKeys(metadata.externalId)],
    facts: [
      {
        kind: 'intent',
        id,
        customer,
        email,
        charge,
        paid: paid(currency, amounts, received),
        ...(total > received && { authorizedCents: fromStripe(total, currency) }),
        pays,
        clickId: metadata.tributary_click,
        customerExternalId: metadata.customerExternalId,
        externalId: metadata.externalId,
        ...(country && { country }),
      },
    ],
  }
}

/** The card or bank account of a payment. No amount is read, because a charge is not a sale. */
export const readPaidCharge = (charge: PaidCharge): ObjectFacts => {
  const { id, customer, payment_intent: payment, payment_method_details: fingerprint } = charge
  if (!fingerprint) return { keys: [], facts: [] }
  const billingEmail = charge.billing_details?.email ?? charge.receipt_email
  return {
    customer,
    keys: [id, payment],
    facts: [
      { kind: 'payment_method', payment: payment ?? id, charge: id, fingerprint, billingEmail },
    ],
  }
}
