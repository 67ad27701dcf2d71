/** When a delivery is retried, and when it is given up. Times in seconds. */
import { listedDelay, withJitter } from '../../values/backoff.ts'

/** The delay after each of the first attempts; then daily. */
const DELAYS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000] as const
const DAY_SECONDS = 86_400

/** How long a delivery is retried, and how long an endpoint may fail until it is disabled. */
export const WINDOW_SECONDS = 3 * DAY_SECONDS

/** At most this share of a delay is added to it at random. */
const JITTER = 0.1

/** Longer than any page of a run takes. */
export const LEASE_SECONDS = 120

/** How long deliveries to an endpoint that does not answer wait for the next attempt. */
export const PAUSE_SECONDS = 60

/**
 * The time of the next attempt, the last of them at the end of the window. null if it is over.
 *
 * @param attempts the attempts so far, 1 or more
 * @param random   from 0 to below 1
 */
export const nextAttempt = (
  attempts: number,
  firstAttemptAt: Date,
  now: Date,
  random: number,
): Date | null => {
  const end = firstAttemptAt.getTime() + WINDOW_SECONDS * 1_000
  if (now.getTime() >= end) return null
  const delay = withJitter(listedDelay(DELAYS_SECONDS, attempts) ?? DAY_SECONDS, JITTER, random)
  return new Date(Math.min(now.getTime() + delay * 1_000, end))
}
