/**
 * The number of random cases: few in each run of the suite, many with `THOROUGH=1 npm test`.
 */
export const timesOver = ({ often, thorough }: { often: number; thorough: number }): number =>
  process.env.THOROUGH ? thorough : often
