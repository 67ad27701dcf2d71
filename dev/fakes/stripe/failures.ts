/** Failures that tests and the overview can inject into calls of the API. */
import { StripeError } from './errors.ts'

export type StripeFailure =
  /** An API error. Nothing is done, and nothing is stored under the idempotency key. */
  | { status: 402 | 409 | 429 | 500 | 503; code?: string; message?: string }
  /**
   * An error stored under the idempotency key. The response doesn't say whether the request was
   * carried out.
   */
  | { status: 500; kept: 'done' | 'undone' }
  /** No response. Nothing is done. */
  | 'silence'
  /** The request is carried out; no response. */
  | 'silence_after'
  /** The connection is closed. Nothing is done. */
  | 'cut_before'
  /** The request is carried out, and the connection is closed before the response. */
  | 'cut_after'
  /** A proxy responds with an HTML page. Nothing is done. */
  | 'garbage'

/** The failures by their names in a form; `pass` lets a call succeed. */
const BY_NAME: Readonly<Record<string, StripeFailure | null>> = {
  pass: null,
  silence: 'silence',
  silence_after: 'silence_after',
  cut_before: 'cut_before',
  cut_after: 'cut_after',
  garbage: 'garbage',
  '429': { status: 429, code: 'rate_limit' },
  '500': { status: 500 },
  '503': { status: 503 },
  kept_done: { status: 500, kept: 'done' },
  kept_undone: { status: 500, kept: 'undone' },
}

/** Parses failures, such as `cut_after 429 pass`. @throws on an unknown name */
export const readFailures = (names: string): (StripeFailure | null)[] =>
  names
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((name) => {
      const failure = BY_NAME[name]
      if (failure !== undefined) return failure
      const known = Object.keys(BY_NAME).join(', ')
      throw new StripeError(400, { message: `Unknown failure "${name}". Use one of: ${known}.` })
    })
