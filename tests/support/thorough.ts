/** With EXHAUSTIVE=1: all cases of a matrix, and so many random ones that it takes hours. */
export const isExhaustive = Boolean(process.env.EXHAUSTIVE)

/**
 * In `npm run test:thorough`, or with `TIER=thorough npx vitest run`, which has more cases than
 * `npm test`.
 */
const isThorough = process.env.TIER === 'thorough'

/** How many cases there are, or which ones. */
export const timesOver = <T>(times: { quick: T; thorough: T; exhaustive: T }): T => {
  if (isExhaustive) return times.exhaustive
  return isThorough ? times.thorough : times.quick
}

/**
 * Samples a table whose cases are one rule in several circumstances: the first case and every
 * `step`th one after it in `npm test`, all of them in the thorough tier. For tests with the tag
 * "sampled".
 *
 * @param step for all combinations of two lists, one more than the length of the second list, so
 *   that each element of both is in the sample
 */
export const everyNth = <T>(step: number, cases: readonly T[]): readonly T[] => {
  const some = cases.filter((_, at) => at % step === 0)
  return timesOver({ quick: some, thorough: cases, exhaustive: cases })
}

/**
 * The seeds of random cases: one in `npm test`, others in `npm run test:thorough`, and the one of
 * `SEED`. A test that fails by chance fails whoever runs it next, not who broke it.
 */
export const SEEDS: readonly [number, ...number[]] = process.env.SEED
  ? [Number(process.env.SEED)]
  : isThorough
    ? [2, 3]
    : [1]

/**
 * What a step of a matrix meets: `always` and one of the `others`, in turn; with EXHAUSTIVE=1 all
 * of them.
 *
 * @param turn the step's number
 */
export const sampled = <T>(always: readonly T[], others: readonly T[], turn: number): T[] =>
  isExhaustive
    ? [...always, ...others]
    : [...always, ...others.slice(turn % others.length).slice(0, 1)]
