/** Exact fractions, so that only the ledger rounds. */
export type Fraction = { n: bigint; d: bigint }

export const whole = (cents: number | bigint): Fraction => ({ n: BigInt(cents), d: 1n })
export const NOTHING = whole(0)

export const plus = (a: Fraction, b: Fraction): Fraction =>
  // Sums of many parts of one whole stay small.
  a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d }
export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, { n: -b.n, d: b.d })
export const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })

/** @param b not zero */
export const over = (a: Fraction, b: Fraction): Fraction =>
  b.n < 0n ? { n: -a.n * b.d, d: a.d * -b.n } : { n: a.n * b.d, d: a.d * b.n }

export const isLess = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d
export const least = (a: Fraction, b: Fraction): Fraction => (isLess(b, a) ? b : a)
export const most = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a)

/** The nearest whole number, halves up. @param a 0 or more */
export const rounded = ({ n, d }: Fraction): bigint => (2n * n + d) / (2n * d)

/** Whether a number is this fraction, rounded half up once; `slack` is of earlier roundings. */
export const isRounded = (cents: bigint, exact: Fraction, slack: Fraction = NOTHING): boolean => {
  const half: Fraction = plus({ n: 1n, d: 2n }, slack)
  const difference = minus(whole(cents), exact)
  return isLess(minus(NOTHING, half), difference) && !isLess(half, difference)
}
