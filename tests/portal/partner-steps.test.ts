import { expect, test } from 'vitest'
import { inEnglish } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import {
  explainToPartner,
  reasonWithoutCommission,
  type VisibleEvent,
} from '../../lib/portal/partner-steps.ts'
import type { LineFacts, Step } from '../../lib/rules/steps/steps.ts'

const times = { clickedAt: '2026-06-01T23:30:00Z', expiresAt: '2026-08-30T23:30:00Z' }
const click = (slug = 'ann') => ({ clickId: 'clk_secret', slug, ...times })
const created = {
  slug: 'ann',
  amountCents: 980,
  currency: 'USD',
  payableAt: '2026-07-01T00:00:00Z',
}

const line = (facts: Partial<LineFacts>): Step => ({
  code: 'line_reward',
  facts: { rule: null, pays: { percent: 30 }, earnedCents: 23_700, currency: 'USD', ...facts },
})

const credited: VisibleEvent = {
  kind: 'sale',
  steps: [],
  isCredited: true,
  isCreditedToOther: false,
  isClicked: true,
  isOfShadow: false,
  partnerId: 'ann’s id',
}
const uncredited = { ...credited, isCredited: false }
const others = { ...uncredited, isCreditedToOther: true }

const OTHERS = 'This sale was credited to another partner.'

test.each<{ case: string; event: VisibleEvent; steps: Step[]; shown: string[] }>([
  {
    case: 'a click that counts, and what it earned',
    event: credited,
    steps: [
      { code: 'click', facts: click() },
      { code: 'group_reward', facts: { group: 'Cheap ones', percent: 12.5 } },
      { code: 'commission_created', facts: created },
    ],
    shown: [
      'The visitor clicked your link on 1 June 2026. The click is valid until 30 August 2026.',
      'Your reward is 12.5% of the sale.',
      'You earned 9.80 USD, payable from 1 July 2026.',
    ],
  },
  {
    case: 'a tier, a cap, and a budget that is the merchant’s',
    event: credited,
    steps: [
      {
        code: 'tier',
        facts: {
          tier: 'Gold',
          day: '2026-05-12',
          by: 'netSales',
          period: 'month',
          currency: 'USD',
          reached: 1_230_000,
          next: { tier: 'Platinum', atLeast: 5_000_000 },
        },
      },
      {
        code: 'tier',
        facts: { tier: null, day: '2026-05-12', by: 'sales', period: 'ever', reached: 1 },
      },
      line({ rule: 'Best', earnedCents: 20_000, cutCents: 3_700 }),
      {
        code: 'cap_applied',
        facts: {
          per: 'customer',
          capCents: 50_000,
          beforeCents: 23_700,
          leftCents: 20_000,
          currency: 'USD',
        },
      },
      {
        code: 'cap_applied',
        facts: {
          per: 'partner_month',
          capCents: 50_000,
          beforeCents: 23_700,
          leftCents: 0,
          currency: 'USD',
        },
      },
      {
        code: 'over_budget',
        facts: { month: '2026-05', budgetCents: 500_000, spentCents: 490_000, currency: 'USD' },
      },
    ],
    shown: [
      'Your tier was “Gold”: 12,300.00 USD in net sales in the calendar month before 12 May 2026. “Platinum” begins at 50,000.00 USD in net sales.',
      'You had no tier: 1 sale in all before 12 May 2026.',
      'This sale: “Best” pays 30%, which is 237.00 USD. 37.00 USD of it is above the most that your reward pays.',
      'Your reward is at most 500.00 USD per customer, so you earn 200.00 USD of 237.00 USD.',
      'Your reward is at most 500.00 USD per month, and earlier sales have reached that. This sale earns nothing.',
    ],
  },
  {
    case: 'a lead with a flat reward',
    event: { ...credited, kind: 'lead' },
    steps: [{ code: 'group_reward', facts: { group: 'Gold', amountCents: 500, currency: 'USD' } }],
    shown: ['Your reward for a lead is 5.00 USD.'],
  },
  {
    case: 'lines of a sale under a reward with rules',
    event: { ...credited, isClicked: false },
    steps: [
      { code: 'partner_reward', facts: { percent: 20, rules: 3 } },
      line({ line: 1, name: 'Annual plan', productId: 'prod_x', rule: 'Annual plans' }),
      line({ line: 2, productId: 'prod_y', pays: { percent: 20 }, earnedCents: 200 }),
      line({ line: 3, rule: 'Seats', pays: { amountCents: 500, currency: 'USD', per: 'unit' } }),
      line({ line: 4, name: 'Gift card', rule: 'Gift cards', pays: null, earnedCents: 0 }),
      line({ line: 5, rule: 'Seats', refusal: 'past_reward_duration', earnedCents: 0 }),
    ],
    shown: [
      'Your reward depends on what was bought: 20%, unless a rule pays otherwise.',
      'Line 1, Annual plan: “Annual plans” pays 30%, which is 237.00 USD.',
      'Line 2, prod_y: no rule applies. The reward of 20% is 2.00 USD.',
      'Line 3: “Seats” pays 5.00 USD per unit, which is 237.00 USD.',
      'Line 4, Gift card: “Gift cards” pays nothing.',
      'Line 5: the reward period for this customer has ended.',
    ],
  },
  {
    case: 'a lead under a reward with rules',
    event: { ...credited, kind: 'lead', isClicked: false },
    steps: [
      line({
        rule: 'Germany',
        pays: { amountCents: 500, currency: 'USD', per: 'sale' },
        earnedCents: 500,
      }),
    ],
    shown: ['This lead: “Germany” pays 5.00 USD per lead, which is 5.00 USD.'],
  },
  {
    case: 'a coupon of the reader’s',
    event: { ...credited, isClicked: false },
    steps: [{ code: 'coupon', facts: { couponId: 'promo_secret', slug: 'ann' } }],
    shown: ['The checkout used one of your coupon codes.'],
  },
  {
    case: 'a coupon of somebody who was banned, after which the reader’s click counted',
    event: credited,
    steps: [
      { code: 'coupon', facts: { couponId: 'promo_secret', slug: 'bob' } },
      { code: 'partner_inactive', facts: { slug: 'bob', partnerId: 'bob’s id' } },
      { code: 'click', facts: click() },
    ],
    shown: [
      'The visitor clicked your link on 1 June 2026. The click is valid until 30 August 2026.',
    ],
  },
  {
    case: 'a customer whom the reader brought first, though another one’s click came later',
    event: { ...credited, isClicked: false },
    steps: [
      { code: 'click', facts: click('bob') },
      { code: 'customer', facts: { slug: 'ann', because: 'first_partner' } },
    ],
    shown: ['You referred this customer first, and this program keeps a customer’s first partner.'],
  },
  {
    case: 'a paid trial under a one-time reward',
    event: credited,
    steps: [{ code: 'below_one_time_minimum', facts: { minimumCents: 500, currency: 'USD' } }],
    shown: [
      'This program rewards a customer’s first sale of at least 5.00 USD. This sale is smaller, and a later one can be rewarded.',
    ],
  },
  {
    case: 'a proration under a flat recurring reward',
    event: credited,
    steps: [{ code: 'proration', facts: {} }],
    shown: [
      'The customer changed its subscription within a period. A flat reward is paid once per period.',
    ],
  },
  {
    case: 'a flat reward for a smaller sale',
    event: credited,
    steps: [{ code: 'reward_capped', facts: { saleCents: 50, currency: 'USD' } }],
    shown: ['A reward is never more than the sale, so it was reduced to the amount of the sale.'],
  },
  {
    case: 'a renewal',
    event: { ...credited, isClicked: false },
    steps: [{ code: 'customer', facts: { slug: 'ann', because: 'owner' } }],
    shown: ['This customer belongs to you, and you are credited with its purchases.'],
  },
  {
    case: 'an expired click',
    event: uncredited,
    steps: [{ code: 'expired_click', facts: click() }],
    shown: [
      'The visitor clicked your link on 1 June 2026, but a click is valid for 90 days and expired on 30 August 2026.',
    ],
  },
  {
    case: 'an expired click of somebody else, who has the same slug in another program',
    event: { ...credited, isClicked: false },
    steps: [
      { code: 'expired_click', facts: click('ann') },
      { code: 'customer', facts: { slug: 'ann', because: 'owner' } },
    ],
    shown: ['This customer belongs to you, and you are credited with its purchases.'],
  },
  {
    case: 'a reader who was banned',
    event: uncredited,
    steps: [{ code: 'partner_inactive', facts: { slug: 'ann-of-then', partnerId: 'ann’s id' } }],
    shown: ['You were not active in this program, so this is not credited to you.'],
  },
  {
    case: 'another partner who keeps the customer, and what that one earned',
    event: others,
    steps: [
      { code: 'click', facts: click() },
      { code: 'customer', facts: { slug: 'bob', because: 'first_partner' } },
      { code: 'program_reward', facts: { percent: 50 } },
      { code: 'commission_created', facts: { ...created, slug: 'bob' } },
      {
        code: 'commission_reversed',
        facts: {
          refundedCents: 1,
          disputedCents: 0,
          paidCents: 9,
          paidCurrency: 'USD',
          amountCents: 1,
          currency: 'USD',
        },
      },
    ],
    shown: [
      'The visitor clicked your link on 1 June 2026. The click is valid until 30 August 2026.',
      OTHERS,
    ],
  },
  {
    case: 'a refund by hand, without who recorded it',
    event: { ...credited, kind: 'refund' },
    steps: [
      { code: 'refunded_by_hand', facts: { reason: 'Returned the box', by: 'ann@shop.example' } },
    ],
    shown: ['The merchant recorded this refund: Returned the box'],
  },
  {
    case: 'another partner’s refund by hand',
    event: { ...others, kind: 'refund' },
    steps: [
      { code: 'refunded_by_hand', facts: { reason: 'Returned the box', by: 'ann@shop.example' } },
    ],
    shown: ['This refund was credited to another partner.'],
  },
  {
    case: 'another partner’s coupon',
    event: others,
    steps: [{ code: 'coupon', facts: { couponId: 'promo_secret', slug: 'bob' } }],
    shown: [OTHERS],
  },
  {
    case: 'a commission that took the place of another partner’s',
    event: credited,
    steps: [
      {
        code: 'commission_replaced',
        facts: { slug: 'bob', partnerId: 'bob’s id', amountCents: 77, currency: 'USD' },
      },
    ],
    shown: [],
  },
  {
    case: 'a commission that took the place of the reader’s own',
    event: credited,
    steps: [
      {
        code: 'commission_replaced',
        facts: { slug: 'ann-of-then', partnerId: 'ann’s id', amountCents: 77, currency: 'USD' },
      },
    ],
    shown: [
      'You were credited differently before all facts were known. That commission was reversed.',
    ],
  },
  {
    case: 'the second record of a purchase',
    event: credited,
    steps: [{ code: 'same_purchase', facts: { externalId: 'in_secret' } }],
    shown: ['This purchase was recorded twice. The other record is credited.'],
  },
  {
    case: 'what cannot be distinguished from nothing',
    event: { ...uncredited, isClicked: false },
    steps: [
      { code: 'no_click', facts: {} },
      { code: 'unknown_click', facts: { clickId: 'clk_secret' } },
      { code: 'unknown_customer', facts: {} },
    ],
    shown: [],
  },
])('$case', ({ event, steps, shown }) => {
  expect(explainToPartner({ ...event, steps })).toEqual(shown)
})

test.each([
  { refundedCents: 100, disputedCents: 0, because: 'The buyer received a refund' },
  { refundedCents: 0, disputedCents: 100, because: 'The buyer disputed the payment' },
  {
    refundedCents: 100,
    disputedCents: 100,
    because: 'The buyer received a refund and disputed the payment',
  },
])('$because', ({ because, ...given }) => {
  const facts = { ...given, paidCents: 900, paidCurrency: 'EUR', amountCents: 90, currency: 'USD' }
  expect(
    explainToPartner({ ...credited, steps: [{ code: 'commission_reversed', facts }] }),
  ).toEqual([`${because}, so 0.90 USD of your commission was reversed.`])
})

test('what is reversed of each line is said, and not what was returned', () => {
  const facts = {
    ...{ refundedCents: 500, disputedCents: 0, paidCents: 900, paidCurrency: 'USD' },
    ...{ amountCents: 90, currency: 'USD' },
    lines: [
      { line: 1, returnedCents: 100, reversedCents: 20 },
      { line: 3, returnedCents: 400, reversedCents: 70 },
    ],
  }
  expect(
    explainToPartner({ ...credited, steps: [{ code: 'commission_reversed', facts }] }),
  ).toEqual([
    'The buyer received a refund, so 0.90 USD of your commission was reversed. Line 1: 0.20 USD reversed. Line 3: 0.70 USD reversed.',
  ])
})

test.each<{ event: VisibleEvent; step: Step; why: string | null }>([
  {
    event: others,
    step: { code: 'click', facts: click() },
    why: 'this sale was credited to another partner',
  },
  {
    event: uncredited,
    step: { code: 'expired_click', facts: click() },
    why: 'the click was older than 90 days',
  },
  {
    event: uncredited,
    step: { code: 'partner_inactive', facts: { slug: 'ann-of-then', partnerId: 'ann’s id' } },
    why: 'you were not active in this program',
  },
  {
    event: uncredited,
    step: { code: 'no_click', facts: {} },
    why: 'this sale is not linked to you',
  },
  {
    event: credited,
    step: { code: 'no_reward', facts: { slug: 'ann' } },
    why: 'this program does not reward leads',
  },
  {
    event: credited,
    step: { code: 'one_time_already_rewarded', facts: { firstRewardedAt: times.clickedAt } },
    why: 'only a customer’s first sale is rewarded',
  },
  {
    event: credited,
    step: {
      code: 'past_reward_duration',
      facts: { firstRewardedAt: times.clickedAt, months: 12, endedAt: times.expiresAt },
    },
    why: 'the reward period for this customer has ended',
  },
  { event: credited, step: { code: 'zero_amount', facts: {} }, why: 'the reward is zero' },
  {
    event: credited,
    step: {
      code: 'cap_applied',
      facts: { per: 'customer', capCents: 100, beforeCents: 50, leftCents: 0, currency: 'USD' },
    },
    why: 'earlier sales have reached the most that your reward pays',
  },
  {
    event: credited,
    step: {
      code: 'cap_applied',
      facts: { per: 'sale', capCents: 100, beforeCents: 500, leftCents: 100, currency: 'USD' },
    },
    why: null,
  },
  { event: credited, step: { code: 'commission_created', facts: created }, why: null },
])('in short, of $step.code: $why', ({ event, step, why }) => {
  const seen = { ...event, steps: [step] }
  expect(reasonWithoutCommission(seen)).toBe(why)
  // What is shown at length never names what is the merchant's or another partner's.
  expect(explainToPartner(seen).join(' ')).not.toMatch(/secret|bob|clk_/)
})

test('of a commission of shadow mode the partner reads no reward and no amount', () => {
  const steps: VisibleEvent['steps'] = [
    { code: 'click', facts: click() },
    { code: 'program_reward', facts: { percent: 20 } },
    { code: 'commission_created', facts: created },
  ]
  const sentences = explainToPartner({ ...credited, isOfShadow: true, steps })
  expect(sentences).toHaveLength(2)
  expect(sentences[1]).toBe(inEnglish(m.paid_elsewhere))
  expect(sentences.join(' ')).not.toMatch(/9[.]80|20%|payable/)
})
