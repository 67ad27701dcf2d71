/** Whose events an endpoint receives: Stripe sends those of connected accounts apart. */
export const SECRET_PURPOSES = ['account', 'connected_accounts'] as const
export type SecretPurpose = (typeof SECRET_PURPOSES)[number]
