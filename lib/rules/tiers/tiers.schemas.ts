/** A program's tiers in requests. docs/tiers.md. */
import * as z from 'zod'
import { integer, line, NOT_BLANK, uniqueNames } from '../../http/fields.ts'
import { currency } from '../../http/report-fields.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { TIER_PERIODS } from './tiers.ts'

export const MAX_TIERS = 10

/** In characters. */
const MAX_NAME_LENGTH = 50

/** More customers or sales than a program distinguishes. */
const MAX_COUNT = 100_000_000

const LEVELS = `Must be a list of 1 to ${MAX_TIERS} tiers.`
export const ZONE = 'Must be a time zone, such as Europe/Berlin.'

export const GROUP = 'Must be the id of a group of the program.'

const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return /^[A-Z]/.test(zone)
  } catch {
    return false
  }
}

const tier = {
  name: line(MAX_NAME_LENGTH)
    .min(1, NOT_BLANK)
    .meta({ description: 'Partners see it. Unique in the program.' }),
  groupId: z
    .uuid(GROUP)
    .toLowerCase()
    .exactOptional()
    .meta({ description: 'The group into which a partner moves that reaches the tier.' }),
  movesBack: z.literal(true, 'Must be true, or absent.').exactOptional().meta({
    description: 'Whether a partner that falls below the tier returns to its former group.',
  }),
}

const levels = <S extends z.ZodType<{ name: string }>>(
  level: S,
  of: (level: z.output<S>) => number,
) =>
  z
    .array(level, LEVELS)
    .min(1, LEVELS)
    .max(MAX_TIERS, LEVELS)
    // One check: another would not run once this one has found something.
    .check(({ value, issues }) => {
      uniqueNames('tier')({ value, issues })
      for (const [i, one] of value.entries()) {
        const before = value[i - 1]
        if (before !== undefined && of(one) <= of(before))
          issues.push({
            code: 'custom',
            message: 'Must be more than the tier before.',
            path: [i],
            input: one,
          })
      }
    })

const shared = {
  period: z.enum(TIER_PERIODS, 'Must be month, quarter, year or ever.').meta({
    description:
      'What counts: the calendar month, the calendar quarter, the last 365 days, or all time.',
  }),
  timeZone: z
    .string(ZONE)
    .refine(isTimeZone, ZONE)
    .default('UTC')
    .meta({ description: 'The time zone of days, months and quarters.' }),
}

export const tiers = z
  .discriminatedUnion(
    'by',
    [
      z.strictObject({
        by: z.literal('netSales'),
        currency,
        ...shared,
        levels: levels(
          z.strictObject({
            ...tier,
            atLeastCents: integer(
              1,
              MAX_AMOUNT_CENTS,
              'The net sales at which the tier begins. Minor units.',
            ),
          }),
          ({ atLeastCents }) => atLeastCents,
        ),
      }),
      z.strictObject({
        by: z.enum(['customers', 'sales']),
        ...shared,
        levels: levels(
          z.strictObject({
            ...tier,
            atLeast: integer(1, MAX_COUNT, 'The number at which the tier begins.'),
          }),
          ({ atLeast }) => atLeast,
        ),
      }),
    ],
    'Must be tiers by netSales, customers or sales.',
  )
  .meta({ id: 'NewTiers' })
