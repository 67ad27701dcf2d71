/** When a mail is retried, and when it fails. Times in seconds. */
import { listedDelay, withJitter } from '../../values/backoff.ts'

/** The delay after each attempt. Eight attempts in 14 hours outlast a morning's outage. */
export const DELAYS_SECONDS = [60, 300, 900, 3_600, 7_200, 14_400, 21_600] as const

/** At most this share of a delay is added to it at random. */
export const JITTER = 0.2

/**
 * How long after its first attempt a mail may be retried. Resend deduplicates for 24 hours: within
 * 23, a retry cannot deliver a mail twice.
 */
export const WINDOW_SECONDS = 23 * 3_600

/** Longer than any run. */
export const LEASE_SECONDS = 300

/**
 * The seconds until the next attempt, or null if there is none.
 *
 * @param attempts the attempts so far, 1 or more
 * @param random   from 0 to below 1
 */
export const nextDelay = (attempts: number, random: number): number | null => {
  const delay = listedDelay(DELAYS_SECONDS, attempts)
  return delay === null ? null : withJitter(delay, JITTER, random)
}
