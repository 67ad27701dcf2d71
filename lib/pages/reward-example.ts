/** The worked examples beside the forms of rewards. */
import { formatMoney, type MoneyFormat } from '../money.ts'
import { type SaleExample, type SaleTerms, saleExample } from '../tracking/reward-example.ts'
import { earnings, type RewardTerms } from '../tracking/rewards.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** An example in words, such as "A sale of 100.00 USD today earns 20.00 USD. The same customer’s sales earn until 22 Nov 2027." */
const saleExampleWords = ({ sale, earned, later }: SaleExample, money: MoneyFormat): string => {
  const saleAmount = money(sale.amountCents, sale.currency)
  if (!earned) return `A sale of ${saleAmount} earns nothing.`
  const earns = money(earned.amountCents, earned.currency)
  if (!later.earn) {
    return `A customer’s first sale of ${saleAmount} earns ${earns}. Later sales earn nothing.`
  }
  const end = later.until ? `until ${DAY.format(later.until)}` : 'without a limit'
  return `A sale of ${saleAmount} today earns ${earns}. The same customer’s sales earn ${end}.`
}

/** What a lead earns, in words. */
export const leadExampleWords = (reward: RewardTerms | null, money: MoneyFormat = formatMoney): string => {
  const earned = reward && earnings(null, { id: '', ...reward })
  return `A lead earns ${earned?.amountCents ? money(earned.amountCents, earned.currency) : 'nothing'}.`
}

/** What a sale earns under the terms of a program, in words. */
export const saleExampleOf = (terms: SaleTerms, now: Date, money: MoneyFormat = formatMoney): string =>
  saleExampleWords(saleExample(terms, now), money)

/** The terms of a program that an example depends on. */
export const saleTermsOf = ({
  reward,
  rewardInterval,
  rewardDurationMonths,
  oneTimeMinimumCents,
}: SaleTerms): SaleTerms => ({ reward, rewardInterval, rewardDurationMonths, oneTimeMinimumCents })
