/** Refusals, as Stripe words them. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** What Stripe says of an error; `param` names what was wrong with the request. */
type Fault = {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error'
  code?: string
  message: string
  param?: string
}

type Told = Omit<Fault, 'type'> & { type?: Fault['type'] }

/** A request that Stripe refuses. */
export class Refusal extends Error {
  readonly status: ContentfulStatusCode
  /** Whether the endpoint had begun: only then is the answer kept under an idempotency key. */
  readonly begun: boolean
  readonly body: { error: Fault }

  constructor(status: ContentfulStatusCode, fault: Told, { begun = true }: { begun?: boolean } = {}) {
    super(fault.message)
    this.status = status
    this.begun = begun
    this.body = { error: { type: 'invalid_request_error', ...fault } }
  }
}

/** A parameter that is wrong. */
export const badParam = (param: string, message: string, code = 'parameter_invalid'): Refusal =>
  new Refusal(400, { code, message, param })

/** A parameter that is wrong by itself, whatever the account holds. */
export const malformed = (param: string, message: string, code = 'parameter_invalid'): Refusal =>
  new Refusal(400, { code, message, param }, { begun: false })

/** Something that is not so now, whatever the parameters. */
export const notNow = (message: string, code?: string): Refusal =>
  new Refusal(400, { message, ...(code && { code }) })

/** The answer to a path that is none of Stripe's, or that the fake doesn't know. */
export const unknownRoute = (method: string, path: string): Refusal =>
  new Refusal(404, {
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  })
