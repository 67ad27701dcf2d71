/** How long a platform's headers ask to wait. */

type HeaderFields = { get: (name: string) => string | null }

const MIN_SECONDS = 1
/**
 * Longer than the window of any limit that a platform documents. A mistake in a header must not
 * stop a job.
 */
const MAX_SECONDS = 600

/** A timestamp in seconds is below this one in milliseconds until the year 5138. */
const FIRST_MILLISECONDS = 100_000_000_000

/**
 * Seconds from now: of a number of seconds, or of a moment, which some platforms write in seconds
 * and some in milliseconds.
 */
const secondsOf = (text: string | null, now: Date): number | null => {
  if (!text) return null
  const number = Number(text)
  if (Number.isNaN(number)) {
    const moment = Date.parse(text)
    return Number.isNaN(moment) ? null : (moment - now.getTime()) / 1_000
  }
  if (number > FIRST_MILLISECONDS) return (number - now.getTime()) / 1_000
  // Nobody asks to wait for thirty years.
  return number > 1_000_000_000 ? number - now.getTime() / 1_000 : number
}

const bounded = (seconds: number): number =>
  Math.min(Math.max(Math.ceil(seconds), MIN_SECONDS), MAX_SECONDS)

const resetOf = (headers: HeaderFields, now: Date): number | null =>
  secondsOf(headers.get('Retry-After'), now) ??
  secondsOf(headers.get('RateLimit-Reset'), now) ??
  secondsOf(headers.get('X-RateLimit-Reset'), now)

/**
 * The seconds after which a refused request may be repeated.
 * @param otherwise if no header says it
 */
export const waitAfterRefusal = (headers: HeaderFields, now: Date, otherwise: number): number =>
  bounded(resetOf(headers, now) ?? otherwise)

/**
 * The seconds to wait after an answered request: 0, unless it was the last one that the limit
 * allows.
 */
export const waitAfterAnswer = (headers: HeaderFields, now: Date): number => {
  const remaining = headers.get('RateLimit-Remaining') ?? headers.get('X-RateLimit-Remaining')
  if (remaining === null || remaining.trim() === '' || Number(remaining) !== 0) return 0
  const reset = resetOf(headers, now)
  return reset === null || reset <= 0 ? 0 : bounded(reset)
}
