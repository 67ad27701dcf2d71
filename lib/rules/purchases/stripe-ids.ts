/** Stripe invoices, payment intents, charges (in their older form, payments) and checkouts. */
const STRIPE_ID = /^(in|pi|ch|py|cs)_/

/** Whether an id is of a Stripe object that stands for a purchase. */
export const isStripeId = (id: string): boolean => STRIPE_ID.test(id)

export const isStripeCustomerId = (id: string): boolean => id.startsWith('cus_')
