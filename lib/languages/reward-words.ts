/** Rewards in words, as partners read them on pages and in mails. */
import type { BaseReward, RewardTerms, Rule } from '../rules/rewards/rewards.ts'
import type { MoneyFormat } from '../values/money.ts'
import { type Language, LOCALES } from './languages.ts'
import type { Translate } from './message.ts'
import * as m from './messages.ts'
import type { NumberFormat } from './number-format.ts'

export type RewardedEvent = 'sale' | 'lead'

/** How the words are written: in which language, and how amounts and percentages are. */
export type RewardStyle = {
  language: Language
  t: Translate
  money: MoneyFormat
  figure: NumberFormat
}

/**
 * A reward as text: "20% of each sale", or with rules, in their order: "30% for “Annual plans”, 20%
 * for everything else".
 */
export const rewardWords = (
  reward: RewardTerms,
  event: RewardedEvent,
  style: RewardStyle,
): string => {
  if (!reward.rules?.length) return baseWords(reward, event, style)
  const parts = [
    ...reward.rules.map((rule) => ruleWords(rule, event, style)),
    restWords(reward, event, style),
  ]
  return new Intl.ListFormat(LOCALES[style.language], { type: 'unit' }).format(parts)
}

const baseWords = (
  base: BaseReward,
  event: RewardedEvent,
  { t, money, figure }: RewardStyle,
): string => {
  if (base.kind === 'percent') {
    const percent = figure(base.basisPoints / 100)
    return t(event === 'lead' ? m.reward_percent_lead : m.reward_percent_sale, { percent })
  }
  const amount = money(base.amountCents, base.currency)
  return t(event === 'lead' ? m.reward_flat_lead : m.reward_flat_sale, { amount })
}

/** What the base pays where no rule applies. */
const restWords = (
  base: BaseReward,
  event: RewardedEvent,
  { t, money, figure }: RewardStyle,
): string => {
  if (base.kind === 'percent')
    return t(m.reward_rest_percent, { percent: figure(base.basisPoints / 100) })
  const amount = money(base.amountCents, base.currency)
  return t(event === 'lead' ? m.reward_rest_lead : m.reward_rest_sale, { amount })
}

const ruleWords = (
  { name: rule, pay, durationMonths: months }: Rule,
  event: RewardedEvent,
  style: RewardStyle,
): string => {
  const reward = payWords(pay, rule, event, style)
  if (months === undefined) return reward
  return months === null
    ? style.t(m.reward_without_end, { reward })
    : style.t(m.reward_for_months, { reward, months })
}

const payWords = (
  pay: Rule['pay'],
  rule: string,
  event: RewardedEvent,
  { t, money, figure }: RewardStyle,
): string => {
  if (pay.kind === 'none') return t(m.reward_rule_nothing, { rule })
  if (pay.kind === 'percent')
    return t(m.reward_rule_percent, { percent: figure(pay.basisPoints / 100), rule })
  const amount = money(pay.amountCents, pay.currency)
  if (pay.per === 'unit') return t(m.reward_rule_unit, { amount, rule })
  return t(event === 'lead' ? m.reward_rule_lead : m.reward_rule_sale, { amount, rule })
}
