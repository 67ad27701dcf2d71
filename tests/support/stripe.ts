/**
 * Events as Stripe sends them, with as much of their objects as is read here, and signed as Stripe
 * signs them. What a test gives for an object replaces what it would be otherwise; `undefined`
 * leaves a field out.
 */
import Stripe from 'stripe'
import { inject } from 'vitest'
import { type Answer, type Merchant, send } from './merchant.ts'
import { SECRETS_KEY, signingSecret } from './secrets.ts'

/** An object of Stripe's, or of somebody who claims to be Stripe. */
export type StripeObject = Record<string, unknown>

/** An event as it is posted. */
export type TestEvent = {
  id: string
  type: string
  created: number
  livemode: boolean
  data: { object: StripeObject }
}

/** A date as Stripe writes it: whole seconds. */
export const seconds = (date: Date | number = Date.now()): number => Math.floor(Number(date) / 1000)

/** An id that no other test has. */
export const stripeId = (prefix: string): string =>
  `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`

/** An event as an endpoint receives it. */
export const stripeEvent = (
  type: string,
  object: StripeObject,
  {
    id = stripeId('evt'),
    created = seconds(),
    livemode = false,
  }: Partial<Omit<TestEvent, 'type'>> = {},
): TestEvent & StripeObject => ({
  id,
  object: 'event',
  api_version: '2025-03-31.basil',
  type,
  created,
  livemode,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  data: { object },
})

/** A paid checkout of 49 USD, by a buyer who has no account. */
export const checkoutSession = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('cs_test'),
  object: 'checkout.session',
  mode: 'payment',
  status: 'complete',
  created: seconds(),
  payment_status: 'paid',
  currency: 'usd',
  amount_subtotal: 4_900,
  amount_total: 4_900,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  invoice: null,
  payment_intent: stripeId('pi'),
  customer: null,
  customer_email: null,
  customer_details: { email: 'ada@example.com', name: 'Ada' },
  client_reference_id: null,
  discounts: [],
  ...fields,
})

/** What invoices of every version have in common: 49 USD, paid, without tax. */
const anyInvoice = (): StripeObject => ({
  id: stripeId('in'),
  object: 'invoice',
  created: seconds(),
  currency: 'usd',
  status: 'paid',
  amount_due: 4_900,
  amount_paid: 4_900,
  subtotal: 4_900,
  total: 4_900,
  total_excluding_tax: 4_900,
  customer: stripeId('cus'),
  customer_email: 'ada@example.com',
  customer_name: 'Ada',
  status_transitions: { paid_at: seconds() },
})

/** A paid invoice as it is since API 2025-03-31: it names none of its payments. */
export const invoice = (fields: StripeObject = {}): StripeObject => ({
  ...anyInvoice(),
  amount_overpaid: 0,
  total_taxes: [],
  ...fields,
})

/**
 * A paid invoice as it was before API 2025-03-31: with its charge, its payment intent and its tax.
 */
export const oldInvoice = (fields: StripeObject = {}): StripeObject => ({
  ...anyInvoice(),
  paid: true,
  charge: stripeId('ch'),
  payment_intent: stripeId('pi'),
  tax: null,
  total_tax_amounts: [],
  ...fields,
})

/** That an invoice was paid by a payment intent. */
export const invoicePayment = (
  invoiceId: string,
  paymentIntent: string,
  fields: StripeObject = {},
) => ({
  id: stripeId('inpay'),
  object: 'invoice_payment',
  invoice: invoiceId,
  status: 'paid',
  amount_paid: 4_900,
  currency: 'usd',
  payment: { type: 'payment_intent', payment_intent: paymentIntent },
  ...fields,
})

/** A charge of 49 USD of which nothing was refunded. */
export const charge = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('ch'),
  object: 'charge',
  created: seconds(),
  amount: 4_900,
  amount_refunded: 0,
  currency: 'usd',
  customer: null,
  payment_intent: stripeId('pi'),
  refunded: false,
  status: 'succeeded',
  ...fields,
})

/** A paid charge, and the card that paid it. */
export const cardCharge = (fingerprint: string, fields: StripeObject = {}): StripeObject =>
  charge({
    amount_captured: 4_900,
    captured: true,
    paid: true,
    receipt_email: null,
    billing_details: { address: null, email: null, name: null, phone: null },
    payment_method_details: {
      type: 'card',
      card: { brand: 'visa', fingerprint, last4: '4242', wallet: null },
    },
    ...fields,
  })

/** A refund of 49 USD of which nobody knows the payment yet. */
export const refund = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('re'),
  object: 'refund',
  created: seconds(),
  amount: 4_900,
  currency: 'usd',
  status: 'succeeded',
  charge: null,
  payment_intent: null,
  ...fields,
})

/** A dispute about 49 USD of which nobody knows the payment yet. */
export const dispute = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('dp'),
  object: 'dispute',
  created: seconds(),
  amount: 4_900,
  currency: 'usd',
  status: 'needs_response',
  reason: 'fraudulent',
  charge: null,
  payment_intent: null,
  ...fields,
})

/** A payment of 49 USD that succeeded. */
export const paymentIntent = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('pi'),
  object: 'payment_intent',
  created: seconds(),
  amount: 4_900,
  amount_received: 4_900,
  amount_details: { tip: {} },
  currency: 'usd',
  customer: null,
  latest_charge: stripeId('ch'),
  metadata: {},
  payment_details: { customer_reference: null, order_reference: null },
  receipt_email: null,
  status: 'succeeded',
  ...fields,
})

/** A credit note of 49 USD for a paid invoice. */
export const creditNote = (fields: StripeObject = {}): StripeObject => ({
  id: stripeId('cn'),
  object: 'credit_note',
  amount: 4_900,
  created: seconds(),
  currency: 'usd',
  customer: stripeId('cus'),
  invoice: stripeId('in'),
  refunds: [],
  status: 'issued',
  type: 'post_payment',
  ...fields,
})

type Signed = {
  /** When it was signed. */
  at?: Date
}

/** The headers with which Stripe posts a body. */
export const signedHeaders = async (
  body: string,
  secret: string,
  { at = new Date() }: Signed = {},
): Promise<Record<string, string>> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Stripe-Signature': await Stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp: seconds(at),
  }),
})

type Delivery = Signed & {
  secret?: string
  /** Replaces what Stripe would send. */
  headers?: Record<string, string>
  /** The workspace in the address, by its slug or id. */
  to?: string
  /** What arrives in place of the body that was signed. */
  arrives?: string | Uint8Array
}

/**
 * Where the events of a merchant's Stripe account arrive: its first signing secret, and the way to
 * it.
 */
export const useStripe = async (merchant: Merchant, baseUrl = inject('baseUrl')) => {
  const { seed, workspace } = merchant
  const secret = signingSecret()
  await seed.addStripeSecret(workspace.id, secret, SECRETS_KEY)

  /** Posts an event, or any body, as Stripe does. */
  const deliver = async (
    event: TestEvent | StripeObject | string,
    delivery: Delivery = {},
  ): Promise<Answer> => {
    const { to = workspace.slug, headers = {} } = delivery
    const body = typeof event === 'string' ? event : JSON.stringify(event)
    return send(`${baseUrl}/api/webhooks/stripe/${to}`, {
      method: 'POST',
      body: delivery.arrives ?? body,
      headers: {
        ...(await signedHeaders(body, delivery.secret ?? secret, delivery)),
        // An address of its own, or all tests together would run into one address's limit.
        'CF-Connecting-IP': workspace.id,
        ...headers,
      },
    })
  }
  return { secret, deliver }
}
export type StripeAccount = Awaited<ReturnType<typeof useStripe>>
