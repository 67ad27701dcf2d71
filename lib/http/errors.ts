/** Errors as callers see them: one table of codes, one shape, and nothing that isn't meant for them. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Unavailable } from '../unavailable.ts'
import type { ErrorResponse } from './common.responses.ts'

/** Every code that an answer may carry: its status, when it happens, and what the caller does about it. */
export const ERRORS = {
  invalid_body: [
    400,
    'The body is not JSON, or a field is missing or out of its limits.',
    'Correct the fields that `details` names; repeating the same call will not help.',
  ],
  invalid_query: [
    400,
    'A query parameter has a value that the list does not take.',
    'Correct the parameters that `details` names.',
  ],
  too_many_rows: [
    400,
    'An import has more rows than one call takes.',
    'Send no more rows in one call than the endpoint’s limit, and the rest in further calls.',
  ],
  invalid_signature: [
    400,
    'The request is not signed by Stripe with a signing secret of the workspace, or was signed too long ago.',
    'Check the workspace in the address, and that the signing secret of this endpoint is set on the page Stripe.',
  ],
  invalid_api_key: [
    401,
    'The API key is missing, malformed, unknown or revoked.',
    'Send a live key of the workspace: `Authorization: Bearer trib_live_...`.',
  ],
  not_signed_in: [
    401,
    'There is no session, or it has ended.',
    'Sign in at `/sign-in`, and repeat the call with the session’s cookie.',
  ],
  manager_required: [
    403,
    'Only a manager of the workspace may do this.',
    'Ask a manager of the workspace to do it, or to make you one.',
  ],
  signup_closed: [
    403,
    'New workspaces are not made here by everybody.',
    'Ask whoever runs this installation.',
  ],
  cross_site_request: [
    403,
    'The request came from a page of another site, with the session of this one.',
    'Send it from a page of this site, or without an `Origin` header.',
  ],
  not_found: [
    404,
    'There is nothing at this address, or it belongs to another workspace.',
    'Check the address, the workspace and the id.',
  ],
  partner_not_found: [
    404,
    'The program has no active partner with this slug.',
    'Check the link: the partner may be banned, or the slug misspelt.',
  ],
  conflict: [
    409,
    'What is there already stands in the way.',
    'Read what the message names, and choose another.',
  ],
  coupon_taken: [
    409,
    'The coupon belongs to another partner of the workspace.',
    'Remove it there first: a coupon never moves by itself.',
  ],
  body_too_large: [
    413,
    'The body is larger than the endpoint takes.',
    'Send less: 64 KiB is the most for a tracking call, 1 MiB for an import.',
  ],
  unsupported_media_type: [
    415,
    'The body was not announced as JSON.',
    'Send the header `Content-Type: application/json`.',
  ],
  rate_limited: [
    429,
    'Too many calls at once.',
    'Wait as many seconds as `Retry-After` says, and repeat the call.',
  ],
  internal: [
    500,
    'Something is broken on our side, and it has been logged.',
    'Repeat the call later; if it goes on, report the `requestId`.',
  ],
  try_again: [
    503,
    'The database could not confirm in time that the call was saved.',
    'Repeat the very same call after `Retry-After` seconds: a report with the same `externalId`, and an import, is never counted twice.',
  ],
} as const satisfies Record<string, readonly [status: ContentfulStatusCode, when: string, remedy: string]>

export type ErrorCode = keyof typeof ERRORS

export type ErrorDetail = { path: string; message: string }

/** An error that the caller is told of. The message says what was wrong and what to do next. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  /** Seconds after which the call may be repeated, whole. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: ErrorDetail[]; retryAfter?: number } = {},
  ) {
    super(message)
    this.code = code
    this.details = extra.details
    this.retryAfter = extra.retryAfter
  }
}

/** What any error is to the caller. What we did not foresee is `internal`, and says nothing of itself. */
export const toApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) {
    return new ApiError('try_again', 'We could not confirm that this was saved. Repeat the call as it is.', {
      // Most of what makes a database unavailable passes within a second.
      retryAfter: 1,
    })
  }
  return new ApiError('internal', 'Something went wrong on our side. Repeat the call later.')
}

/** The answer for an error: `{"error": {code, message, details?, requestId, docUrl}}`. */
export const errorResponse = (c: Context, error: ApiError): Response => {
  const { code, message, details, retryAfter } = error
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  if (code === 'invalid_api_key') c.header('WWW-Authenticate', 'Bearer')
  return c.json<ErrorResponse>(
    {
      error: {
        code,
        message,
        ...(details && { details }),
        requestId: c.get('requestId'),
        docUrl: new URL(`/docs/errors#${code}`, c.req.url).href,
      },
    },
    ERRORS[code][0],
  )
}
