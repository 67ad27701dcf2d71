/** Errors in Stripe's format. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** Stripe's error object; `param` names the invalid parameter. */
type ErrorObject = {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error'
  code?: string
  message: string
  param?: string
}

type ErrorFields = Omit<ErrorObject, 'type'> & { type?: ErrorObject['type'] }

/** An error response. */
export class StripeError extends Error {
  readonly status: ContentfulStatusCode
  /** Whether execution had begun: only then is the response stored under the idempotency key. */
  readonly begun: boolean
  readonly body: { error: ErrorObject }

  constructor(
    status: ContentfulStatusCode,
    fields: ErrorFields,
    { begun = true }: { begun?: boolean } = {},
  ) {
    super(fields.message)
    this.status = status
    this.begun = begun
    this.body = { error: { type: 'invalid_request_error', ...fields } }
  }
}

/** A parameter that is invalid in the account's current state. */
export const invalidParam = (
  param: string,
  message: string,
  code = 'parameter_invalid',
): StripeError => new StripeError(400, { code, message, param })

/** A malformed parameter: invalid in any state. */
export const malformedParam = (
  param: string,
  message: string,
  code = 'parameter_invalid',
): StripeError => new StripeError(400, { code, message, param }, { begun: false })

/** A request that the current state doesn't allow. */
export const invalidRequest = (message: string, code?: string): StripeError =>
  new StripeError(400, { message, ...(code && { code }) })

/** The response to an unknown route. */
export const unknownRoute = (method: string, path: string): StripeError =>
  new StripeError(404, {
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  })
