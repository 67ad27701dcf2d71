/** A reward with rules as a draft of the form, and the draft as API input. */
import * as z from 'zod'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { RewardedEvent } from '../../../lib/languages/reward-words.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { numberIn, readReward } from '../../../lib/pages/forms/read-reward.ts'
import { rewardFields } from '../../../lib/pages/forms/reward-fields.tsx'
import type { Condition, Conditions } from '../../../lib/rules/rewards/conditions.ts'
import { MAX_RULES } from '../../../lib/rules/rewards/limits.ts'
import { leadReward, reward } from '../../../lib/rules/rewards/rewards.schemas.ts'
import type { Pay, RewardTerms, Rule } from '../../../lib/rules/rewards/rewards.ts'
import { jsonOf } from '../../../lib/values/json.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'
import { capFields, capInput } from './cap-fields.tsx'
import { CAPS, type Draft, type Part } from './draft.ts'
import {
  boundsOf,
  conditionIn,
  countIn,
  FACTS,
  type Fact,
  isFact,
  shownCondition,
} from './facts.ts'
import type { RewardOwner } from './owners.ts'

/** A saved reward; null for one that the partner or the group has not of its own. */
export const draftOf = (terms: RewardTerms | null): Draft => ({
  base: rewardFields('reward', terms),
  rules: (terms?.rules ?? []).map(ruleDraft),
  caps: (terms?.caps ?? []).map(capFields),
})

const ruleDraft = ({ name, when, pay, durationMonths: months }: Rule): Part => ({
  fields: {
    is: 'rule',
    name,
    match: 'all' in when ? 'all' : 'any',
    ...payFields(pay),
    duration: months === undefined ? 'program' : months === null ? 'forever' : 'months',
    ...(typeof months === 'number' && { durationMonths: String(months) }),
  },
  parts: itemsOf(when).map(itemDraft),
})

const itemsOf = (when: Conditions): (Condition | Conditions)[] =>
  'all' in when ? when.all : when.any

const itemDraft = (item: Condition | Conditions): Part =>
  'fact' in item
    ? { fields: shownCondition(item), parts: [] }
    : { fields: { is: 'group' }, parts: itemsOf(item).map(itemDraft) }

const payFields = (pay: Pay): Fields => {
  if (pay.kind === 'none') return { 'pay.kind': 'none' }
  if (pay.kind === 'percent')
    return { 'pay.kind': 'percent', 'pay.percent': String(pay.basisPoints / 100) }
  return {
    'pay.kind': pay.per,
    'pay.amountCents': exactMoney(pay.amountCents, pay.currency),
    'pay.currency': pay.currency,
  }
}

const SCHEMAS = {
  sale: z.strictObject({ reward }),
  lead: z.strictObject({ reward: leadReward }),
}

type CheckedReward =
  | { data: RewardTerms | null; errors?: never }
  | { data?: never; errors: ErrorDetail[] }

/**
 * The reward of a draft, checked as the API does, or its errors by the names of fields. A draft
 * without a kind is valid for an owner that needs no reward of its own.
 */
export const checkDraft = (
  draft: Draft,
  { event, otherwise }: Pick<RewardOwner, 'event' | 'otherwise'>,
): CheckedReward => {
  const { reward: base, problems } = readReward('reward', draft.base)
  if (base === null && otherwise) {
    if (draft.rules.length + draft.caps.length === 0) return { data: null }
    const isRules = draft.rules.length > 0
    const message = inEnglish(isRules ? m.rewards_rules_need_reward : m.rewards_caps_need_reward)
    return { errors: [{ path: 'reward.kind', message }] }
  }
  const rules = draft.rules.map((rule, i) => ruleInput(rule, `rules.${i}`, event, problems))
  const caps = draft.caps.map((cap, i) => capInput(cap, `${CAPS}.${i}`, problems))
  const input = {
    reward: { ...base, ...(rules.length > 0 && { rules }), ...(caps.length > 0 && { caps }) },
  }
  const { data, errors } = checkForm(SCHEMAS[event], { input })
  if (!errors && problems.length === 0) return { data: data.reward }
  const named = (errors ?? []).map(({ path, message }) => ({ path: fieldOf(path), message }))
  // What a field cannot be read as has an error of its own, and not the schema's too.
  const others = named.filter(
    ({ path }) => !problems.some((own) => own.path === path || own.path.startsWith(`${path}.`)),
  )
  return { errors: [...problems, ...others].toSorted(inOrder) }
}

/** The field of a path in the API's errors: `reward.rules.0.when.all.1.any.0.in.2`. */
const fieldOf = (path: string): string =>
  path
    .replace(/^reward\.(rules|caps)/, '$1')
    .replace(/\.when\.(?:all|any)(?=\.|$)/, '.when')
    .replace(/(\.when\.\d+)\.(?:all|any)(?=\.|$)/, '$1.when')
    .replace(/\.in\.\d+$/, '.in')

/** The base first, then rule by rule, then the caps. */
const inOrder = (a: ErrorDetail, b: ErrorDetail): number => placeOf(a.path) - placeOf(b.path)

const placeOf = (path: string): number => (path.startsWith(CAPS) ? MAX_RULES : ruleOf(path))

/** The number of the rule that a field is of, from 0; -1 for the base. */
export const ruleOf = (path: string): number => Number(/^rules\.(\d+)/.exec(path)?.[1] ?? -1)

const ruleInput = (
  { fields, parts }: Part,
  at: string,
  event: RewardedEvent,
  problems: ErrorDetail[],
) => {
  const match = fields.match === 'any' ? 'any' : 'all'
  return {
    name: fields.name ?? '',
    when: { [match]: parts.map((part, i) => itemInput(part, match, `${at}.when.${i}`, problems)) },
    pay: payInput(fields, `${at}.pay`, event, problems),
    ...durationInput(fields, `${at}.durationMonths`, problems),
  }
}

const itemInput = (
  { fields, parts }: Part,
  match: 'all' | 'any',
  at: string,
  problems: ErrorDetail[],
): unknown => {
  const { is = '' } = fields
  if (is === 'group') {
    const of = match === 'all' ? 'any' : 'all'
    return { [of]: parts.map((part, i) => itemInput(part, of, `${at}.when.${i}`, problems)) }
  }
  if (!isFact(is)) return jsonOf(fields.json)
  const condition = conditionIn(is, fields)
  const [lower, upper] = boundsOf(is) ?? []
  if (lower && upper) {
    const [from, to] = [condition[lower], condition[upper]]
    if (from === undefined && to === undefined)
      problems.push({ path: `${at}.${lower}`, message: inEnglish(m.rewards_bound_missing) })
    for (const [name, value] of Object.entries({ [lower]: from, [upper]: to }))
      if (Number.isNaN(value)) problems.push(unreadable(is, `${at}.${name}`, fields.currency ?? ''))
    const isBelow = upper.startsWith('below')
    const order = orderOf(from, to)
    if (order > 0 || (isBelow && order === 0)) {
      const message = inEnglish(isBelow ? m.rewards_bound_equal : m.rewards_bound_reversed)
      problems.push({ path: `${at}.${upper}`, message })
    }
  }
  return condition
}

/** Of two numbers or days: above 0 if the first is larger, NaN if one is not given. */
const orderOf = (from: unknown, to: unknown): number => {
  if (typeof from === 'string' && typeof to === 'string') return from.localeCompare(to)
  return typeof from === 'number' && typeof to === 'number' ? from - to : Number.NaN
}

const unreadable = (is: Fact, path: string, currency: string): ErrorDetail => ({
  path,
  message:
    'currency' in FACTS[is]
      ? inEnglish(m.programs_must_be_amount_as, { amount: exactMoney(500, currency) })
      : inEnglish(m.rewards_must_be_count, { from: is === 'payment' ? '1' : '0' }),
})

const payInput = (fields: Fields, path: string, event: RewardedEvent, problems: ErrorDetail[]) => {
  const kind = fields['pay.kind']
  if (kind === 'none') return { kind }
  if (event === 'sale' && kind !== 'sale' && kind !== 'unit')
    return { kind: 'percent', percent: numberIn(fields, 'pay.percent') }
  const currency = fields['pay.currency']?.toUpperCase() ?? ''
  const amountCents = parseMoney(fields['pay.amountCents'] ?? '', currency)
  if (!amountCents) {
    const message = inEnglish(m.programs_must_be_amount_as, { amount: exactMoney(500, currency) })
    problems.push({ path: `${path}.amountCents`, message })
  }
  return { kind: 'flat', amountCents, currency, ...(kind === 'unit' && { per: 'unit' }) }
}

const durationInput = (fields: Fields, path: string, problems: ErrorDetail[]) => {
  if (fields.duration === 'forever') return { durationMonths: null }
  if (fields.duration !== 'months') return {}
  const durationMonths = countIn(fields.durationMonths)
  if (durationMonths === undefined)
    problems.push({ path, message: inEnglish(m.rewards_months_missing) })
  return { durationMonths: durationMonths ?? Number.NaN }
}
