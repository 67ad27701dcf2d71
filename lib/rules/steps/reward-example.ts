/** A reward worked out for one event, to show what the terms of a program mean. */
import { monthsAfter } from '../../values/days.ts'
import { decimalsOf, type Money } from '../../values/money.ts'
import { applyCaps } from '../rewards/caps.ts'
import { NO_PAYMENTS, type SaleFacts } from '../rewards/conditions.ts'
import { earnByLine } from '../rewards/earn-lines.ts'
import { earnings, type RewardTerms } from '../rewards/rewards.ts'
import { linesOf } from '../rewards/sale-lines.ts'
import type { OneTimePer, RewardInterval } from './intervals.ts'

export type SaleTerms = {
  reward: RewardTerms
  rewardInterval: RewardInterval
  rewardDurationMonths: number | null
  oneTimeMinimumCents: number
  oneTimePer: OneTimePer
}

/** What a customer's first sale earns, and which later ones earn too. */
export type SaleExample = {
  sale: Money
  /** Null if it earns nothing. */
  earned: Money | null
  later: { earn: false; per: OneTimePer } | { earn: true; until: Date | null }
}

/** The currency of the example of a percentage. */
const CURRENCY = 'USD'

/** A round amount that shows all of a reward: 100 units of the currency, or so many times ten. */
const sampleSale = ({ reward, rewardInterval, oneTimeMinimumCents }: SaleTerms): Money => {
  const currency = reward.kind === 'flat' ? reward.currency : CURRENCY
  const least = Math.max(
    reward.kind === 'flat' ? reward.amountCents : 0,
    rewardInterval === 'one-time' ? oneTimeMinimumCents : 0,
  )
  let amountCents = 100 * 10 ** decimalsOf(currency)
  while (amountCents < least) amountCents *= 10
  return { amountCents: BigInt(amountCents), currency }
}

/** What a customer's first sale of an unnamed product earns. */
const earningsOf = (reward: RewardTerms, sale: Money, now: Date): Money | null => {
  if (!reward.rules?.length) return earnings(sale, { id: '', ...reward })
  const [line] = earnByLine(reward, linesOf(sale.amountCents, null), factsOf(sale, now), {
    firstRewardedAt: null,
    months: null,
  })
  return line ? { ...sale, amountCents: line.earnedCents } : null
}

/** The first sale has all of each cap. */
const withinCaps = (earned: Money | null, { caps }: RewardTerms): Money | null =>
  earned && { ...earned, amountCents: applyCaps(earned, caps ?? [], '', undefined).leftCents }

const factsOf = (sale: Money, occurredAt: Date): SaleFacts => ({
  occurredAt,
  sale,
  metadata: null,
  country: null,
  coupons: [],
  link: null,
  sub: null,
  tier: null,
  history: NO_PAYMENTS,
})

/** The example of a reward for sales. @param now when the customer buys first */
export const saleExample = (terms: SaleTerms, now: Date): SaleExample => {
  const { reward, rewardInterval, rewardDurationMonths: months } = terms
  const sale = sampleSale(terms)
  const earned = withinCaps(earningsOf(reward, sale, now), reward)
  return {
    sale,
    earned: earned?.amountCents ? earned : null,
    later:
      rewardInterval === 'one-time'
        ? { earn: false, per: terms.oneTimePer }
        : { earn: true, until: months === null ? null : monthsAfter(now, months) },
  }
}
