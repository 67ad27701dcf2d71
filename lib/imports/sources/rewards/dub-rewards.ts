/**
 * Dub's rewards. Its source code says how they are evaluated: of the modifiers whose conditions
 * hold, the one with the highest amount decides, else the reward itself.
 */
import type { Conditions } from '../../../rules/rewards/conditions.ts'
import { MAX_CONDITIONS, MAX_RULE_NAME_LENGTH, MAX_RULES } from '../../../rules/rewards/limits.ts'
import type { BaseReward, Pay, RewardTerms, Rule } from '../../../rules/rewards/rewards.ts'
import { formatMoney } from '../../../values/money.ts'
import { type Fields, fieldsOf, listOf, textOf } from '../platforms/json.ts'
import { type ConditionScope, readCondition } from './dub-conditions.ts'
import {
  basisPointsOf,
  centsOf,
  flatBase,
  monthsOf,
  type ReadReward,
  unknownFields,
} from './read-reward.ts'

/** Dub counts amounts in cents of it, and converts other currencies into it. */
const CURRENCY = 'USD'

const KNOWN = [
  ...['id', 'event', 'description', 'tooltipDescription', 'type', 'amountInCents'],
  ...['amountInPercentage', 'maxDuration', 'modifiers', 'spendLimitAmount', 'spendLimitInterval'],
  ...['programId', 'createdAt', 'updatedAt'],
]
const KNOWN_OF_MODIFIER = [
  ...['id', 'operator', 'conditions', 'type', 'amountInCents', 'amountInPercentage'],
  'maxDuration',
]

/** A percentage, or an amount in cents, of a reward or a modifier. */
type Amount = { kind: 'percent' | 'flat'; value: number }

const amountOf = ({ type, amountInCents, amountInPercentage }: Fields): Amount | null => {
  const isFlat = type === 'flat'
  if (!isFlat && type !== 'percentage') return null
  const value = isFlat ? centsOf(amountInCents) : basisPointsOf(amountInPercentage)
  return value === null ? null : { kind: isFlat ? 'flat' : 'percent', value }
}

const amountText = ({ kind, value }: Amount): string =>
  kind === 'flat' ? formatMoney(value, CURRENCY) : `${value / 100}%`

const baseOf = ({ kind, value }: Amount): RewardTerms =>
  kind === 'flat' ? flatBase(value, CURRENCY) : { kind, basisPoints: value }

const payOf = ({ kind, value }: Amount, per: 'sale' | 'unit'): Pay => {
  if (value === 0) return { kind: 'none' }
  return kind === 'flat'
    ? { kind, amountCents: value, currency: CURRENCY, per }
    : { kind, basisPoints: value }
}

/** As Dub compares them: cents with percent. */
const rank = ({ kind, value }: Amount): number => (kind === 'flat' ? value : value / 100)

/** What is not taken over, or why a modifier is not. */
type Refused = { refused: string }

const isRefused = (read: object): read is Refused => 'refused' in read

/** The duration of a rule; none if it is the reward's. @param usual the reward's */
const durationOf = (
  modifier: Fields,
  usual: number | null,
): { durationMonths?: number | null } | Refused => {
  const months = modifier.maxDuration === undefined ? usual : monthsOf(modifier.maxDuration)
  if (months === undefined) return { refused: 'its duration cannot be read' }
  if (months === usual) return {}
  if (usual === 0) return { refused: 'it pays for renewals, and the reward for first sales only' }
  if (months === 0) return { refused: 'it pays for first sales only, and the reward for renewals' }
  return { durationMonths: months }
}

const conditionsOf = (
  modifier: Fields,
  scope: ConditionScope,
): { when: Conditions; name: string } | Refused => {
  const operator = modifier.operator ?? 'AND'
  if (operator !== 'AND' && operator !== 'OR')
    return { refused: `“${textOf(operator) ?? '?'}” of conditions is not known here` }
  const read = listOf(modifier.conditions).map((item) => readCondition(fieldsOf(item), scope))
  const refused = read.find(isRefused)
  if (refused) return refused
  const known = read.flatMap((one) => ('condition' in one ? [one] : []))
  if (known.length === 0) return { refused: 'it has no conditions' }
  if (known.length > MAX_CONDITIONS)
    return { refused: `a rule has at most ${MAX_CONDITIONS} conditions` }
  const list = known.map(({ condition }) => condition)
  return {
    when: operator === 'AND' ? { all: list } : { any: list },
    name: known.map(({ name }) => name).join(operator === 'AND' ? ' and ' : ' or '),
  }
}

/** A name of one line. */
const nameOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MAX_RULE_NAME_LENGTH)
    .trim()

type Modifier = { amount: Amount | null; item: Fields; number: number }

/** A modifier as a rule, or why it is none: never a part of it, which would pay too much. */
const ruleOf = (
  { amount, item }: Modifier,
  scope: ConditionScope,
  usual: number | null,
): Rule | Refused => {
  if (!amount) return { refused: 'its amount cannot be read' }
  const [unknown] = unknownFields(item, KNOWN_OF_MODIFIER)
  if (unknown !== undefined) return { refused: `its setting “${unknown}” is not known here` }
  const conditions = conditionsOf(item, scope)
  if (isRefused(conditions)) return conditions
  const duration = scope.event === 'lead' ? {} : durationOf(item, usual)
  if (isRefused(duration)) return duration
  const pay = payOf(amount, scope.isPerProduct ? 'unit' : 'sale')
  if (scope.event === 'lead' && pay.kind === 'percent')
    return { refused: 'a lead has no amount to take a share of' }
  return { ...conditions, name: nameOf(conditions.name), pay, ...duration }
}

/** Names of rules are unique in a reward. */
const uniqueNames = (rules: Rule[]): Rule[] =>
  rules.map((rule, i) => {
    const before = rules.slice(0, i).filter(({ name }) => name === rule.name).length
    const end = ` (${before + 1})`
    return before === 0
      ? rule
      : { ...rule, name: rule.name.slice(0, MAX_RULE_NAME_LENGTH - end.length) + end }
  })

/** Whether other rules, or the base, may pay more than this amount. */
const mayPayMore = (amount: Amount | null, others: Amount[]): boolean =>
  amount === null || others.some(({ kind, value }) => kind !== amount.kind || value > amount.value)

const refusalText = ({ amount, number }: Modifier, why: string, base: Amount, kept: Amount[]) =>
  `Condition ${number}${amount ? ` (${amountText(amount)})` : ''} is not taken over: ${why}.` +
  (mayPayMore(amount, [base, ...kept]) ? ' Its sales may earn more here.' : '')

const readModifiers = (
  modifiers: Fields[],
  scope: ConditionScope,
  base: Amount,
  usual: number | null,
): { rules: Rule[]; differences: string[] } => {
  const read = modifiers
    .map((item, i): Modifier => {
      const type = item.type ?? (base.kind === 'flat' ? 'flat' : 'percentage')
      return { amount: amountOf({ ...item, type }), item, number: i + 1 }
    })
    .toSorted((a, b) => (b.amount ? rank(b.amount) : 0) - (a.amount ? rank(a.amount) : 0))
    .map((modifier) => ({ modifier, rule: ruleOf(modifier, scope, usual) }))
  const rules = read.flatMap(({ rule }) => (isRefused(rule) ? [] : [rule]))
  const isTaken = (rule: Rule | Refused): rule is Rule =>
    !isRefused(rule) && rules.indexOf(rule) < MAX_RULES
  const kept = read.flatMap(({ modifier, rule }) =>
    isTaken(rule) && modifier.amount ? [modifier.amount] : [],
  )
  return {
    rules: uniqueNames(rules.slice(0, MAX_RULES)),
    differences: read.flatMap(({ modifier, rule }) => {
      if (isTaken(rule)) return []
      const why = isRefused(rule) ? rule.refused : `a reward has at most ${MAX_RULES} rules`
      return [refusalText(modifier, why, base, kept)]
    }),
  }
}

/** What of a reward has no counterpart, whatever its conditions. */
const limitsOf = (item: Fields): string[] => {
  const most = centsOf(item.spendLimitAmount)
  const interval = textOf(item.spendLimitInterval) ?? 'allTime'
  const period = interval === 'allTime' ? '' : ` per ${interval}`
  return [
    ...(most === null
      ? []
      : [
          `The spend limit of ${formatMoney(most, CURRENCY)}${period} is not taken over: more may be earned here.`,
        ]),
    ...unknownFields(item, KNOWN).map((key) => `The setting “${key}” is not known here.`),
  ]
}

const IN_USD =
  'Amounts are in USD. Rules with an amount do not apply to sales in another currency, which Dub converts.'

/** What works differently because of the rules that are taken over. */
const notesOf = (base: BaseReward, rules: Rule[], isPerProduct: boolean): string[] => {
  const named = JSON.stringify(rules).includes('"currency"')
  return [
    ...(rules.length > 0 && (named || base.kind === 'flat') ? [IN_USD] : []),
    ...(isPerProduct && base.kind === 'flat'
      ? [
          'Dub pays the flat amount for each unit of other products. Here, it is paid once per sale.',
        ]
      : []),
  ]
}

const nothing = (event: ReadReward['event'], differences: string[]): ReadReward => ({
  event,
  reward: null,
  isOneTime: false,
  months: null,
  differences,
})

const isOfProduct = (modifier: Fields): boolean =>
  listOf(modifier.conditions)
    .map(fieldsOf)
    .some(({ entity, attribute }) => entity === 'sale' && attribute === 'productId')

export const readDubReward = (item: Fields): ReadReward => {
  const event = textOf(item.event)
  if (event !== 'sale' && event !== 'lead')
    return nothing(null, [`Rewards for the event “${event ?? '?'}” do not exist here.`])
  const [base, months] = [amountOf(item), monthsOf(item.maxDuration)]
  const isList = item.modifiers == null || Array.isArray(item.modifiers)
  if (!base || months === undefined || !isList)
    return nothing(event, ['It cannot be read, so nothing is taken over.', ...limitsOf(item)])
  const terms = baseOf(base)
  if (event === 'lead' && terms.kind !== 'flat')
    return nothing(event, ['Rewards for leads are flat amounts here.', ...limitsOf(item)])

  const modifiers = listOf(item.modifiers).map(fieldsOf)
  const isPerProduct = event === 'sale' && modifiers.some(isOfProduct)
  const { rules, differences } = readModifiers(modifiers, { event, isPerProduct }, base, months)
  return {
    event,
    reward: { ...terms, ...(rules.length > 0 && { rules }) },
    isOneTime: months === 0,
    months,
    differences: [...differences, ...notesOf(terms, rules, isPerProduct), ...limitsOf(item)],
  }
}
