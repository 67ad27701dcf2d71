/** Rewardful's campaigns as rewards of ours, and what managers paste. */
import { expect, test } from 'vitest'
import { pastedRewards } from '../../../lib/imports/sources/rewards/pasted-rewards.ts'
import { readCampaignReward } from '../../../lib/imports/sources/rewards/rewardful-rewards.ts'
import { reward as requestOf } from '../../../lib/rules/rewards/rewards.schemas.ts'
import { type RewardTerms, rewardResponse } from '../../../lib/rules/rewards/rewards.ts'

/** The campaign of the reference. */
const CAMPAIGN = {
  id: 'ceaef6d9-767e-49aa-a6ab-46c02aa79604',
  name: 'Best Friends',
  url: 'https://shop.example/',
  private: false,
  commission_amount_cents: null,
  commission_amount_currency: null,
  minimum_payout_cents: 0,
  max_commission_period_months: null,
  max_commissions: null,
  days_before_referrals_expire: null,
  days_until_commissions_are_due: null,
  stripe_coupon_id: null,
  default: false,
  reward_type: 'percent',
  commission_percent: 30.0,
  minimum_payout_currency: 'USD',
}
const AMOUNT = {
  ...CAMPAIGN,
  reward_type: 'amount',
  commission_percent: null,
  commission_amount_cents: 5_000,
  commission_amount_currency: 'eur',
}
const PERCENT: RewardTerms = { kind: 'percent', basisPoints: 3_000 }

test.each<{ case: string; campaign: object; reward: RewardTerms | null; more?: object }>([
  {
    case: 'a percentage',
    campaign: CAMPAIGN,
    reward: PERCENT,
    more: { isOneTime: false, months: null, differences: [] },
  },
  {
    case: 'an amount',
    campaign: AMOUNT,
    reward: { kind: 'flat', amountCents: 5_000, currency: 'EUR' },
  },
  {
    case: 'a period',
    campaign: { ...CAMPAIGN, max_commission_period_months: 12 },
    reward: PERCENT,
    more: { isOneTime: false, months: 12 },
  },
  {
    case: 'a period of no months',
    campaign: { ...CAMPAIGN, max_commission_period_months: 0 },
    reward: PERCENT,
    more: { isOneTime: true },
  },
  {
    case: 'one commission',
    campaign: { ...CAMPAIGN, max_commissions: 1 },
    reward: PERCENT,
    more: { isOneTime: true, differences: [] },
  },
  {
    case: 'six commissions',
    campaign: { ...CAMPAIGN, max_commissions: 6, max_commission_period_months: 24 },
    reward: {
      ...PERCENT,
      rules: [
        {
          name: 'After 6 payments',
          when: { all: [{ fact: 'payment', atLeast: 7 }] },
          pay: { kind: 'none' },
        },
      ],
    },
    more: {
      months: 24,
      differences: [
        'The limit of 6 commissions counts the customer’s payments here. An imported customer who has paid before counts as having paid once.',
      ],
    },
  },
  {
    case: 'settings of the program',
    campaign: {
      ...CAMPAIGN,
      minimum_payout_cents: 5_000,
      days_before_referrals_expire: 60,
      days_until_commissions_are_due: 30,
      stripe_coupon_id: 'jo45MTj3',
    },
    reward: PERCENT,
    more: {
      differences: [
        'Set the program’s minimum payout by hand: it is 50.00 USD.',
        'Set the program’s attribution window by hand: referrals expire after 60 days.',
        'Set the program’s holding period by hand: commissions are due after 30 days.',
        'The discount for customers (jo45MTj3) is not taken over.',
      ],
    },
  },
  ...[
    { case: 'a type that is not known', campaign: { ...CAMPAIGN, reward_type: 'points' } },
    { case: 'a third decimal', campaign: { ...CAMPAIGN, commission_percent: 33.333 } },
    { case: 'no percentage', campaign: { ...CAMPAIGN, commission_percent: null } },
    { case: 'no currency', campaign: { ...AMOUNT, commission_amount_currency: null } },
    {
      case: 'a currency that does not exist',
      campaign: { ...AMOUNT, commission_amount_currency: 'QQQ' },
    },
    { case: 'half a month', campaign: { ...CAMPAIGN, max_commission_period_months: 1.5 } },
    { case: 'no commissions at all', campaign: { ...CAMPAIGN, max_commissions: 0 } },
    { case: 'a limit that is no number', campaign: { ...CAMPAIGN, max_commissions: 'few' } },
  ].map(({ campaign, ...named }) => ({
    ...named,
    campaign,
    reward: null,
    more: { differences: ['Its commission cannot be read, so nothing is taken over.'] },
  })),
])('$case', ({ campaign, reward, more = {} }) => {
  const result = readCampaignReward(campaign as Record<string, unknown>)
  expect(result.reward).toEqual(reward)
  expect(result).toMatchObject({ event: 'sale', ...more })
  if (reward) expect(requestOf.parse(rewardResponse(reward))).toEqual(reward)
})

test('pasted rewards are a list, a response with a list, or one reward', () => {
  const row = { kind: 'reward', name: 'Best Friends', group: 'Best Friends' }
  for (const json of [[CAMPAIGN], { data: [CAMPAIGN] }, CAMPAIGN])
    expect(pastedRewards('rewardful', JSON.stringify(json))).toMatchObject([row])
  const dub = { id: 'rw_1', event: 'sale', type: 'percentage', amountInPercentage: 20 }
  for (const json of [[dub], { data: [dub] }, dub])
    expect(pastedRewards('dub', JSON.stringify(json))).toMatchObject([
      { kind: 'reward', name: 'rw_1', reward: { kind: 'percent', percent: 20 } },
    ])
  for (const text of ['', 'x', '7', 'null', '[]', '{}', '{"data": {}}'])
    expect(pastedRewards('dub', text)).toBeNull()
})

test('what the platform returned is kept as text, cut to a bounded length', () => {
  const [row] = pastedRewards('rewardful', JSON.stringify({ ...CAMPAIGN, name: 'a\0b' })) ?? []
  expect(row?.name).toBe('ab')
  expect(JSON.stringify(row)).not.toContain('"\\u0000')
  const [long] =
    pastedRewards('rewardful', JSON.stringify({ ...CAMPAIGN, text: 'x'.repeat(20_000) })) ?? []
  expect(long?.original).toHaveLength(10_000)
})
