/** Signs the sessions of all tests. Any text of 32 characters or more works. */
export const AUTH_SECRET = 'only-for-tests-and-known-to-anybody-who-reads'

/** Encrypts the signing secrets and keys of all tests. */
export const SECRETS_KEY = 'also-only-for-tests-and-known-to-anybody'

/** The inbox accepts any key with Resend's prefix. */
export const RESEND_API_KEY = 're_test'

/**
 * Signs the reports of the mail provider in all tests, in the form that Standard Webhooks asks for.
 */
export const RESEND_WEBHOOK_SECRET = `whsec_${btoa('only-for-tests-and-known')}`

/** The same of the account that sends bulk mail. */
export const RESEND_BULK_WEBHOOK_SECRET = `whsec_${btoa('another-one-for-tests')}`

/** A new Stripe account's key. */
export const stripeKey = (): string => `sk_test_${crypto.randomUUID().replaceAll('-', '')}`

/** A new webhook signing secret. */
export const signingSecret = (): string => `whsec_${crypto.randomUUID().replaceAll('-', '')}`
