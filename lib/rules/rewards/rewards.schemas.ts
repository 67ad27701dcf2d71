/** Rewards in requests. */
import * as z from 'zod'
import { integer, line, NOT_BLANK, uniqueNames } from '../../http/fields.ts'
import { currency } from '../../http/report-fields.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { CAPPED } from './caps.ts'
import { conditions } from './conditions.schemas.ts'
import { eachCondition, LEAD_FACTS } from './conditions.ts'
import { MAX_CAPS, MAX_MONTHS, MAX_RULE_NAME_LENGTH, MAX_RULES } from './limits.ts'
import { rewardTermsOf } from './rewards.ts'

/** Rewards are stored in basis points. */
const hasTwoDecimals = (percent: number): boolean => Math.round(percent * 100) / 100 === percent

const PERCENT = 'Must be a number from 0 to 100.'
const AMOUNT = `Must be a whole number of minor units, from 1 to ${MAX_AMOUNT_CENTS}.`
const RULES = `Must be a list of at most ${MAX_RULES} rules.`

const share = (description: string) =>
  z
    .number(PERCENT)
    .min(0, PERCENT)
    .max(100, PERCENT)
    .refine(hasTwoDecimals, 'Must have at most two decimals.')
    .meta({ description })

const flat = {
  kind: z.literal('flat'),
  amountCents: z
    .int(AMOUNT)
    .min(1, AMOUNT)
    .max(MAX_AMOUNT_CENTS, AMOUNT)
    .meta({ description: 'Minor units: 500 is 5.00 USD.' }),
  currency,
}

const pay = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('percent'),
      percent: share('Percentage of the line, with at most two decimals.'),
    }),
    z.strictObject({
      ...flat,
      per: z
        .literal('unit', 'Must be unit, or absent for an amount per sale.')
        .exactOptional()
        .meta({
          description:
            'Pays the amount for each unit of a line. If absent, it is paid once for all lines of the sale that the rule decides.',
        }),
    }),
    z.strictObject({ kind: z.literal('none') }),
  ],
  'Must be what the rule pays: {"kind": "percent", "percent": 30}, {"kind": "flat", "amountCents": 500, "currency": "USD"} with "per": "unit" or without, or {"kind": "none"}.',
)

const rule = z
  .strictObject({
    name: line(MAX_RULE_NAME_LENGTH).min(1, NOT_BLANK).meta({
      description: 'What the rule is for. Explanations of commissions name it. Unique in a reward.',
    }),
    when: conditions,
    pay,
    durationMonths: integer(
      1,
      MAX_MONTHS,
      'Months for which the rule pays after the customer’s first rewarded sale; null for no limit, absent for the program’s.',
    )
      .nullable()
      .exactOptional(),
  })
  .meta({
    id: 'NewRewardRule',
    example: {
      name: 'Annual plans',
      when: { all: [{ fact: 'billingInterval', in: ['year'] }] },
      pay: { kind: 'percent', percent: 30 },
    },
  })

type RuleInput = z.output<typeof rule>

const rules = z.array(rule, RULES).max(MAX_RULES, RULES).check(uniqueNames('rule')).nullish().meta({
  description:
    'The first rule whose conditions hold decides a line of the sale; without one, the base does.',
})

const CAPS = `Must be a list of at most ${MAX_CAPS} caps.`

const caps = z
  .array(
    z.strictObject({
      per: z.enum(CAPPED, 'Must be sale, customer or partner_month.').meta({
        description:
          'What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC).',
      }),
      amountCents: flat.amountCents,
      currency,
    }),
    CAPS,
  )
  .max(MAX_CAPS, CAPS)
  .check(({ value, issues }) => {
    for (const [i, one] of value.entries())
      if (value.findIndex(({ per, currency }) => per === one.per && currency === one.currency) < i)
        issues.push({
          code: 'custom',
          message: 'Must be unique: an earlier cap is of the same kind and currency.',
          path: [i],
          input: one,
        })
  })
  .nullish()
  .meta({
    description: 'What is earned at most. Commissions in a currency without a cap have none.',
  })

const anyReward = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('percent'),
      percent: share('Percentage of the sale, with at most two decimals.'),
      rules,
      caps,
    }),
    z.strictObject({ ...flat, rules, caps }),
  ],
  'Must be a reward: {"kind": "percent", "percent": 20}, or {"kind": "flat", "amountCents": 500, "currency": "USD"}.',
)

export const reward = anyReward.meta({ id: 'NewReward' }).transform(rewardTermsOf)

type Refusal = { path: PropertyKey[]; message: string }

/** What of a rule has no meaning for a lead, which has no amount, lines or payments. */
const refusedOfLeads = ({ when, pay, durationMonths }: RuleInput): Refusal[] => {
  const others = eachCondition(when)
    .map(({ fact }) => fact)
    .filter((fact) => !LEAD_FACTS.includes(fact))
  return [
    ...(others.length > 0
      ? [
          {
            path: ['when'],
            message: `Must have only conditions that a lead has: ${LEAD_FACTS.join(', ')}. Not: ${others.join(', ')}.`,
          },
        ]
      : []),
    ...(pay.kind === 'percent' || (pay.kind === 'flat' && pay.per === 'unit')
      ? [
          {
            path: ['pay'],
            message: 'Must be a flat amount or none: a lead has no amount or units.',
          },
        ]
      : []),
    ...(durationMonths === undefined
      ? []
      : [{ path: ['durationMonths'], message: 'Must be absent: rewards of leads do not end.' }]),
  ]
}

export const leadReward = anyReward
  .refine(({ kind }) => kind === 'flat', {
    message: 'Must be a flat reward: a lead has no amount to take a share of.',
  })
  .refine(({ caps }) => !caps?.length, {
    message: 'Must be absent: only rewards of sales have caps.',
    path: ['caps'],
  })
  .check(({ value, issues }) => {
    for (const [i, one] of (value.rules ?? []).entries())
      for (const { path, message } of refusedOfLeads(one))
        issues.push({ code: 'custom', message, path: ['rules', i, ...path], input: one })
  })
  .transform(rewardTermsOf)
