/** Tiers, bonuses and what they count in words, for partners, managers and the audit log. */
import type { BonusTerms } from '../rules/bonuses/bonuses.ts'
import { levelsOf, type Measure, type Threshold, type Tiers } from '../rules/tiers/tiers.ts'
import { LOCALES } from './languages.ts'
import * as m from './messages.ts'
import type { RewardStyle } from './reward-words.ts'

type Style = Pick<RewardStyle, 'language' | 't' | 'money'>

/** So much of a measure: "$12,300.00 in net sales", "12 customers". */
export const measureWords = (
  { by, amount, currency = '' }: { by: Measure; amount: number; currency?: string | undefined },
  { t, money }: Pick<Style, 't' | 'money'>,
): string => {
  if (by === 'netSales') return t(m.measure_net_sales, { amount: money(amount, currency) })
  return t(by === 'customers' ? m.measure_customers : m.measure_sales, { count: amount })
}

/** What a bonus asks for: "10 customers". */
const thresholdWords = (threshold: Threshold, style: Pick<Style, 't' | 'money'>): string =>
  measureWords(
    threshold.by === 'netSales'
      ? { by: threshold.by, amount: threshold.atLeastCents, currency: threshold.currency }
      : { by: threshold.by, amount: threshold.atLeast },
    style,
  )

/** Each tier, and where it begins: "“Gold” from $10,000.00", "“Gold” from 50 customers". */
export const levelWords = (tiers: Tiers, style: Style): string[] =>
  levelsOf(tiers).map(({ name, atLeast }) => {
    const from =
      tiers.by === 'netSales'
        ? style.money(atLeast, tiers.currency)
        : measureWords({ by: tiers.by, amount: atLeast }, style)
    return style.t(m.tier_from, { tier: name, from })
  })

/** All tiers of a program for managers, with the period and what a tier does to groups. */
export const tiersWords = (tiers: Tiers, style: Style): string => {
  const words = levelWords(tiers, style)
  const levels = tiers.levels.map(({ name, groupId, movesBack }, i) => {
    const tier = words[i] ?? name
    if (!groupId) return tier
    return style.t(movesBack ? m.tiers_moves_and_back : m.tiers_moves, { tier })
  })
  return style.t(m.tiers_in_words, {
    tiers: listOf(levels, style),
    by: tiers.by,
    period: tiers.period,
    zone: tiers.timeZone,
  })
}

/** All bonuses of a program for managers: "$250.00 for 10 customers (“First ten”)". */
export const bonusesWords = (bonuses: BonusTerms[], style: Style): string =>
  listOf(
    bonuses.map((bonus) => bonusWords(bonus, style)),
    style,
  )

/** A bonus that is still to be earned. */
export const bonusWords = (bonus: BonusTerms, style: Pick<Style, 't' | 'money'>): string =>
  style.t(m.bonus_ahead, {
    name: bonus.name,
    amount: style.money(bonus.pays.amountCents, bonus.pays.currency),
    milestone: thresholdWords(bonus, style),
  })

const listOf = (parts: string[], { language }: Style): string =>
  new Intl.ListFormat(LOCALES[language], { type: 'unit' }).format(parts)
