/**
 * The number of random cases: few in each run of the suite, many with `THOROUGH=1 npm test`.
 */
export const timesOver = ({ often, thorough }: { often: number; thorough: number }): number =>
  process.env.THOROUGH ? thorough : often

/**
 * What a step of a matrix meets: `always` and one of the `others`, in turn; with THOROUGH=1 all of them.
 *
 * @param turn the step's number
 */
export const sampled = <T>(always: readonly T[], others: readonly T[], turn: number): T[] =>
  process.env.THOROUGH
    ? [...always, ...others]
    : [...always, ...others.slice(turn % others.length).slice(0, 1)]
