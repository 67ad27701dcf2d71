import { expect, test } from 'vitest'
import { rewardFacts, type Step } from '../../lib/rules/steps/steps.ts'
import { explain } from '../../lib/tracking/events/explain.ts'

const clicked = {
  clickId: 'clk_1',
  slug: 'maya',
  clickedAt: '2026-06-01T23:30:00Z',
  expiresAt: '2026-08-30T23:30:00Z',
}

test.each<[Step, string]>([
  [
    { code: 'click', facts: clicked },
    'The visitor clicked the link of “maya” on 1 June 2026. The click is valid until 30 August 2026.',
  ],
  [
    { code: 'expired_click', facts: clicked },
    'The visitor clicked the link of “maya” on 1 June 2026, but the click expired on 30 August 2026.',
  ],
  [
    { code: 'refunded_by_hand', facts: { reason: 'Returned the box', by: 'ann@shop.example' } },
    'ann@shop.example recorded this refund by hand: Returned the box',
  ],
  [
    { code: 'no_click', facts: {} },
    'The report has no click ID, so it is not linked to a partner.',
  ],
  [
    { code: 'unknown_click', facts: { clickId: 'x' } },
    'The click ID “x” in the report does not exist in this workspace.',
  ],
  [
    { code: 'partner_inactive', facts: { slug: 'maya', partnerId: 'x' } },
    'The partner “maya” is not active and receives no credit.',
  ],
  [
    { code: 'customer', facts: { slug: 'maya', because: 'first_partner' } },
    'The customer already belongs to “maya”, and this program keeps a customer’s first partner.',
  ],
  [
    { code: 'customer', facts: { slug: 'maya', because: 'known_customer' } },
    'The customer belongs to “maya”, and this program credits sales to known customers without a click.',
  ],
  [
    { code: 'customer', facts: { slug: 'maya', because: 'owner', byAddress: 'unverified' } },
    'The customer belongs to “maya”, who is credited with its payments. Only an address that a lead named says who the customer is, and nobody has verified it.',
  ],
  [
    { code: 'late_lead', facts: { slug: 'maya', referredAt: '2026-06-03T10:00:00Z' } },
    'That the customer belongs to “maya” was reported only on 3 June 2026, after the payment or the first one of its subscription. So the commission is held for a manager’s review.',
  ],
  [
    { code: 'group_reward', facts: { group: 'Gold', percent: 12.5 } },
    'The partner’s group “Gold” sets the reward: 12.5% of the sale.',
  ],
  [
    { code: 'partner_reward', facts: { percent: 20, rules: 3 } },
    'The partner has a reward of its own: 20% of the sale, and 3 rules.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        line: 2,
        productId: 'prod_x',
        name: 'Annual plan',
        amountCents: 79_000,
        rule: 'Annual plans',
        pays: { percent: 30 },
        earnedCents: 23_700,
        currency: 'USD',
      },
    },
    'Line 2, Annual plan (prod_x): the rule “Annual plans” pays 30%, 237.00 USD.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        rule: 'Germany',
        pays: { amountCents: 300, currency: 'EUR', per: 'sale' },
        earnedCents: 300,
        currency: 'EUR',
      },
    },
    'The lead: the rule “Germany” pays 3.00 EUR per lead, 3.00 EUR.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        amountCents: 1_000,
        rule: null,
        pays: { percent: 20 },
        earnedCents: 200,
        currency: 'EUR',
        otherCurrencies: ['Large orders', 'Bonus'],
      },
    },
    'The sale: no rule applies, so the base pays 20%, 2.00 EUR. “Large orders” and “Bonus” are for another currency.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        line: 1,
        amountCents: 1_000,
        rule: 'Seats',
        pays: { amountCents: 500, currency: 'USD', per: 'unit' },
        earnedCents: 0,
        currency: 'USD',
        refusal: 'past_reward_duration',
      },
    },
    'Line 1: the rule “Seats” would pay 5.00 USD per unit, but the reward has ended for this customer.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        amountCents: 1_000,
        rule: 'Gift cards',
        pays: null,
        earnedCents: 0,
        currency: 'USD',
      },
    },
    'The sale: the rule “Gift cards” pays nothing.',
  ],
  [
    {
      code: 'line_reward',
      facts: {
        line: 1,
        amountCents: 100_000,
        rule: null,
        pays: { percent: 30 },
        earnedCents: 20_000,
        cutCents: 10_000,
        currency: 'USD',
      },
    },
    'Line 1: no rule applies, so the base pays 30%, 300.00 USD. 100.00 USD of it is above a cap.',
  ],
  [
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
    'The partner’s tier was “Gold”: 12,300.00 USD of net sales in May 2026, before 12 May 2026. “Platinum” begins at 50,000.00 USD of net sales.',
  ],
  [
    {
      code: 'tier',
      facts: { tier: null, day: '2026-05-12', by: 'customers', period: 'quarter', reached: 1 },
    },
    'The partner had no tier: 1 customer in quarter 2 of 2026, before 12 May 2026.',
  ],
  [
    {
      code: 'tier',
      facts: { tier: 'Top', day: '2026-05-12', by: 'sales', period: 'year', reached: 99 },
    },
    'The partner’s tier was “Top”: 99 sales in the 365 days before 12 May 2026.',
  ],
  [
    {
      code: 'tier',
      facts: { tier: 'Top', day: '2026-05-12', by: 'sales', period: 'ever', reached: 99 },
    },
    'The partner’s tier was “Top”: 99 sales before 12 May 2026.',
  ],
  [
    {
      code: 'cap_applied',
      facts: {
        per: 'partner_month',
        capCents: 50_000,
        beforeCents: 30_000,
        leftCents: 12_000,
        currency: 'USD',
      },
    },
    'The reward pays at most 500.00 USD per partner and month, so 120.00 USD of 300.00 USD is earned.',
  ],
  [
    {
      code: 'cap_applied',
      facts: {
        per: 'customer',
        capCents: 50_000,
        beforeCents: 30_000,
        leftCents: 0,
        currency: 'USD',
      },
    },
    'The reward pays at most 500.00 USD per customer. Earlier sales have reached it, so this one earns nothing.',
  ],
  [
    {
      code: 'over_budget',
      facts: { month: '2026-05', budgetCents: 500_000, spentCents: 490_000, currency: 'USD' },
    },
    'The commissions of May 2026 came to 4,900.00 USD of the program’s budget of 5,000.00 USD. This one exceeds it, so it is held for a manager’s review.',
  ],
  [
    { code: 'program_reward', facts: { amountCents: 500, currency: 'USD' } },
    'The program’s reward applies: 5.00 USD.',
  ],
  [
    { code: 'same_purchase', facts: { externalId: 'in_1' } },
    'This is the same purchase as the sale “in_1”, which is credited instead.',
  ],
  [
    { code: 'below_one_time_minimum', facts: { minimumCents: 500, currency: 'USD' } },
    'This program rewards a customer’s first sale of at least 5.00 USD. This sale is smaller and does not use the reward up.',
  ],
  [
    { code: 'proration', facts: {} },
    'The sale is a proration after a change of the subscription. A flat recurring reward is not paid for prorations.',
  ],
  [
    { code: 'reward_capped', facts: { saleCents: 50, currency: 'USD' } },
    'A flat reward is never more than the sale: 0.50 USD.',
  ],
  [
    { code: 'no_reward', facts: { slug: 'maya' } },
    '“maya” is not in a group that rewards leads, so the lead earns no commission.',
  ],
  [
    { code: 'one_time_already_rewarded', facts: { firstRewardedAt: '2026-01-02T00:00:00Z' } },
    'This program rewards only a customer’s first sale, which was rewarded on 2 January 2026.',
  ],
  [
    {
      code: 'past_reward_duration',
      facts: {
        firstRewardedAt: '2026-01-02T00:00:00Z',
        months: 1,
        endedAt: '2026-02-02T00:00:00Z',
      },
    },
    'This program rewards a customer’s sales for 1 month after the first on 2 January 2026. The period ended on 2 February 2026.',
  ],
  [
    { code: 'zero_amount', facts: {} },
    'The reward for this event is zero, so there is no commission.',
  ],
  [
    {
      code: 'commission_created',
      facts: { slug: 'maya', amountCents: 980, currency: 'JPY', payableAt: '2026-07-01T00:00:00Z' },
    },
    '“maya” earned 980 JPY, payable from 1 July 2026.',
  ],
  [
    {
      code: 'commission_reversed',
      facts: {
        ...{ refundedCents: 4_760, disputedCents: 0, paidCents: 100_673, paidCurrency: 'USD' },
        ...{ amountCents: 800, currency: 'USD' },
        lines: [{ line: 2, returnedCents: 4_000, reversedCents: 800 }],
      },
    },
    'Of the 1,006.73 USD paid, 47.60 USD was refunded, so 8.00 USD of the commission was reversed. Line 2: 40.00 USD returned net, 8.00 USD reversed.',
  ],
])('$0.code', (step, text) => {
  expect(explain(step)).toBe(text)
})

test.each([
  [{ id: 'r', kind: 'percent', basisPoints: 1_234 } as const, { percent: 12.34 }],
  [
    { id: 'r', kind: 'flat', amountCents: 500, currency: 'USD' } as const,
    { amountCents: 500, currency: 'USD' },
  ],
])('a reward as its step remembers it', (reward, facts) => {
  expect(rewardFacts(reward)).toEqual(facts)
})
