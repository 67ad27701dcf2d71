/** Codes of errors that are not from the API. */
type LocalCode =
  /** There was no response: the network, DNS or TLS failed. */
  | 'connection_failed'
  /** The deadline passed, or would pass before the next attempt. */
  | 'deadline_exceeded'
  /** The response is not the API's: check the URL, and proxies. */
  | 'unexpected_response'

/** `(string & {})` keeps the completion of the known codes. */
export type ErrorCode =
  | LocalCode
  | 'invalid_body'
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'currency_mismatch'
  | 'body_too_large'
  | 'rate_limited'
  | 'internal'
  | 'try_again'
  | (string & {})

type Details = {
  /** The status of the last response, if there was one. */
  status?: number | undefined
  requestId?: string | undefined
  docUrl?: string | undefined
  details?: { path: string; message: string }[] | undefined
  body?: string | undefined
  retryable: boolean
  cause?: unknown
}

/** A request that failed, after all attempts. */
export class TributaryError extends Error {
  override name = 'TributaryError'
  /** Stable: safe to compare in code. */
  readonly code: ErrorCode
  /** The status of the last response; undefined if there was none. */
  readonly status: number | undefined
  /** Identifies the request in Tributary's logs. */
  readonly requestId: string | undefined
  /** The page that describes the code. */
  readonly docUrl: string | undefined
  /** The invalid fields. */
  readonly details: { path: string; message: string }[] | undefined
  /** The last response's body as it was received, at most 2,000 characters. */
  readonly body: string | undefined
  /**
   * Whether the same request may succeed later: queue it. The event may be recorded already;
   * repeating it is safe, because of its `externalId`. If false, the request needs a change.
   */
  readonly retryable: boolean
  /** How many requests were sent. */
  attempts = 0

  constructor(code: ErrorCode, message: string, more: Details) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.status = more.status
    this.requestId = more.requestId
    this.docUrl = more.docUrl
    this.details = more.details
    this.body = more.body?.slice(0, 2_000)
    this.retryable = more.retryable
  }
}

type ApiErrorBody = {
  code?: unknown
  message?: unknown
  requestId?: string
  docUrl?: string
} & Pick<Details, 'details'>

const readError = (body: string): ApiErrorBody | undefined => {
  try {
    return (JSON.parse(body) as { error?: ApiErrorBody } | null)?.error
  } catch {
    return undefined
  }
}

/** The error of a response. 429 and 5xx are retryable. */
export const errorOf = (status: number, body: string): TributaryError => {
  const { code, message, requestId, docUrl, details } = readError(body) ?? {}
  const retryable = status === 429 || status >= 500
  const more = { status, body, retryable, requestId, docUrl, details }
  return typeof code === 'string' && typeof message === 'string'
    ? new TributaryError(code, message, more)
    : new TributaryError('unexpected_response', `Tributary answered ${status}.`, more)
}
