/**
 * Rewardful's campaigns as rewards:
 * https://developers.rewardful.com/rest-api/campaigns/the-campaign-object.
 */
import type { RewardTerms } from '../../../rules/rewards/rewards.ts'
import { formatMoney } from '../../../values/money.ts'
import { type Fields, integerOf, textOf } from '../platforms/json.ts'
import {
  basisPointsOf,
  centsOf,
  flatBase,
  knownCurrencyOf,
  monthsOf,
  type ReadReward,
} from './read-reward.ts'

const readBase = (campaign: Fields): RewardTerms | null => {
  if (campaign.reward_type === 'percent') {
    const basisPoints = basisPointsOf(campaign.commission_percent)
    return basisPoints === null ? null : { kind: 'percent', basisPoints }
  }
  if (campaign.reward_type !== 'amount') return null
  const cents = centsOf(campaign.commission_amount_cents)
  const currency = knownCurrencyOf(campaign.commission_amount_currency)
  return cents === null || currency === null ? null : flatBase(cents, currency)
}

/** Terms of a campaign that are settings of a program, and not part of a reward. */
const settingsOf = (campaign: Fields): string[] => {
  const minimum = integerOf(campaign.minimum_payout_cents)
  const currency = knownCurrencyOf(campaign.minimum_payout_currency)
  const clicks = integerOf(campaign.days_before_referrals_expire)
  const due = integerOf(campaign.days_until_commissions_are_due)
  const coupon = textOf(campaign.stripe_coupon_id)
  return [
    ...(minimum && currency
      ? [`Set the program’s minimum payout by hand: it is ${formatMoney(minimum, currency)}.`]
      : []),
    ...(clicks === null
      ? []
      : [`Set the program’s attribution window by hand: referrals expire after ${clicks} days.`]),
    ...(due === null
      ? []
      : [`Set the program’s holding period by hand: commissions are due after ${due} days.`]),
    ...(coupon ? [`The discount for customers (${coupon}) is not taken over.`] : []),
  ]
}

const UNREADABLE = 'Its commission cannot be read, so nothing is taken over.'

/** A limit of 1 is a one-time reward. A higher one is a rule that pays nothing after it. */
export const readCampaignReward = (campaign: Fields): ReadReward => {
  const base = readBase(campaign)
  const months = monthsOf(campaign.max_commission_period_months)
  const most = campaign.max_commissions == null ? null : integerOf(campaign.max_commissions)
  const isReadable =
    base !== null &&
    months !== undefined &&
    (campaign.max_commissions == null || (most !== null && most > 0))
  if (!isReadable)
    return {
      event: 'sale',
      reward: null,
      isOneTime: false,
      months: null,
      differences: [UNREADABLE, ...settingsOf(campaign)],
    }
  const isOneTime = most === 1 || months === 0
  if (isOneTime || most === null)
    return { event: 'sale', reward: base, isOneTime, months, differences: settingsOf(campaign) }
  return {
    event: 'sale',
    reward: {
      ...base,
      rules: [
        {
          name: `After ${most} payments`,
          when: { all: [{ fact: 'payment', atLeast: most + 1 }] },
          pay: { kind: 'none' },
        },
      ],
    },
    isOneTime,
    months,
    differences: [
      `The limit of ${most} commissions counts the customer’s payments here. An imported customer who has paid before counts as having paid once.`,
      ...settingsOf(campaign),
    ],
  }
}
