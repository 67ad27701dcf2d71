/** How a figure compares with the period before. */

export type Change = { words: string; direction: 'up' | 'down' | 'same' }

const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay: 'exceptZero' })

const directionOf = (difference: number): Change['direction'] =>
  difference > 0 ? 'up' : difference < 0 ? 'down' : 'same'

/** The change in percent, such as "+18%"; null without a figure to compare with. */
export const changeOf = (value: bigint, before: bigint): Change | null => {
  if (before <= 0n) return null
  const percent = (Number(value - before) / Number(before)) * 100
  return { words: `${PERCENT.format(percent)}%`, direction: directionOf(Math.round(percent)) }
}

/** How many percent one number is of another; null if that is none. */
export const rateOf = (part: bigint, whole: bigint): number | null =>
  whole > 0n ? (Number(part) / Number(whole)) * 100 : null

/** The change of a rate in percentage points, such as "+0.2 pt"; null if either is missing. */
export const pointsOf = (
  rate: number | null,
  before: number | null,
  format: (number: number) => string = String,
): Change | null => {
  if (rate === null || before === null) return null
  const points = Math.round((rate - before) * 100) / 100
  return { words: `${points > 0 ? '+' : ''}${format(points)} pt`, direction: directionOf(points) }
}
