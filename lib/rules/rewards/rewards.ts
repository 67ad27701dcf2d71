/** Rewards: what an event earns. Spec, section 4.1, rule 1. */
import { type Money, shareOf } from '../../values/money.ts'
import type { Cap } from './caps.ts'
import { type Condition, type Conditions, eachCondition } from './conditions.ts'
import type { RewardResponse, RuleResponse } from './rewards.responses.ts'

/** A percentage of the sale, or a flat amount in its own currency. */
export type BaseReward =
  | { kind: 'percent'; basisPoints: number }
  | { kind: 'flat'; amountCents: number; currency: string }

/** What a rule pays for a line: also nothing. A flat amount is per sale, or per unit of a line. */
export type Pay =
  | { kind: 'percent'; basisPoints: number }
  | { kind: 'flat'; amountCents: number; currency: string; per: 'sale' | 'unit' }
  | { kind: 'none' }

export type Rule = {
  name: string
  when: Conditions
  pay: Pay
  /** For how long, in place of the program's duration; null is without end. */
  durationMonths?: number | null
}

/**
 * A base, and rules in order: the first whose conditions all hold decides a line of a sale. What it
 * earns is reduced by the caps.
 */
export type RewardTerms = BaseReward & { rules?: Rule[] | null; caps?: Cap[] | null }

/** Whether the rules of a reward ask for one of some facts. */
export const asksFor = ({ rules }: RewardTerms, ...facts: Condition['fact'][]): boolean =>
  (rules ?? []).flatMap(({ when }) => eachCondition(when)).some(({ fact }) => facts.includes(fact))

/** What the base pays for the lines that no rule decides. */
export const payOf = (base: BaseReward): Pay =>
  base.kind === 'percent'
    ? { kind: 'percent', basisPoints: base.basisPoints }
    : { kind: 'flat', amountCents: base.amountCents, currency: base.currency, per: 'sale' }

export type Reward = { id: string } & RewardTerms

/** A reward as the API returns and accepts it: a share is in percent. */
export const rewardResponse = (reward: RewardTerms): RewardResponse => ({
  ...(reward.kind === 'percent'
    ? { kind: 'percent', percent: reward.basisPoints / 100 }
    : { kind: 'flat', amountCents: reward.amountCents, currency: reward.currency }),
  ...(reward.rules?.length && { rules: reward.rules.map(ruleResponse) }),
  ...(reward.caps?.length && { caps: reward.caps }),
})

const ruleResponse = ({ pay, ...rule }: Rule): RuleResponse => ({
  ...rule,
  pay: payResponse(pay),
})

const payResponse = (pay: Pay): RuleResponse['pay'] => {
  if (pay.kind === 'percent') return { kind: 'percent', percent: pay.basisPoints / 100 }
  if (pay.kind === 'none') return pay
  const { per, ...flat } = pay
  return per === 'unit' ? { ...flat, per } : flat
}

/** The terms of a reward in requests or the audit log. */
export const rewardTermsOf = ({
  rules,
  caps,
  ...base
}: OfBase<RewardResponse> & {
  rules?: RuleResponse[] | null | undefined
  caps?: Cap[] | null | undefined
}): RewardTerms => ({
  ...(base.kind === 'percent'
    ? { kind: 'percent', basisPoints: basisPointsOf(base.percent) }
    : { kind: 'flat', amountCents: base.amountCents, currency: base.currency }),
  ...(rules?.length && { rules: rules.map(ruleOf) }),
  ...(caps?.length && { caps }),
})

/** Each kind of reward without its rules and caps. */
type OfBase<R> = R extends unknown ? Omit<R, 'rules' | 'caps'> : never

const ruleOf = ({ pay, ...rule }: RuleResponse): Rule => ({ ...rule, pay: payIn(pay) })

const payIn = (pay: RuleResponse['pay']): Pay => {
  if (pay.kind === 'percent') return { kind: 'percent', basisPoints: basisPointsOf(pay.percent) }
  return pay.kind === 'flat' ? { ...pay, per: pay.per ?? 'sale' } : pay
}

const basisPointsOf = (percent: number): number => Math.round(percent * 100)

/**
 * What a sale earns under a reward. A percentage is in the sale's currency, and rounds half up. A
 * flat reward is in its own currency, but never more than a sale in that currency. A lead has no
 * amount, so a percentage of it is nothing. Design, section 5.
 *
 * @param sale the amount sold, minor units, or null for a lead
 */
export const earnings = (sale: Money | null, reward: Reward): Money | null => {
  if (reward.kind === 'flat') {
    const flat = { amountCents: BigInt(reward.amountCents), currency: reward.currency }
    return sale && exceeds(flat, sale) ? sale : flat
  }
  return (
    sale && { amountCents: shareOf(sale.amountCents, reward.basisPoints), currency: sale.currency }
  )
}

const exceeds = (flat: Money, sale: Money): boolean =>
  flat.currency === sale.currency && flat.amountCents > sale.amountCents
