/** The examples beside the forms of rewards. */
import { inEnglish, type Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { earnings, type RewardTerms } from '../../rules/rewards/rewards.ts'
import { type SaleExample, type SaleTerms, saleExample } from '../../rules/steps/reward-example.ts'
import { formatMoney, type MoneyFormat } from '../../values/money.ts'

/**
 * An example in words, such as "A sale of 100.00 USD today earns 20.00 USD. The same customer’s
 * sales earn until 22 Nov 2027."
 */
const saleExampleWords = (
  { sale: of, earned: by, later }: SaleExample,
  money: MoneyFormat,
  t: Translate,
) => {
  const sale = money(of.amountCents, of.currency)
  if (!by) return t(m.example_nothing, { sale })
  const earned = money(by.amountCents, by.currency)
  if (!later.earn)
    return t(later.per === 'product' ? m.example_per_product : m.example_first, { sale, earned })
  return later.until
    ? t(m.example_until, { sale, earned, until: later.until })
    : t(m.example_forever, { sale, earned })
}

/** What a lead earns, in words. */
export const leadExampleWords = (
  reward: RewardTerms | null,
  money: MoneyFormat = formatMoney,
  t: Translate = inEnglish,
): string => {
  const earned = reward && earnings(null, { id: '', ...reward })
  if (!earned?.amountCents) return t(m.lead_example_nothing)
  return t(m.lead_example, { earned: money(earned.amountCents, earned.currency) })
}

/** What a sale earns under the terms of a program, in words. */
export const saleExampleOf = (
  terms: SaleTerms,
  now: Date,
  money: MoneyFormat = formatMoney,
  t: Translate = inEnglish,
): string => saleExampleWords(saleExample(terms, now), money, t)

/** The terms of a program that an example depends on. */
export const saleTermsOf = ({
  reward,
  rewardInterval,
  rewardDurationMonths,
  oneTimeMinimumCents,
  oneTimePer,
}: SaleTerms): SaleTerms => ({
  reward,
  rewardInterval,
  rewardDurationMonths,
  oneTimeMinimumCents,
  oneTimePer,
})
