/**
 * What returns reverse of a commission: line by line, if its sale was rewarded line by line. The
 * result depends on the set of returns, never on their order. docs/decisions.md, "Refunds by line".
 */
import { least, proportionOf, sumOf } from '../../values/money.ts'
import { apportion } from '../rewards/sale-lines.ts'
import type { LineReversal, Step } from '../steps/steps.ts'
import { type Returned, returnedPartOf } from './returns.ts'

/** A line of the sale, with what it earned. */
type RewardedLine = { id?: string | undefined; amountCents: bigint; earnedCents: bigint }

export type ReversedPart = {
  reversedCents: bigint
  /** The lines of which something was returned; none of a sale without several lines. */
  lines: LineReversal[]
}

/**
 * How much of a commission is reversed for returns, never more than all of it. Of each line, the
 * part of what it earned that was returned of it, rounded half up.
 *
 * @param steps of the decision that made the commission
 */
export const reversedFor = (
  commissionCents: bigint,
  steps: Step[],
  returned: Returned,
): ReversedPart => {
  const sold = rewardedLines(steps)
  if (sold.length === 0)
    return { reversedCents: returnedPartOf(commissionCents, returned), lines: [] }
  const returnedCents = returnedByLine(sold, returned)
  const reversedCents = sold.map(({ earnedCents, amountCents }, i) =>
    amountCents === 0n ? 0n : proportionOf(earnedCents, returnedCents[i] ?? 0n, amountCents),
  )
  const lines = sold.map((_, i) => ({
    line: i + 1,
    returnedCents: Number(returnedCents[i]),
    reversedCents: Number(reversedCents[i]),
  }))
  return {
    reversedCents: least(sumOf(reversedCents), commissionCents),
    lines: sold.length > 1 ? lines.filter((one) => one.returnedCents > 0) : [],
  }
}

const rewardedLines = (steps: Step[]): RewardedLine[] =>
  steps.flatMap(({ code, facts }) =>
    code === 'line_reward' && facts.amountCents !== undefined
      ? [
          {
            id: facts.id,
            amountCents: BigInt(facts.amountCents),
            earnedCents: BigInt(facts.earnedCents),
          },
        ]
      : [],
  )

/**
 * What was returned of each line, net: first what credit notes name, up to the whole line. The rest
 * of the total is spread over what is left of the lines. If less counts than the notes name, as
 * after an overpayment, each named line has its part of it.
 */
const returnedByLine = (lines: RewardedLine[], returned: Returned): bigint[] => {
  const { paid, ofLines } = returned
  if (paid.amountCents === 0n) return lines.map(() => 0n)
  const allCents = returnedPartOf(sumOf(lines.map(({ amountCents }) => amountCents)), returned)
  const named = lines.map(({ id, amountCents }) =>
    least(amountCents, sumOf(ofLines.flatMap((one) => (one.line === id ? [one.netCents] : [])))),
  )
  const counted = sumOf(named) > allCents ? apportion(allCents, named) : named
  const rest = apportion(
    allCents - sumOf(counted),
    lines.map(({ amountCents }, i) => amountCents - (counted[i] ?? 0n)),
  )
  return counted.map((cents, i) => cents + (rest[i] ?? 0n))
}
