/** What is to be reversed of a sale that was rewarded line by line, in exact fractions. */
import type { LineFacts } from '../rules/steps/steps.ts'
import {
  type Fraction,
  isLess,
  least,
  minus,
  NOTHING,
  over,
  plus,
  times,
  whole,
} from './fractions.ts'
import type { NamedReturn, Rounded } from './purchase-account.ts'

/** What is to be reversed, and how far the ledger may be from it by what it rounds on the way. */
type Reversed = { exact: Fraction; slack: Fraction }

/**
 * Each line returns first what notes name of it, up to the line. The rest of the total is spread in
 * proportion to what is left of the lines.
 *
 * @param returned of the payment, in the units of `gross`
 */
export const reversedByLine = (
  rewarded: LineFacts[],
  returned: Rounded,
  named: NamedReturn[],
  gross: Rounded,
): Reversed => {
  const lines = rewarded.map(({ id, amountCents = 0, earnedCents }) => ({
    id,
    cents: whole(amountCents),
    earned: whole(earnedCents),
  }))
  const earned = sumOf(lines.map((line) => line.earned))
  // Everything was returned: nothing is left to be rounded.
  if (!isLess(returned.cents, gross.cents)) return { exact: earned, slack: NOTHING }
  const sold = sumOf(lines.map(({ cents }) => cents))
  const perGross = over(sold, gross.cents)
  const all = times(returned.cents, perGross)
  const ofNotes = lines.map(({ id, cents }) =>
    least(cents, sumOf(named.flatMap((one) => (one.line === id ? [one.cents] : [])))),
  )
  const noted = sumOf(ofNotes)
  const scale = isLess(all, noted) ? over(all, noted) : whole(1)
  const counted = ofNotes.map((cents) => times(cents, scale))
  const rest = minus(all, sumOf(counted))
  const left = minus(sold, sumOf(counted))
  const parts = lines.map(({ cents }, i) => {
    const own = counted[i] ?? NOTHING
    if (left.n === 0n) return own
    return plus(own, times(rest, over(minus(cents, own), left)))
  })
  // The ledger rounds the total, what is named, and each part: then what each line reverses.
  const shift = plus(times(perGross, { n: BigInt(returned.roundings), d: 2n }), {
    n: BigInt(1 + named.length),
    d: 2n,
  })
  const rates = lines.map((line) => (line.cents.n === 0n ? NOTHING : over(line.earned, line.cents)))
  return {
    exact: sumOf(parts.map((cents, i) => times(cents, rates[i] ?? NOTHING))),
    slack: plus(times(sumOf(rates), plus(shift, whole(1))), { n: BigInt(lines.length), d: 2n }),
  }
}

const sumOf = (amounts: Fraction[]): Fraction => amounts.reduce(plus, NOTHING)
