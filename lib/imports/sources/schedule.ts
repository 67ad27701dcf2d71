/** Retries after failures, in seconds. */
import { listedDelay, withJitter } from '../../values/backoff.ts'

/** After each consecutive failure: six hours in all, longer than most outages. */
const DELAYS_SECONDS = [2, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 7_200] as const

/** Up to this share of a delay is added to it. */
const JITTER = 0.2

/** Longer than a page takes, with the query that saves it. */
export const LEASE_SECONDS = 60

const DAY_SECONDS = 86_400

/** How long a token is kept. A source that is not read within it has failed. */
export const MAX_READING_SECONDS = DAY_SECONDS

/** How long rows and failures are kept for an import. */
export const KEEP_SECONDS = 7 * DAY_SECONDS

/** Refusals before a source fails. 401 is final, but a proxy may cause others. */
const MAX_REFUSALS = 3
const UNAUTHORIZED = 401

/** The delay before the next attempt, after so many failures in a row; null to give up. */
export const delayAfterFailure = (failures: number, random: number): number | null => {
  const delay = listedDelay(DELAYS_SECONDS, failures)
  return delay === null ? null : withJitter(delay, JITTER, random)
}

/** @param failures consecutive, this one included */
const isFinal = (status: number, failures: number): boolean =>
  status === UNAUTHORIZED || failures >= MAX_REFUSALS

/** The delay after a refusal, or null to give up. */
export const delayAfterRefusal = (
  status: number,
  failures: number,
  random: number,
): number | null => (isFinal(status, failures) ? null : delayAfterFailure(failures, random))

/** Whether only this list is refused, for good: the token itself is accepted. */
export const isListRefused = (status: number, failures: number): boolean =>
  status !== UNAUTHORIZED && isFinal(status, failures)
