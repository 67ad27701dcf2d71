import { errorOf, TributaryError } from './errors.ts'

export type CallOptions = {
  /**
   * Cancels the call, also while it waits for the next attempt. The promise rejects with the
   * signal's reason.
   */
  signal?: AbortSignal | undefined
  /** The longest time of the call with all its attempts, in milliseconds. */
  deadlineMs?: number | undefined
}

/**
 * Longer than the nine seconds within which Tributary responds: after that, the connection is lost.
 */
const ATTEMPT_MS = 12_000
/** The upper limit of the first pause. It doubles with each attempt. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8_000

/**
 * Full jitter: a random time up to the limit, so that clients that failed together don't retry
 * together.
 */
const pauseOf = (attempt: number): number =>
  Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))

/** @returns milliseconds, from seconds or an HTTP date; 0 if the header is missing or invalid */
const readRetryAfter = (header: string | null): number => {
  if (!header) return 0
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return ms > 0 ? ms : 0
}

/** Resolves after a pause, or rejects with the signal's reason. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

type Answer = { response: Response; body: string }
type Attempt = Answer | { error: TributaryError; retryAfterMs: number }

const isRedirect = ({ status, type }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)

/** @throws the reason of the caller's signal */
const attempt = async (
  send: (signal: AbortSignal) => Promise<Response>,
  ms: number,
  caller?: AbortSignal,
) => {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), Math.min(ATTEMPT_MS, ms))
  const abort = () => timeout.abort(caller?.reason)
  caller?.addEventListener('abort', abort, { once: true })
  try {
    const response = await send(timeout.signal)
    // The timeout covers the body too, which may stop halfway.
    const body = await response.text()
    if (isRedirect(response)) {
      const message = 'Tributary answered with a redirect, which is not followed. Check the URL.'
      return {
        error: new TributaryError('unexpected_response', message, { retryable: false }),
        retryAfterMs: 0,
      }
    }
    if (response.ok) return { response, body }
    return {
      error: errorOf(response.status, body),
      retryAfterMs: readRetryAfter(response.headers.get('Retry-After')),
    }
  } catch (cause) {
    caller?.throwIfAborted()
    const reason = timeout.signal.aborted ? 'timed out' : String((cause as Error)?.message ?? cause)
    const message = `No response from Tributary: ${reason}.`
    return {
      error: new TributaryError('connection_failed', message, { retryable: true, cause }),
      retryAfterMs: 0,
    }
  } finally {
    clearTimeout(timer)
    caller?.removeEventListener('abort', abort)
  }
}

/**
 * Sends a request until it succeeds, is refused, or the deadline passes.
 *
 * @param send sends one attempt.
 * @param once for requests that are not safe to repeat
 * @throws {TributaryError} the last attempt's error, at once if the next attempt would come after
 *   the deadline
 * @throws the reason of the signal
 */
export const withRetries = async (
  send: (signal: AbortSignal) => Promise<Response>,
  {
    signal,
    deadlineMs,
    once = false,
  }: { signal?: AbortSignal | undefined; deadlineMs: number; once?: boolean },
): Promise<Answer> => {
  const end = performance.now() + deadlineMs
  let last: TributaryError | undefined
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted()
    const left = end - performance.now()
    const result: Attempt = await attempt(send, left, signal)
    if ('body' in result) return result
    const { error, retryAfterMs } = result
    error.attempts = attempts
    // The deadline cut the last attempt short: the error of the attempt before explains more.
    if (last && error.code === 'connection_failed' && performance.now() >= end)
      throw deadlineError(last, attempts)
    last = error
    if (!error.retryable || once) throw error
    // Never before Retry-After, and with jitter, because many clients get the same value.
    const wait = retryAfterMs + pauseOf(attempts)
    if (performance.now() + wait >= end)
      throw retryAfterMs > 0 ? error : deadlineError(error, attempts)
    await pause(wait, signal)
  }
}

const deadlineError = (last: TributaryError, attempts: number): TributaryError => {
  const { status, requestId, docUrl, details, body } = last
  const message = `The deadline passed after ${attempts} attempts. The last failed: ${last.message}`
  const more = { status, requestId, docUrl, details, body, retryable: true, cause: last }
  const error = new TributaryError('deadline_exceeded', message, more)
  error.attempts = attempts
  return error
}
