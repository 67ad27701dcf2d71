/** The event types of connected accounts to subscribe to: those of Accounts v1 and of v2. One of the two suffices. */
export const CONNECT_EVENTS = [
  'account.updated',
  'v2.core.account[requirements].updated',
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account.closed',
] as const

/** The event types of the merchant's own account to subscribe to. */
export const STRIPE_EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'invoice.paid',
  'invoice_payment.paid',
  'payment_intent.succeeded',
  'customer.created',
  'customer.updated',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.discount.created',
  'customer.discount.updated',
  'customer.discount.deleted',
  'credit_note.created',
  'credit_note.voided',
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
  'transfer.reversed',
] as const

/** The event types of the merchant's own account that an endpoint does not receive. `*` stands for all. */
export const findMissingEvents = (sent: string[]): string[] =>
  sent.includes('*') ? [] : STRIPE_EVENTS.filter((type) => !sent.includes(type))
