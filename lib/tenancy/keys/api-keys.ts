/** What API keys may do. */

/**
 * `track` reports sales and leads, `read` reads, and `write` changes partners, coupons, groups and
 * earnings. `clicks` only lets a proxy on the merchant's domain send the address of a click's
 * visitor.
 */
export const API_KEY_SCOPES = ['track', 'read', 'write', 'clicks'] as const
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

/** What a backend that reports sales needs. */
export const DEFAULT_SCOPES: ApiKeyScope[] = ['track', 'read']

/** How long the former key works after a rotation, in hours: long enough for a deployment. */
export const OVERLAPS = { default: 24, max: 168 } as const
