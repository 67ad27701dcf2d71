/** How many clicks of a program are stored a day: a flood of visits must not fill the database. */

export type ClickBudgetSettings = { DAILY_CLICKS?: string }

/** Three million a month, at 700 bytes with indexes and deltas: 70 MB a day at most. */
const DEFAULT_DAILY_CLICKS = 100_000

/** @throws if the setting is no whole number */
export const dailyClicksOf = ({ DAILY_CLICKS }: ClickBudgetSettings): number => {
  const clicks = Number(DAILY_CLICKS || DEFAULT_DAILY_CLICKS)
  if (Number.isSafeInteger(clicks) && clicks > 0) return clicks
  throw new Error('DAILY_CLICKS must be a whole number, from 1 on.')
}
