/** Rewards in words, in the language of the page. */
import { LOCALES } from '../../languages/languages.ts'
import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { BaseReward, RewardTerms, Rule } from '../../rules/rewards/rewards.ts'
import { t } from '../layout/text.ts'
import { figure, money, pageLanguage } from '../parts/money.tsx'

export type RewardedEvent = 'sale' | 'lead'

/**
 * A reward as text: "20% of each sale", or with rules, in their order: "30% for “Annual plans” and
 * 20% for everything else".
 */
export const describeReward = (
  reward: RewardTerms,
  event: RewardedEvent = 'sale',
  write: Translate = t,
): string => {
  if (!reward.rules?.length) return describeBase(reward, event, write)
  const parts = [
    ...reward.rules.map((rule) => describeRule(rule, event, write)),
    describeRest(reward, event, write),
  ]
  return new Intl.ListFormat(LOCALES[pageLanguage()], { type: 'unit' }).format(parts)
}

const describeBase = (base: BaseReward, event: RewardedEvent, write: Translate): string => {
  if (base.kind === 'percent') {
    const percent = figure(base.basisPoints / 100)
    return write(event === 'lead' ? m.reward_percent_lead : m.reward_percent_sale, { percent })
  }
  const amount = money(base.amountCents, base.currency)
  return write(event === 'lead' ? m.reward_flat_lead : m.reward_flat_sale, { amount })
}

/** What the base pays where no rule applies. */
const describeRest = (base: BaseReward, event: RewardedEvent, write: Translate): string => {
  if (base.kind === 'percent')
    return write(m.reward_rest_percent, { percent: figure(base.basisPoints / 100) })
  const amount = money(base.amountCents, base.currency)
  return write(event === 'lead' ? m.reward_rest_lead : m.reward_rest_sale, { amount })
}

const describeRule = (
  { name: rule, pay, durationMonths: months }: Rule,
  event: RewardedEvent,
  write: Translate,
): string => {
  const reward = describePay(pay, rule, event, write)
  if (months === undefined) return reward
  return months === null
    ? write(m.reward_without_end, { reward })
    : write(m.reward_for_months, { reward, months })
}

const describePay = (
  pay: Rule['pay'],
  rule: string,
  event: RewardedEvent,
  write: Translate,
): string => {
  if (pay.kind === 'none') return write(m.reward_rule_nothing, { rule })
  if (pay.kind === 'percent')
    return write(m.reward_rule_percent, { percent: figure(pay.basisPoints / 100), rule })
  const amount = money(pay.amountCents, pay.currency)
  if (pay.per === 'unit') return write(m.reward_rule_unit, { amount, rule })
  return write(event === 'lead' ? m.reward_rule_lead : m.reward_rule_sale, { amount, rule })
}
