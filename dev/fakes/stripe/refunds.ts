/** Full and partial refunds. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import * as z from 'zod'
import { invalidParam, invalidRequest } from './errors.ts'
import { integer, metadata, readParams, text } from './params.ts'
import { findCharge } from './payments.ts'
import { answer, readable } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

type RefundParams = {
  /** The id of a charge or a payment intent. */
  payment: string
  /** By default, the amount not refunded yet. */
  amount?: number | undefined
  reason?: Stripe.Refund.Reason | undefined
  metadata?: Record<string, string> | undefined
}

/** Updates a charge's refunded amount. */
const recount = (charge: Stripe.Charge, difference: number): void => {
  charge.amount_refunded += difference
  charge.refunded = charge.amount_refunded === charge.amount
}

/** Refunds a payment. @throws when the amount exceeds what is left */
export const refund = (
  store: Store,
  { emit }: Webhooks,
  { payment, amount, reason, metadata = {} }: RefundParams,
): Stripe.Refund => {
  const charge = findCharge(store, payment)
  const left = charge.amount - charge.amount_refunded
  if (left === 0) {
    throw invalidRequest(
      `Charge ${charge.id} has already been refunded.`,
      'charge_already_refunded',
    )
  }
  if (charge.disputed) {
    throw invalidRequest(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      'charge_disputed',
    )
  }
  const refunded = amount ?? left
  if (refunded > left) {
    throw invalidParam(
      'amount',
      `Refund amount (${refunded}) is greater than unrefunded amount on charge (${left})`,
    )
  }
  recount(charge, refunded)
  const made = store.refunds.add({
    id: newId('re'),
    object: 'refund',
    amount: refunded,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: store.seconds(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: { card: { type: 'reversal' }, type: 'card' },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  })
  emit(
    ['charge.refunded', charge],
    ['refund.created', made],
    ['refund.updated', made],
    ['charge.refund.updated', made],
  )
  return made
}

/**
 * Makes a checkout's payment one that was captured later, and in part: its checkout completed
 * unpaid, and the rest was released, as a refund.
 */
export const captureInPart = (
  store: Store,
  webhooks: Webhooks,
  payment: string,
  captured: number,
): void => {
  const charge = findCharge(store, payment)
  refund(store, webhooks, { payment, amount: charge.amount - captured })
  charge.amount_captured = captured
  store.paymentIntents.get(payment).amount_received = captured
  for (const session of store.sessions.list()) {
    if (idOf(session.payment_intent) === payment) session.payment_status = 'unpaid'
  }
}

/** Fails a refund: the bank returns the money to the merchant. */
export const failRefund = (store: Store, { emit }: Webhooks, id: string): Stripe.Refund => {
  const failed = store.refunds.get(id)
  const charge = store.charges.get(idOf(failed.charge) ?? '')
  if (failed.status === 'failed') throw invalidRequest(`Refund ${id} has already failed.`)
  recount(charge, -failed.amount)
  Object.assign(failed, { status: 'failed', failure_reason: 'expired_or_canceled_card' })
  emit(['refund.failed', failed], ['refund.updated', failed], ['charge.refund.updated', failed])
  return failed
}

export const refundRoutes = (store: Store, webhooks: Webhooks) =>
  new Hono()
    .post('/v1/refunds', async (c) => {
      const { charge, payment_intent, ...rest } = await readParams(c, {
        charge: text.optional(),
        payment_intent: text.optional(),
        amount: integer.pipe(z.int().min(1)).optional(),
        reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
        metadata: metadata.optional(),
      })
      const payment = payment_intent ?? charge
      if (!payment) {
        throw invalidRequest(
          'One of the following params should be provided for this request: payment_intent or charge.',
        )
      }
      return answer(c, store, refund(store, webhooks, { payment, ...rest }))
    })
    .route(
      '/',
      readable(store, '/v1/refunds', store.refunds, {
        charge: (one, id) => idOf(one.charge) === id,
        payment_intent: (one, id) => idOf(one.payment_intent) === id,
      }),
    )
