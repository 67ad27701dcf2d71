/** Payments: succeeded payment intents and their charges. */
import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import type Stripe from 'stripe'
import * as z from 'zod'
import { NO_ADDRESS } from './customers.ts'
import { invalidRequest } from './errors.ts'
import { currency, email, flag, integer, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

type Payment = {
  amount: number
  currency: string
  customer: string | null
  email: string | null
  description: string
  /** The invoice or checkout session that it pays. */
  order: string | null
  metadata?: Record<string, string> | undefined
}

const addIntent = (store: Store, payment: Payment) => {
  const { amount, currency, customer, email, description, order, metadata = {} } = payment
  const id = newId('pi')
  return store.paymentIntents.add({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: amount,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: newId(`${id}_secret`),
    confirmation_method: 'automatic',
    created: store.seconds(),
    currency,
    customer,
    customer_account: null,
    description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata,
    next_action: null,
    on_behalf_of: null,
    payment_details: { customer_reference: null, order_reference: order },
    payment_method: newId('pm'),
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: email,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  })
}

/** The card of a buyer. Everybody has one of their own, unlike Stripe's test cards. */
const cardOf = (buyer: string): Stripe.Charge.PaymentMethodDetails.Card => ({
  amount_authorized: null,
  authorization_code: null,
  brand: 'visa',
  checks: null,
  country: 'US',
  electronic_commerce_indicator: null,
  exp_month: 12,
  exp_year: 2034,
  fingerprint: createHash('sha256').update(buyer).digest('base64url').slice(0, 16),
  funding: 'credit',
  installments: null,
  last4: '4242',
  mandate: null,
  network: 'visa',
  network_transaction_id: null,
  regulated_status: null,
  three_d_secure: null,
  transaction_link_id: null,
  wallet: null,
})

const addCharge = (store: Store, intent: Stripe.PaymentIntent, email: string | null) =>
  store.charges.add({
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: newId('txn'),
    billing_details: { address: NO_ADDRESS, email, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: true,
    created: store.seconds(),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: 'approved_by_network',
      reason: null,
      seller_message: 'Payment complete.',
      type: 'authorized',
    },
    paid: true,
    payment_intent: intent.id,
    payment_method: idOf(intent.payment_method),
    payment_method_details: {
      type: 'card',
      card: cardOf(email ?? idOf(intent.customer) ?? intent.id),
    },
    receipt_email: email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  })

/** Takes a payment by a card that always succeeds. */
export const takePayment = (store: Store, payment: Payment) => {
  const intent = addIntent(store, payment)
  const charge = addCharge(store, intent, payment.email)
  intent.latest_charge = charge.id
  return { intent, charge }
}

/** A payment's charge, by the id of the charge or payment intent. @throws when there is none */
export const findCharge = (store: Store, id: string): Stripe.Charge => {
  if (!id.startsWith('pi_')) return store.charges.named(id, 'charge')
  const intent = store.paymentIntents.named(id, 'payment_intent')
  const charge = store.charges.find(idOf(intent.latest_charge))
  if (!charge)
    throw invalidRequest(`This PaymentIntent (${id}) does not have a successful charge to refund.`)
  return charge
}

/** A payment form of the merchant's own: only payments that are confirmed as they are created. */
const IntentParams = {
  amount: integer.pipe(z.int().min(50, 'Amount must be at least $0.50 usd')),
  currency,
  customer: text.optional(),
  payment_method: text.optional(),
  confirm: flag.optional(),
  receipt_email: email.optional(),
  description: text.optional(),
  metadata: metadata.optional(),
}

export const paymentRoutes = (store: Store, { emit }: Webhooks) =>
  new Hono()
    .post('/v1/payment_intents', async (c) => {
      const params = await readParams(c, IntentParams)
      const {
        customer,
        payment_method,
        confirm,
        receipt_email = null,
        description = '',
        ...rest
      } = params
      if (!confirm) throw invalidRequest('The Stripe fake requires `confirm`.')
      if (!payment_method) {
        throw invalidRequest(
          'You cannot confirm this PaymentIntent because it’s missing a payment method.',
        )
      }
      const { intent, charge } = takePayment(store, {
        ...rest,
        customer: customer ? store.customers.named(customer, 'customer').id : null,
        email: receipt_email,
        description,
        order: null,
      })
      emit(['charge.succeeded', charge], ['payment_intent.succeeded', intent])
      return answer(c, store, intent)
    })
    .route(
      '/',
      readable(store, '/v1/payment_intents', store.paymentIntents, {
        customer: (intent, id) => idOf(intent.customer) === id,
      }),
    )
    .route(
      '/',
      readable(store, '/v1/charges', store.charges, {
        customer: (charge, id) => idOf(charge.customer) === id,
        payment_intent: (charge, id) => idOf(charge.payment_intent) === id,
      }),
    )
