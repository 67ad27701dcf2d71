/** Rewards in requests. */
import * as z from 'zod'
import { currency } from '../http/report-fields.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'

/** Rewards are stored in basis points. */
const hasTwoDecimals = (percent: number): boolean => Math.round(percent * 100) / 100 === percent

const PERCENT = 'Must be a number from 0 to 100.'
const AMOUNT = `Must be a whole number of minor units, from 1 to ${MAX_AMOUNT_CENTS}.`

const anyReward = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('percent'),
      percent: z
        .number(PERCENT)
        .min(0, PERCENT)
        .max(100, PERCENT)
        .refine(hasTwoDecimals, 'Must have at most two decimals.')
        .meta({ description: 'Percentage of the sale, with at most two decimals.' }),
    }),
    z.strictObject({
      kind: z.literal('flat'),
      amountCents: z
        .int(AMOUNT)
        .min(1, AMOUNT)
        .max(MAX_AMOUNT_CENTS, AMOUNT)
        .meta({ description: 'Minor units: 500 is 5.00 USD.' }),
      currency,
    }),
  ],
  'Must be a reward: {"kind": "percent", "percent": 20}, or {"kind": "flat", "amountCents": 500, "currency": "USD"}.',
)

const toTerms = (reward: z.output<typeof anyReward>): RewardTerms =>
  reward.kind === 'percent'
    ? { kind: 'percent', basisPoints: Math.round(reward.percent * 100) }
    : { kind: 'flat', amountCents: reward.amountCents, currency: reward.currency }

export const reward = anyReward.transform(toTerms)

export const leadReward = anyReward
  .refine(({ kind }) => kind === 'flat', {
    message: 'Must be a flat reward: a lead has no amount to take a share of.',
  })
  .transform(toTerms)
