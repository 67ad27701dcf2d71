/** The event types about the payouts of connected accounts to their owners' banks. */
const ACCOUNT_PAYOUT_EVENTS = ['payout.paid', 'payout.failed'] as const

/**
 * The event types of connected accounts to subscribe to: those about payouts, and those about
 * accounts of v1 or of v2, of which either suffice.
 */
export const CONNECT_EVENTS = [
  ...ACCOUNT_PAYOUT_EVENTS,
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
  'charge.succeeded',
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

/** Says with which card a payment was made. Sales, refunds and coupons count without it. */
const OPTIONAL_EVENT: (typeof STRIPE_EVENTS)[number] = 'charge.succeeded'

/** Ties a payment to its invoice: since API 2025-03-31, nothing else does. */
export const INVOICE_PAYMENT: (typeof STRIPE_EVENTS)[number] = 'invoice_payment.paid'

/** The event types that an endpoint needs and does not receive. `*` stands for all. */
export const findMissingEvents = (sent: string[]): string[] =>
  sent.includes('*')
    ? []
    : STRIPE_EVENTS.filter((type) => type !== OPTIONAL_EVENT && !sent.includes(type))

/**
 * The event types about connected accounts that no endpoint receives. Those about accounts are not
 * among them, because Stripe does not list destinations of v2 events with the endpoints.
 */
export const findMissingConnectEvents = (sent: string[]): string[] =>
  sent.includes('*') ? [] : ACCOUNT_PAYOUT_EVENTS.filter((type) => !sent.includes(type))
