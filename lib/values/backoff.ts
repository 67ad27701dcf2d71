/** Delays before retries, in the caller's unit. */

/** A delay that grows with each attempt. @param attempts so far, 1 or more */
export const exponentialDelay = (
  attempts: number,
  { first, factor = 2, max }: { first: number; factor?: number; max: number },
): number => Math.min(first * factor ** (attempts - 1), max)

/** The delay of a list for this attempt; null after the last one. */
export const listedDelay = (delays: readonly number[], attempts: number): number | null =>
  delays[attempts - 1] ?? null

/**
 * Adds up to a share to a delay, so that tasks which failed together are retried apart.
 * @param random from 0 to below 1
 */
export const withJitter = (delay: number, share: number, random: number): number =>
  Math.round(delay * (1 + share * random))
