/**
 * The events that tell of partners' accounts, by the older way and the newer one: either will do. A webhook for
 * connected accounts should be told to send them.
 */
export const CONNECT_EVENTS = [
  'account.updated',
  'v2.core.account[requirements].updated',
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account.closed',
] as const

/** The events that a webhook of Stripe's should be told to send: what happens to money, and to whose it was. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'invoice.paid',
  'invoice_payment.paid',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.refund.updated',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const
