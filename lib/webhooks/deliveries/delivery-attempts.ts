/** One request to an endpoint, and what came of it: an element of webhook_deliveries.tries. */
export type Try = {
  /** ISO 8601. */
  at: string
  /** The status of the response; null without one. */
  status: number | null
  /** The time until the response was read. */
  ms: number
  /** Why it did not succeed; null if it did. */
  error: TryError | null
  /** The beginning of the response's body. */
  response: string | null
}

export const TRY_ERRORS = [
  /** The response was not 2xx. */
  'status',
  'timeout',
  /** No connection, or it was lost. */
  'unreachable',
  /** The URL is one that webhooks are not sent to. */
  'refused_url',
  /** The endpoint was disabled or removed before. */
  'endpoint_disabled',
  /** SECRETS_KEY does not decrypt the signing secret. */
  'unreadable_secret',
  /** What it is about does not exist any more. */
  'no_subject',
] as const
export type TryError = (typeof TRY_ERRORS)[number]

export const MAX_TRIES = 20

/** A try without a request. */
export const notTried = (error: TryError, now: Date): Try => ({
  at: now.toISOString(),
  status: null,
  ms: 0,
  error,
  response: null,
})
