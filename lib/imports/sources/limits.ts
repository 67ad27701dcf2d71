/** How long to wait, by a platform's headers. */

type HeaderFields = { get: (name: string) => string | null }

const MIN_SECONDS = 1
/** Longer than any documented limit: a wrong header must not stop a job. */
const MAX_SECONDS = 600

/** Until the year 5138, timestamps in seconds are below it, and those in milliseconds above. */
const FIRST_MILLISECONDS = 100_000_000_000

/** Seconds from now. Platforms send a number of seconds, or a moment in seconds or milliseconds. */
const secondsOf = (text: string | null, now: Date): number | null => {
  if (!text) return null
  const number = Number(text)
  if (Number.isNaN(number)) {
    const moment = Date.parse(text)
    return Number.isNaN(moment) ? null : (moment - now.getTime()) / 1_000
  }
  if (number > FIRST_MILLISECONDS) return (number - now.getTime()) / 1_000
  return number > 1_000_000_000 ? number - now.getTime() / 1_000 : number
}

const bounded = (seconds: number): number =>
  Math.min(Math.max(Math.ceil(seconds), MIN_SECONDS), MAX_SECONDS)

const resetOf = (headers: HeaderFields, now: Date): number | null =>
  secondsOf(headers.get('Retry-After'), now) ??
  secondsOf(headers.get('RateLimit-Reset'), now) ??
  secondsOf(headers.get('X-RateLimit-Reset'), now)

/** Seconds until a refused request may be repeated. @param otherwise if no header says it */
export const waitAfterRefusal = (headers: HeaderFields, now: Date, otherwise: number): number =>
  bounded(resetOf(headers, now) ?? otherwise)

/** Seconds to wait after a response: 0, unless it was the last request within the limit. */
export const waitAfterAnswer = (headers: HeaderFields, now: Date): number => {
  const remaining = headers.get('RateLimit-Remaining') ?? headers.get('X-RateLimit-Remaining')
  if (remaining === null || remaining.trim() === '' || Number(remaining) !== 0) return 0
  const reset = resetOf(headers, now)
  return reset === null || reset <= 0 ? 0 : bounded(reset)
}
