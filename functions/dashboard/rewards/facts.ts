/** The conditions of rules as fields of a form. */
import type { Fields } from '../../../lib/http/validate.ts'
import type { Condition } from '../../../lib/rules/rewards/conditions.ts'
import { BILLING_INTERVALS } from '../../../lib/rules/rewards/sale-lines.ts'
import { canonicalJson } from '../../../lib/values/json.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'

export type Fact = Condition['fact']

/**
 * How a field is filled in. A list has one value a line, and intervals and tiers have a box each.
 */
export type FieldKind =
  | 'list'
  | 'optional-list'
  | 'countries'
  | 'intervals'
  | 'tiers'
  | 'of'
  | 'currency'
  | 'amount'
  | 'count'
  | 'day'
  | 'text'

/** The fields of each condition, by their names in the API. */
export const FACTS: Record<Fact, Record<string, FieldKind>> = {
  product: { in: 'list' },
  payment: { of: 'of', atLeast: 'count', atMost: 'count' },
  customerMonths: { atLeast: 'count', below: 'count' },
  lineAmount: { currency: 'currency', atLeastCents: 'amount', belowCents: 'amount' },
  saleAmount: { currency: 'currency', atLeastCents: 'amount', belowCents: 'amount' },
  quantity: { atLeast: 'count', atMost: 'count' },
  billingInterval: { in: 'intervals' },
  coupon: { in: 'optional-list' },
  metadata: { key: 'text', in: 'optional-list' },
  country: { in: 'countries' },
  link: { in: 'list' },
  sub: { in: 'list' },
  tier: { in: 'tiers' },
  day: { from: 'day', until: 'day' },
}

export const isFact = (text: string): text is Fact => Object.hasOwn(FACTS, text)

/** The limits of a fact, the lower one first. */
export const boundsOf = (fact: Fact): [string, string] | null => {
  const bounds = Object.entries(FACTS[fact]).flatMap(([name, kind]) =>
    kind === 'count' || kind === 'amount' || kind === 'day' ? [name] : [],
  )
  const [lower, upper] = bounds
  return lower && upper ? [lower, upper] : null
}

/** The values in a list's field, with the one in the field beside it. */
export const listIn = (fields: Fields, name: string): string[] =>
  [...(fields[name]?.split(/\r?\n/) ?? []), fields[`${name}.add`] ?? '']
    .map((value) => value.trim())
    .filter((value) => value !== '')

/** The values of boxes that are numbered: `in.0`, `in.101`. */
export const chosenIn = (fields: Fields, name: string): string[] =>
  Object.entries(fields)
    .filter(([field]) => field.startsWith(`${name}.`))
    .toSorted(([a], [b]) => numberOf(a) - numberOf(b))
    .map(([, value]) => value)

const numberOf = (field: string): number => Number(field.slice(field.lastIndexOf('.') + 1))

/** The whole number in a field; NaN, which every schema refuses, for anything else. */
export const countIn = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

/** The value of a field as API input; undefined if it is blank. */
const valueIn = (kind: FieldKind, fields: Fields, name: string): unknown => {
  const text = fields[name]
  switch (kind) {
    case 'list':
      return listIn(fields, name)
    case 'optional-list': {
      const values = listIn(fields, name)
      return values.length > 0 ? values : undefined
    }
    case 'countries':
      return listIn(fields, name).map((code) => code.toUpperCase())
    case 'intervals':
      return BILLING_INTERVALS.filter((one) => fields[`${name}.${one}`] !== undefined)
    case 'tiers':
      return chosenIn(fields, name)
    case 'of':
      return text
    case 'currency':
      return text?.toUpperCase() ?? ''
    case 'amount':
      // The schema refuses NaN as it does what is no number.
      return text && (parseMoney(text, fields.currency?.toUpperCase() ?? '') ?? Number.NaN)
    case 'count':
      return countIn(text)
    case 'day':
      return text
    case 'text':
      return text ?? ''
  }
}

/** A field's text for a value of a condition. */
const textOf = (kind: FieldKind, value: unknown, currency: string): string => {
  if (Array.isArray(value)) return value.join('\n')
  return kind === 'amount' ? exactMoney(Number(value), currency) : String(value)
}

/** A condition as the fields of a form. */
const fieldsOf = (condition: Condition): Fields => {
  const given: Record<string, unknown> = condition
  const entries = Object.entries(FACTS[condition.fact]).flatMap(([name, kind]) => {
    const value = given[name]
    if (value === undefined) return []
    if (kind === 'intervals' && Array.isArray(value))
      return value.map((one): [string, string] => [`${name}.${one}`, 'on'])
    if (kind === 'tiers' && Array.isArray(value))
      return value.map((one, i): [string, string] => [`${name}.${i}`, String(one)])
    return [[name, textOf(kind, value, String(given.currency))] satisfies [string, string]]
  })
  return { is: condition.fact, ...Object.fromEntries(entries) }
}

/** The fields of a condition as API input. */
export const conditionIn = (fact: Fact, fields: Fields): Record<string, unknown> => {
  const entries = Object.entries(FACTS[fact]).flatMap(([name, kind]) => {
    const value = valueIn(kind, fields, name)
    return value === undefined ? [] : [[name, value]]
  })
  return { fact, ...Object.fromEntries(entries) }
}

/** The fields of a condition. What a form would change, such as a value of two lines, is kept. */
export const shownCondition = (condition: Condition): Fields => {
  const fields = fieldsOf(condition)
  return canonicalJson(conditionIn(condition.fact, fields)) === canonicalJson(condition)
    ? fields
    : { is: 'kept', json: JSON.stringify(condition) }
}
