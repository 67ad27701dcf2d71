/** Signs the sessions of all tests: any text of 32 characters or more will do. */
export const AUTH_SECRET = 'only-for-tests-and-known-to-anybody-who-reads'

/** Encrypts the signing secrets and keys of all tests. */
export const SECRETS_KEY = 'also-only-for-tests-and-known-to-anybody'

/** The inbox takes any key that begins as Resend's do. */
export const RESEND_API_KEY = 're_test'

/** The key of a Stripe account: a new one's each time. */
export const stripeKey = (): string => `sk_test_${crypto.randomUUID().replaceAll('-', '')}`

/** What Stripe signs with: a new one each time, as Stripe makes them. */
export const signingSecret = (): string => `whsec_${crypto.randomUUID().replaceAll('-', '')}`
