/**
 * How often a test repeats what it leaves to chance: often enough to notice a mistake in each run of the suite, and as
 * often as it takes to be sure in `THOROUGH=1 npm test`.
 */
export const timesOver = ({ often, thorough }: { often: number; thorough: number }): number =>
  process.env.THOROUGH ? thorough : often
