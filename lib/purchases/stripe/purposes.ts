/**
 * Whose events an endpoint receives: the merchant's own account's, or those of connected accounts.
 * Stripe keeps them apart.
 */
export const SECRET_PURPOSES = ['account', 'connected_accounts'] as const
export type SecretPurpose = (typeof SECRET_PURPOSES)[number]
