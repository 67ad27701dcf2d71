/**
 * The beginning of the ids of Stripe invoices, payment intents, charges (and their older form,
 * payments) and checkouts.
 */
const STRIPE_ID = /^(in|pi|ch|py|cs)_/

/**
 * Whether an id is of a Stripe invoice, payment intent, charge (or its older form, a payment) or
 * checkout session.
 */
export const isStripeId = (id: string): boolean => STRIPE_ID.test(id)

/** Whether an id is of a Stripe customer. */
export const isStripeCustomerId = (id: string): boolean => id.startsWith('cus_')
