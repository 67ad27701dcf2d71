/** Errors for callers: one table of codes, one JSON shape, no internals. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { namesDeletedRow } from '../db/deleted-rows.ts'
import { Unavailable } from '../platform/unavailable.ts'
import type { ErrorResponse } from './common.responses.ts'

/** The status of each error code. api/error-reference.ts has when each occurs, and the remedy. */
export const ERROR_STATUS = {
  invalid_body: 400,
  invalid_query: 400,
  too_many_rows: 400,
  currency_mismatch: 400,
  invalid_idempotency_key: 400,
  invalid_signature: 400,
  invalid_api_key: 401,
  not_signed_in: 401,
  manager_required: 403,
  insufficient_scope: 403,
  fresh_sign_in_required: 403,
  passkey_required: 403,
  signup_closed: 403,
  cross_site_request: 403,
  not_found: 404,
  partner_not_found: 404,
  conflict: 409,
  links_unconfirmed: 409,
  idempotency_key_reused: 409,
  preview_changed: 409,
  commission_id_required: 409,
  coupon_taken: 409,
  slug_taken: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  unreadable_event: 422,
  rate_limited: 429,
  internal: 500,
  try_again: 503,
} as const satisfies Record<string, ContentfulStatusCode>

export type ErrorCode = keyof typeof ERROR_STATUS

export type ErrorDetail = { path: string; message: string }

/** An error for the caller. The message says what was wrong and what to do next. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Whole seconds after which to retry. */
  readonly retryAfter: number | undefined
  /** Further fields of the response, next to `error`. */
  readonly more: object | undefined

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: ErrorDetail[]; retryAfter?: number; more?: object } = {},
  ) {
    super(message)
    this.code = code
    this.details = extra.details
    this.retryAfter = extra.retryAfter
    this.more = extra.more
  }
}

/**
 * Any error as an error for the caller. An unexpected one becomes `internal`, without its message.
 * A reference to a row that was deleted meanwhile becomes `try_again`: a retry finds it gone.
 */
export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable || namesDeletedRow(error)) {
    return new ApiError(
      'try_again',
      'The server could not confirm that the request was saved. Retry the same request.',
      {
        // Most outages of a database last less than a second.
        retryAfter: 1,
      },
    )
  }
  return new ApiError('internal', 'An internal error occurred. Retry later.')
}

export const errorBody = (c: Context, { code, message, details }: ApiError): ErrorResponse => ({
  error: {
    code,
    message,
    ...(details && { details }),
    requestId: c.get('requestId'),
    docUrl: new URL(`/docs/errors#${code}`, c.req.url).href,
  },
})

export const setErrorHeaders = (c: Context, { code, retryAfter }: ApiError): void => {
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  if (code === 'invalid_api_key') c.header('WWW-Authenticate', 'Bearer')
}

/** The response for an error: `{"error": {code, message, details?, requestId, docUrl}}`. */
export const errorResponse = (c: Context, error: ApiError): Response => {
  setErrorHeaders(c, error)
  return c.json<ErrorResponse>({ ...errorBody(c, error), ...error.more }, ERROR_STATUS[error.code])
}
