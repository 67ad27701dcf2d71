/** Rewards in words, as partners read them on pages and in mails. */
import type { Cap, Capped } from '../rules/rewards/caps.ts'
import type { Condition, Conditions } from '../rules/rewards/conditions.ts'
import type { BaseReward, RewardTerms, Rule } from '../rules/rewards/rewards.ts'
import type { MoneyFormat } from '../values/money.ts'
import { type Language, LOCALES } from './languages.ts'
import type { Message, Translate } from './message.ts'
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
 * A reward as text: "20% of each sale", or with rules and caps, in their order: "30% for “Annual
 * plans” in the tier “Gold”, 20% for everything else, at most $500.00 per customer".
 */
export const rewardWords = (
  reward: RewardTerms,
  event: RewardedEvent,
  style: RewardStyle,
): string => {
  const parts = reward.rules?.length
    ? [
        ...reward.rules.map((rule) => ruleWords(rule, event, style)),
        restWords(reward, event, style),
      ]
    : [baseWords(reward, event, style)]
  const locale = LOCALES[style.language]
  const words = new Intl.ListFormat(locale, { type: 'unit' }).format(parts)
  if (!reward.caps?.length) return words
  const caps = reward.caps.map((cap) => capWords(cap, style))
  return style.t(m.reward_with_caps, {
    reward: words,
    caps: new Intl.ListFormat(locale).format(caps),
  })
}

const CAPS: Record<Capped, Message<{ amount: string }>> = {
  sale: m.reward_cap_sale,
  customer: m.reward_cap_customer,
  partner_month: m.reward_cap_month,
}

const capWords = ({ per, amountCents, currency }: Cap, { t, money }: RewardStyle): string =>
  t(CAPS[per], { amount: money(amountCents, currency) })

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

/**
 * The tiers that a rule asks for, whatever else it asks for. None if it may apply without one of
 * them, or if a word of its name says the tier, as in “Gold partners”.
 */
const tiersOf = ({ name, when }: Rule): string[] => {
  const items: (Condition | Conditions)[] = 'all' in when ? when.all : when.any
  const asked = items.find((item) => 'fact' in item && item.fact === 'tier')
  if (!asked || ('any' in when && items.length > 1)) return []
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return asked.in.every((tier) => words.includes(tier.toLowerCase())) ? [] : asked.in
}

const ruleWords = (rule: Rule, event: RewardedEvent, style: RewardStyle): string => {
  const { name, pay, durationMonths: months } = rule
  const tiers = tiersOf(rule)
  const words = payWords(pay, name, event, style)
  const reward = tiers.length > 0 ? inTiers(words, tiers, style) : words
  if (months === undefined) return reward
  return months === null
    ? style.t(m.reward_without_end, { reward })
    : style.t(m.reward_for_months, { reward, months })
}

const inTiers = (reward: string, tiers: string[], { language, t }: RewardStyle): string => {
  const names = tiers.map((tier) => t(m.reward_tier, { tier }))
  const list = new Intl.ListFormat(LOCALES[language], { type: 'disjunction' })
  return t(m.reward_in_tiers, { reward, count: tiers.length, tiers: list.format(names) })
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
