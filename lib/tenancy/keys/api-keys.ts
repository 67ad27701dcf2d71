/** What API keys may do. */

/**
 * `track` reports sales and leads, `read` reads, `write` changes partners, coupons, groups and
 * earnings; `clicks` lets a proxy under the merchant's domain say which address a click comes from,
 * and nothing else.
 */
export const API_KEY_SCOPES = ['track', 'read', 'write', 'clicks'] as const
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

/** What a backend that reports sales needs. */
export const DEFAULT_SCOPES: ApiKeyScope[] = ['track', 'read']

/**
 * How long the former key works after a rotation, in hours: while a backend is deployed, and at
 * most a week.
 */
export const OVERLAPS = { default: 24, max: 168 } as const
