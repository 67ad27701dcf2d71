/** A program's bonuses in requests. docs/bonuses.md. */
import * as z from 'zod'
import { integer, line, NOT_BLANK, uniqueNames } from '../../http/fields.ts'
import { currency } from '../../http/report-fields.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { MAX_BONUSES } from './bonuses.ts'

/** In characters. */
const MAX_NAME_LENGTH = 100

/** More customers or sales than a milestone asks for. */
const MAX_COUNT = 100_000_000

const BONUSES = `Must be a list of at most ${MAX_BONUSES} bonuses.`

const bonus = {
  name: line(MAX_NAME_LENGTH)
    .min(1, NOT_BLANK)
    .meta({ description: 'Partners see it. Each partner earns a bonus of this name once.' }),
  pays: z
    .strictObject({
      amountCents: integer(1, MAX_AMOUNT_CENTS, 'Minor units.'),
      currency,
    })
    .meta({ description: 'The amount of the bonus.' }),
}

const milestone = z.discriminatedUnion(
  'by',
  [
    z.strictObject({
      by: z.literal('netSales'),
      currency,
      atLeastCents: integer(
        1,
        MAX_AMOUNT_CENTS,
        'The net sales to reach, less refunds. Minor units.',
      ),
      ...bonus,
    }),
    z.strictObject({
      by: z.enum(['customers', 'sales']),
      atLeast: integer(1, MAX_COUNT, 'The number of customers or sales to reach.'),
      ...bonus,
    }),
  ],
  'Must be a bonus by netSales, customers or sales.',
)

export const bonuses = z
  .array(milestone, BONUSES)
  .max(MAX_BONUSES, BONUSES)
  .check(uniqueNames('bonus'))
