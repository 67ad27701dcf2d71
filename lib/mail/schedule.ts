/** When a mail is tried again, and when no more. Times in seconds. */

/**
 * The pause after each try that came to nothing certain. After the last one the mail has failed: eight tries in 14
 * hours outlast an outage of a morning.
 */
export const PAUSES_SECONDS = [60, 300, 900, 3_600, 7_200, 14_400, 21_600] as const

/** Mails that failed together are tried apart: up to this share of the pause is added to it. */
export const JITTER = 0.2

/**
 * How long after its first try a mail may be tried again. Resend remembers for 24 hours that it has a mail: with an
 * hour to spare, no further try can make a second one of it.
 */
export const WINDOW_SECONDS = 23 * 3_600

/**
 * How long a run has the mails that it took: longer than any run. After that, a run that was killed is assumed, and
 * the next one takes them.
 */
export const LEASE_SECONDS = 300

/**
 * The seconds until the next try, or null when there is none.
 *
 * @param attempts how many tries there were, 1 or more
 * @param random   from 0 to below 1
 */
export const nextPause = (attempts: number, random: number): number | null => {
  const pause = PAUSES_SECONDS[attempts - 1]
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random))
}
