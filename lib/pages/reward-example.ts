/** The worked examples beside the forms of rewards. */
import { formatMoney } from '../money.ts'
import { type SaleExample, type SaleTerms, saleExample } from '../tracking/reward-example.ts'
import { earnings, type Money, type RewardTerms } from '../tracking/rewards.ts'

const money = ({ amountCents, currency }: Money): string => formatMoney(amountCents, currency)

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** An example in words, such as "A sale of 100.00 USD today earns 20.00 USD. The same customer’s sales earn until 22 Nov 2027." */
const saleExampleWords = ({ sale, earned, later }: SaleExample): string => {
  if (!earned) return `A sale of ${money(sale)} earns nothing.`
  if (!later.earn) {
    return `A customer’s first sale of ${money(sale)} earns ${money(earned)}. Later sales earn nothing.`
  }
  const end = later.until ? `until ${DAY.format(later.until)}` : 'without a limit'
  return `A sale of ${money(sale)} today earns ${money(earned)}. The same customer’s sales earn ${end}.`
}

/** What a lead earns, in words. */
export const leadExampleWords = (reward: RewardTerms | null): string => {
  const earned = reward && earnings(null, { id: '', ...reward })
  return `A lead earns ${earned?.amountCents ? money(earned) : 'nothing'}.`
}

/** What a sale earns under the terms of a program, in words. */
export const saleExampleOf = (terms: SaleTerms, now: Date): string =>
  saleExampleWords(saleExample(terms, now))

/** The terms of a program that an example depends on. */
export const saleTermsOf = ({
  reward,
  rewardInterval,
  rewardDurationMonths,
  oneTimeMinimumCents,
}: SaleTerms): SaleTerms => ({ reward, rewardInterval, rewardDurationMonths, oneTimeMinimumCents })
