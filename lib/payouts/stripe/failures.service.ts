/** Classifies Stripe's errors: permanent, temporary or unknown. */
import Stripe from 'stripe'

/** One line of at most 300 characters, without secrets. */
type Message = { message: string }

export type Failure =
  /** Permanent. `isAccount`: because of the connected account, which may be closed. */
  | ({ kind: 'refused'; code: string; isAccount: boolean } & Message)
  /** The merchant's balance is too low. Stripe repeats this error for the same idempotency key. */
  | ({ kind: 'no_funds' } & Message)
  /** The request may have succeeded: repeat it with the same key. */
  | ({ kind: 'unclear' } & Message)
  /** Stripe rejects the merchant's key, or the key lacks permission. */
  | ({ kind: 'locked_out' } & Message)

/** A failed call of Stripe's API. */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

const MAX_MESSAGE_LENGTH = 300

/** An error's message, safe to store and show: without keys, though Stripe masks them too. */
const safeMessage = (error: unknown): string => {
  const message = error instanceof Error ? error.message : 'Stripe gave no reason.'
  return (
    message
      .replace(/\b(?:sk|rk)_[\w*]+/g, 'the key')
      .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_MESSAGE_LENGTH)
      // Half a surrogate pair, which Postgres rejects.
      .replace(/\p{Cs}$/u, '')
  )
}

/** Error codes about the connected account. */
const ACCOUNT_CODES = new Set([
  'not_found',
  'resource_missing',
  'account_invalid',
  'account_closed',
  'insufficient_capabilities_for_transfer',
  'no_account',
  'transfers_not_allowed',
])
/** Error codes about the merchant's key or account, whatever the status. */
const PLATFORM_CODES = new Set([
  'api_key_expired',
  'platform_api_key_expired',
  'platform_account_required',
  'secret_key_required',
])
const NO_FUNDS_CODES = new Set(['balance_insufficient', 'insufficient_funds'])
/** Temporary: conflicts, timeouts and rate limits. */
const TRANSIENT_STATUSES = new Set([408, 409, 425, 429])

/** Classifies an error of the stripe package. `unclear` is not certainly Stripe's response. */
export const failureOf = (error: unknown): Failure => {
  const message = safeMessage(error)
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'unclear', message }
  const { statusCode: status = 0, code = '', param = '', rawType } = error
  if (status < 400 || status >= 500 || TRANSIENT_STATUSES.has(status))
    return { kind: 'unclear', message }
  // The key was used with other parameters: our mistake, and nothing was sent.
  if (rawType === 'idempotency_error' || code === 'rate_limit') return { kind: 'unclear', message }
  if (NO_FUNDS_CODES.has(code)) return { kind: 'no_funds', message }
  const isAccount = ACCOUNT_CODES.has(code) || param === 'destination'
  if (isAccount) return { kind: 'refused', code: code || 'refused', message, isAccount }
  if (status === 401 || status === 403 || PLATFORM_CODES.has(code))
    return { kind: 'locked_out', message }
  return { kind: 'refused', code: code || 'refused', message, isAccount }
}

/** What Stripe answers, or `otherwise` if the call failed. */
export const orIfFailed = <T, Otherwise>(
  answer: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> =>
  answer.catch((error: unknown) => {
    if (error instanceof ConnectError) return otherwise
    throw error
  })

/** Calls Stripe. @throws {ConnectError} */
export const call = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new ConnectError(failureOf(error))
  }
}
