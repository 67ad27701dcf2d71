/** Delays before retries, in whatever unit the caller counts in. */

/**
 * A delay that grows with each attempt, up to a maximum.
 *
 * @param attempts the attempts so far, 1 or more
 */
export const exponentialDelay = (
  attempts: number,
  { first, factor = 2, max }: { first: number; factor?: number; max: number },
): number => Math.min(first * factor ** (attempts - 1), max)

/** The delay that a list gives for this attempt, or null after the last: no retry. */
export const listedDelay = (delays: readonly number[], attempts: number): number | null =>
  delays[attempts - 1] ?? null

/**
 * Lengthens a delay by up to a share of it, so that tasks which failed together are retried apart.
 *
 * @param random from 0 to below 1
 */
export const withJitter = (delay: number, share: number, random: number): number =>
  Math.round(delay * (1 + share * random))
