/** Whether an id is of a Stripe invoice, payment intent, charge (or its older form, a payment) or checkout session. */
export const isStripeId = (id: string): boolean => /^(in|pi|ch|py|cs)_/.test(id)

/** Whether an id is of a Stripe customer. */
export const isStripeCustomerId = (id: string): boolean => id.startsWith('cus_')
