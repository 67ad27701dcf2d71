/** What goes wrong with Stripe, as far as it matters to whoever asked: is it for good, for now, or unknown? */
import Stripe from 'stripe'

/** In one line of at most 300 characters, without secrets. */
type Message = { message: string }

export type Failure =
  /** For good. `isAccount`: for the sake of the account that it was about, which may be closed. */
  | ({ kind: 'refused'; code: string; isAccount: boolean } & Message)
  /** The merchant's balance is too small. Stripe keeps saying so under the same idempotency key. */
  | ({ kind: 'no_funds' } & Message)
  /** It may have been done, or not: the same key will tell. */
  | ({ kind: 'unclear' } & Message)
  /** Stripe doesn't take the merchant's key, or not for this. */
  | ({ kind: 'locked_out' } & Message)

/** What a call throws that could not do what it was to do. */
export class ConnectError extends Error {
  override name = 'ConnectError'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

const MAX_MESSAGE_LENGTH = 300

/** Stripe's words as they may be stored and shown. It cuts keys short itself, which is not relied on. */
const wordsOf = (error: unknown): string => {
  const words = error instanceof Error ? error.message : 'Stripe gave no reason.'
  return (
    words
      .replace(/\b(?:sk|rk)_[\w*]+/g, 'the key')
      .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_MESSAGE_LENGTH)
      // Half a character, which no database takes.
      .replace(/\p{Cs}$/u, '')
  )
}

/** Codes of what is wrong with the account at the other end, rather than with the request. */
const ACCOUNT_CODES = new Set([
  'not_found',
  'resource_missing',
  'account_invalid',
  'account_closed',
  'insufficient_capabilities_for_transfer',
  'no_account',
  'transfers_not_allowed',
])
/** Codes of what is wrong with the merchant's key or account, whatever the status. */
const PLATFORM_CODES = new Set([
  'api_key_expired',
  'platform_api_key_expired',
  'platform_account_required',
  'secret_key_required',
])
const NO_FUNDS_CODES = new Set(['balance_insufficient', 'insufficient_funds'])
/** Statuses that say "not now": conflicts of keys and locks, timeouts and limits. */
const PASSING_STATUSES = new Set([408, 409, 425, 429])

/**
 * What an error of the stripe package means. Whatever is not surely an answer of Stripe's leaves open what was done.
 */
export const failureOf = (error: unknown): Failure => {
  const message = wordsOf(error)
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'unclear', message }
  const { statusCode: status = 0, code = '', param = '', rawType } = error
  if (status < 400 || status >= 500 || PASSING_STATUSES.has(status)) return { kind: 'unclear', message }
  // Under one key there is one request: another one with the same key is a mistake of ours, and sends nothing.
  if (rawType === 'idempotency_error' || code === 'rate_limit') return { kind: 'unclear', message }
  if (NO_FUNDS_CODES.has(code)) return { kind: 'no_funds', message }
  const isAccount = ACCOUNT_CODES.has(code) || param === 'destination'
  if (isAccount) return { kind: 'refused', code: code || 'refused', message, isAccount }
  if (status === 401 || status === 403 || PLATFORM_CODES.has(code)) return { kind: 'locked_out', message }
  return { kind: 'refused', code: code || 'refused', message, isAccount }
}
