/** Disputes: the buyer's bank withdraws a payment until the dispute is closed. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { invalidRequest } from './errors.ts'
import type { NewEvent } from './event-shapes.ts'
import { readParams } from './params.ts'
import { findCharge } from './payments.ts'
import { answer, readable } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** How long the merchant has to submit evidence. */
const WEEK_SECONDS = 7 * 24 * 60 * 60

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}

/** Opens a dispute. @param payment the id of a charge or a payment intent */
export const dispute = (store: Store, { emit }: Webhooks, payment: string): Stripe.Dispute => {
  const charge = findCharge(store, payment)
  if (charge.disputed) throw invalidRequest(`Charge ${charge.id} is already disputed.`)
  charge.disputed = true
  const created = store.seconds()
  const made = store.disputes.add({
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: created + WEEK_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand: 'visa',
        case_type: 'chargeback',
        network: 'visa',
        network_reason_code: '10.4',
      },
      type: 'card',
    },
    reason: 'fraudulent',
    status: 'needs_response',
  })
  emit(['charge.dispute.created', made], ['charge.dispute.funds_withdrawn', made])
  return made
}

/** Closes a dispute. Winning returns the money to the merchant. */
export const closeDispute = (
  store: Store,
  { emit }: Webhooks,
  id: string,
  status: 'won' | 'lost',
): Stripe.Dispute => {
  const closed = store.disputes.get(id)
  if (closed.status === 'won' || closed.status === 'lost')
    throw invalidRequest('This dispute is already closed')
  closed.status = status
  const reinstated: NewEvent[] =
    status === 'won' ? [['charge.dispute.funds_reinstated', closed]] : []
  emit(['charge.dispute.updated', closed], ...reinstated, ['charge.dispute.closed', closed])
  return closed
}

export const disputeRoutes = (store: Store, webhooks: Webhooks) =>
  new Hono()
    .post('/v1/disputes/:id/close', async (c) => {
      await readParams(c, {})
      return answer(c, store, closeDispute(store, webhooks, c.req.param('id'), 'lost'))
    })
    .route(
      '/',
      readable(store, '/v1/disputes', store.disputes, {
        charge: (one, id) => idOf(one.charge) === id,
        payment_intent: (one, id) => idOf(one.payment_intent) === id,
      }),
    )
