/** The conditions of a reward's rules in requests. docs/rewards.md, "Conditions". */
import * as z from 'zod'
import { integer } from '../../http/fields.ts'
import { currency } from '../../http/report-fields.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { type Condition, type Conditions, eachCondition } from './conditions.ts'
import { MAX_CONDITIONS, MAX_MONTHS, MAX_VALUE_LENGTH, MAX_VALUES } from './limits.ts'
import { BILLING_INTERVALS } from './sale-lines.ts'

/** More payments or units than a rule distinguishes. */
const MAX_COUNT = 1_000_000

const LIST = `Must be a list of 1 to ${MAX_VALUES} values.`
const VALUE = `Must be text of 1 to ${MAX_VALUE_LENGTH} characters.`
const INTERVAL = `Must be one of ${BILLING_INTERVALS.join(', ')}.`
const COUNTRY = 'Must be a country by its two upper-case letters (ISO 3166), such as DE.'
const DAY = 'Must be a day, such as 2026-05-01.'

const list = <S extends z.ZodType>(value: S) =>
  z.array(value, LIST).min(1, LIST).max(MAX_VALUES, LIST)

const values = () => list(z.string(VALUE).min(1, VALUE).max(MAX_VALUE_LENGTH, VALUE))

const count = (from: number, to: number, description: string) =>
  integer(from, to, description).exactOptional()

const amount = (from: number, description: string) =>
  count(from, MAX_AMOUNT_CENTS, `${description} Minor units.`)

const day = (description: string) => z.iso.date(DAY).meta({ description }).exactOptional()

const amountOf = <F extends string>(fact: F, description: string) =>
  z
    .strictObject({
      fact: z.literal(fact),
      currency,
      atLeastCents: amount(0, 'The smallest amount.'),
      belowCents: amount(1, 'Amounts from this one do not match.'),
    })
    .meta({ description })

const condition = z.discriminatedUnion(
  'fact',
  [
    z
      .strictObject({ fact: z.literal('product'), in: values() })
      .meta({ description: 'The product or the price of the line.' }),
    z
      .strictObject({
        fact: z.literal('payment'),
        of: z
          .enum(['customer', 'subscription'], 'Must be customer or subscription.')
          .exactOptional(),
        atLeast: count(1, MAX_COUNT, 'The first payment that matches: 2 for renewals.'),
        atMost: count(1, MAX_COUNT, 'The last payment that matches: 1 for first payments.'),
      })
      .meta({
        description:
          'The number of the payment, from 1, among those of the customer, or of its subscription.',
      }),
    z
      .strictObject({
        fact: z.literal('customerMonths'),
        atLeast: count(0, MAX_MONTHS, 'The first month that matches, from 0.'),
        below: count(1, MAX_MONTHS, 'Months from this one do not match.'),
      })
      .meta({ description: 'Whole months since the customer’s first payment.' }),
    amountOf('lineAmount', 'The net amount of the line. Another currency does not match.'),
    amountOf('saleAmount', 'The net amount of the sale. Another currency does not match.'),
    z
      .strictObject({
        fact: z.literal('quantity'),
        atLeast: count(0, MAX_COUNT, 'The smallest quantity.'),
        atMost: count(0, MAX_COUNT, 'The largest quantity.'),
      })
      .meta({ description: 'The quantity of the line.' }),
    z
      .strictObject({
        fact: z.literal('billingInterval'),
        in: list(z.enum(BILLING_INTERVALS, INTERVAL)),
      })
      .meta({ description: 'How often the line is billed.' }),
    z
      .strictObject({ fact: z.literal('coupon'), in: values().exactOptional() })
      .meta({ description: 'A coupon was used: any, or one of these.' }),
    z
      .strictObject({
        fact: z.literal('metadata'),
        key: z.string(VALUE).min(1, VALUE).max(MAX_VALUE_LENGTH, VALUE),
        in: values().exactOptional(),
      })
      .meta({
        description: 'The metadata of the line or the sale has the key, or one of these values.',
      }),
    z
      .strictObject({
        fact: z.literal('country'),
        in: list(z.string(COUNTRY).regex(/^[A-Z]{2}$/, COUNTRY)),
      })
      .meta({ description: 'The country of the customer.' }),
    z
      .strictObject({ fact: z.literal('link'), in: values() })
      .meta({ description: 'The slug of the clicked link.' }),
    z
      .strictObject({ fact: z.literal('sub'), in: values() })
      .meta({ description: 'The `sub` of the clicked link.' }),
    z
      .strictObject({ fact: z.literal('tier'), in: values() })
      .meta({ description: 'The tier of the partner on the day of the sale.' }),
    z
      .strictObject({
        fact: z.literal('day'),
        from: day('The first day that matches.'),
        until: day('The last day that matches.'),
      })
      .meta({ description: 'The day of the sale in UTC.' }),
  ],
  'Must be product, payment, customerMonths, lineAmount, saleAmount, quantity, billingInterval, coupon, metadata, country, link, sub, tier or day.',
)

/** The names of the bounds that a condition may have, the lower one first. */
const BOUNDS: { [F in Condition['fact']]?: readonly [string, string, mayBeEqual: boolean] } = {
  payment: ['atLeast', 'atMost', true],
  customerMonths: ['atLeast', 'below', false],
  lineAmount: ['atLeastCents', 'belowCents', false],
  saleAmount: ['atLeastCents', 'belowCents', false],
  quantity: ['atLeast', 'atMost', true],
  day: ['from', 'until', true],
}

/** Why the bounds of a condition match nothing, or everything. */
const boundsRefusal = (asked: Condition): { path: string[]; message: string } | null => {
  const bounds = BOUNDS[asked.fact]
  if (!bounds) return null
  const [lower, upper, mayBeEqual] = bounds
  const given: Record<string, unknown> = asked
  const [from, to] = [given[lower] ?? null, given[upper] ?? null]
  if (from === null && to === null)
    return { path: [], message: `Must have ${lower}, ${upper} or both.` }
  if (from === null || to === null || from < to || (mayBeEqual && from === to)) return null
  const relation = mayBeEqual ? 'not be below' : 'be above'
  return { path: [upper], message: `Must ${relation} ${lower}.` }
}

const bounded = condition
  .check(({ value, issues }) => {
    const refusal = boundsRefusal(value)
    if (refusal) issues.push({ code: 'custom', input: value, ...refusal })
  })
  .meta({ id: 'NewRewardCondition' })

/**
 * A union of objects that a key distinguishes, so that errors are about the object that was meant.
 */
const byKey = <T extends Record<string, z.ZodType>>(objects: T, message: string) =>
  z.preprocess(
    (value, context) => {
      const isObject = typeof value === 'object' && value !== null
      const meant = Object.keys(objects).find((key) => isObject && Object.hasOwn(value, key))
      const { error } = (meant ? objects[meant]?.safeParse(value) : undefined) ?? {}
      for (const { path, message } of error?.issues ?? [])
        context.issues.push({ code: 'custom', input: value, path, message })
      return value
    },
    z.union(Object.values(objects) as T[keyof T][], message),
  )

const SEVERAL = `Must be a list of 1 to ${MAX_CONDITIONS} conditions.`

const several = <S extends z.ZodType>(item: S) =>
  z.array(item, SEVERAL).min(1, SEVERAL).max(MAX_CONDITIONS, SEVERAL)

const itemOf = <K extends string, S extends z.ZodType>(key: K, nested: S) =>
  byKey(
    { fact: bounded, [key]: nested } as { fact: typeof bounded } & { [key in K]: S },
    `Must be a condition, such as {"fact": "product", "in": ["prod_1"]}, or a list of conditions, {"${key}": [...]}.`,
  )

const ALL = 'Every condition holds.'
const ANY = 'At least one condition holds.'
const nestedAny = z.strictObject({ any: several(bounded) }).meta({ description: ANY })
const nestedAll = z.strictObject({ all: several(bounded) }).meta({ description: ALL })

/** All or any of several conditions, in two levels. */
export const conditions = byKey(
  {
    all: z.strictObject({ all: several(itemOf('any', nestedAny)) }).meta({ description: ALL }),
    any: z.strictObject({ any: several(itemOf('all', nestedAll)) }).meta({ description: ANY }),
  },
  'Must be conditions: {"all": [...]} or {"any": [...]}.',
).refine(
  (when: Conditions) => eachCondition(when).length <= MAX_CONDITIONS,
  `Must have at most ${MAX_CONDITIONS} conditions in all.`,
)
