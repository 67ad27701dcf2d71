/** Caps of a reward: what is left of what a sale earns, and of its lines. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PartnerTerms } from '../../lib/rules/attribution/attribution.ts'
import { decideReward } from '../../lib/rules/decisions/decide.ts'
import { nothingReturned, type Returned } from '../../lib/rules/refunds/returns.ts'
import { reversedFor } from '../../lib/rules/refunds/reversed-lines.ts'
import {
  applyCaps,
  type Cap,
  type CapFacts,
  type Capped,
  type DecidedMonth,
} from '../../lib/rules/rewards/caps.ts'
import type { RewardTerms } from '../../lib/rules/rewards/rewards.ts'
import type { StoredLine } from '../../lib/rules/rewards/sale-lines.ts'
import type { Step } from '../../lib/rules/steps/steps.ts'
import { SEEDS } from '../support/thorough.ts'

const usd = (cents: number) => ({ amountCents: BigInt(cents), currency: 'USD' })
const cap = (per: Capped, amountCents: number, currency = 'USD'): Cap => ({
  per,
  amountCents,
  currency,
})
const earned = (cents: number, partnerId = 'maya', currency = 'USD') => ({
  partnerId,
  currency,
  cents,
})
const factsOf = (facts: Partial<CapFacts> = {}): CapFacts => ({
  ofCustomer: [],
  inMonth: [],
  month: '2026-11-01',
  ...facts,
})
const decided = (before: Partial<DecidedMonth>): DecidedMonth => ({
  partnerId: 'maya',
  earned: null,
  left: null,
  ...before,
})

describe('what caps leave', () => {
  const cases: {
    case: string
    caps: Cap[]
    facts?: Partial<CapFacts>
    leaves: number
    by: Capped | null
  }[] = [
    { case: 'all without a cap', caps: [], leaves: 10_000, by: null },
    { case: 'all of less than a cap', caps: [cap('sale', 10_001)], leaves: 10_000, by: null },
    { case: 'all of as much as a cap', caps: [cap('sale', 10_000)], leaves: 10_000, by: null },
    { case: 'the cap of a sale', caps: [cap('sale', 5_000)], leaves: 5_000, by: 'sale' },
    { case: 'nothing of a cap of 0', caps: [cap('sale', 0)], leaves: 0, by: 'sale' },
    {
      case: 'all if the cap is in another currency',
      caps: [cap('sale', 5_000, 'EUR'), cap('customer', 1, 'EUR')],
      leaves: 10_000,
      by: null,
    },
    {
      case: 'the whole cap of a customer who has earned nothing',
      caps: [cap('customer', 7_000)],
      leaves: 7_000,
      by: 'customer',
    },
    {
      case: 'what earlier sales of the customer have left',
      caps: [cap('customer', 7_000)],
      facts: { ofCustomer: [earned(6_999)] },
      leaves: 1,
      by: 'customer',
    },
    {
      case: 'nothing if these have earned more than the cap, by another reward',
      caps: [cap('customer', 7_000)],
      facts: { ofCustomer: [earned(9_000)] },
      leaves: 0,
      by: 'customer',
    },
    {
      case: 'all if the customer has earned it for another partner, or in another currency',
      caps: [cap('customer', 10_000)],
      facts: { ofCustomer: [earned(9_000, 'leo'), earned(9_000, 'maya', 'EUR')] },
      leaves: 10_000,
      by: null,
    },
    {
      case: 'what other sales of the month have left, whoever the customer',
      caps: [cap('partner_month', 50_000)],
      facts: { inMonth: [earned(48_000), earned(9_000, 'leo')] },
      leaves: 2_000,
      by: 'partner_month',
    },
    {
      case: 'the least of several',
      caps: [cap('partner_month', 50_000), cap('customer', 7_000), cap('sale', 8_000)],
      facts: { ofCustomer: [earned(4_000)], inMonth: [earned(45_000)] },
      leaves: 3_000,
      by: 'customer',
    },
    {
      case: 'as much by two: the sale is named before the customer, and the month last',
      caps: [cap('partner_month', 5_000), cap('customer', 5_000), cap('sale', 5_000)],
      leaves: 5_000,
      by: 'sale',
    },
    {
      case: 'what a sale had of its month before, if others have earned the rest since',
      caps: [cap('partner_month', 50_000)],
      facts: { inMonth: [earned(50_000)], decided: decided({ earned: usd(10_000) }) },
      leaves: 10_000,
      by: null,
    },
    {
      case: 'no more of its month than it had, if there is more room now',
      caps: [cap('partner_month', 50_000)],
      facts: { decided: decided({ earned: usd(2_000), left: usd(2_000) }) },
      leaves: 2_000,
      by: 'partner_month',
    },
    {
      case: 'nothing again if there was no room',
      caps: [cap('partner_month', 50_000)],
      facts: { decided: decided({ left: usd(0) }) },
      leaves: 0,
      by: 'partner_month',
    },
    {
      case: 'the present room if another partner had it before',
      caps: [cap('partner_month', 50_000)],
      facts: {
        inMonth: [earned(45_000)],
        decided: decided({ partnerId: 'leo', earned: usd(9_000), left: usd(9_000) }),
      },
      leaves: 5_000,
      by: 'partner_month',
    },
    {
      case: 'at most the cap of what a reward with a larger one had paid',
      caps: [cap('partner_month', 5_000)],
      facts: { inMonth: [earned(5_000)], decided: decided({ earned: usd(10_000) }) },
      leaves: 5_000,
      by: 'partner_month',
    },
  ]
  test.each(cases)('$case', ({ caps, facts, leaves, by }) => {
    const { leftCents, applied } = applyCaps(usd(10_000), caps, 'maya', factsOf(facts))
    expect({ leaves: Number(leftCents), by: applied?.per ?? null }).toEqual({ leaves, by })
  })
})

test('a sale that is only tried has all of each cap', () => {
  const caps = [cap('partner_month', 9_000), cap('customer', 8_000)]
  const tried = applyCaps(usd(10_000), caps, 'maya', undefined)
  expect(tried).toMatchObject({ leftCents: 8_000n, applied: caps[1], monthCap: null })
})

const PARTNER: PartnerTerms = {
  ...{ id: 'maya', slug: 'maya', emails: [], status: 'approved', programId: 'program' },
  reward: { id: 'reward', kind: 'percent', basisPoints: 2_000 },
  ...{ ownReward: null, group: null, rewardInterval: 'recurring', rewardDurationMonths: null },
  ...{ oneTimeMinimumCents: 0, oneTimePer: 'customer', rewardShipping: false },
  ...{ creditOutOfBand: false, holdingDays: 30, netDays: null, attribution: 'last' },
  ...{ attributeKnownCustomers: false, lateLeadDays: 0, selfReferrals: 'hold' },
  ...{
    unverifiedAddresses: 'allow',
    firstRewardedAt: null,
    rewardedProducts: [],
    tier: null,
    budget: null,
  },
}

const decide = (
  reward: RewardTerms,
  sale: { amountCents: number; currency?: string; lines?: StoredLine[] },
  more: { terms?: Partial<PartnerTerms>; facts?: Partial<CapFacts> } = {},
) =>
  decideReward(
    {
      ...{ kind: 'sale', externalId: 'inv', customerExternalId: 'ann', customerEmail: null },
      ...{ customerName: null, clickId: null, eventName: 'sale', metadata: null },
      sale: { amountCents: BigInt(sale.amountCents), currency: sale.currency ?? 'USD' },
      ...(sale.lines && { lines: sale.lines }),
    },
    { ...PARTNER, reward: { id: 'reward', ...reward }, ...more.terms },
    { click: null, earned: factsOf(more.facts) },
    new Date('2026-11-15T12:00:00Z'),
  )

const stepsOf = ({ steps }: { steps: Step[] }) =>
  steps.map(({ code, facts }) =>
    code === 'cap_applied' ? `${code} ${facts.per} ${facts.beforeCents} ${facts.leftCents}` : code,
  )

const line = (productId: string, amountCents: number): StoredLine => ({
  productId,
  quantity: 1,
  amountCents,
})
const BOOKS = {
  name: 'Books',
  when: { all: [{ fact: 'product' as const, in: ['book'] }] },
  pay: { kind: 'percent' as const, basisPoints: 5_000 },
}

describe('a decision', () => {
  test('says which cap has cut what', () => {
    const reward: RewardTerms = {
      ...{ kind: 'percent', basisPoints: 2_000 },
      caps: [cap('sale', 5_000)],
    }
    const { commission, steps } = decide(reward, { amountCents: 100_000 })
    expect(commission).toMatchObject(usd(5_000))
    expect(steps).toEqual([
      { code: 'program_reward', facts: { percent: 20 } },
      {
        code: 'cap_applied',
        facts: {
          ...{ per: 'sale', capCents: 5_000, beforeCents: 20_000, leftCents: 5_000 },
          currency: 'USD',
        },
      },
      expect.objectContaining({ code: 'commission_created' }),
    ])
  })

  test('ends with the cap that leaves nothing', () => {
    const reward: RewardTerms = {
      ...{ kind: 'percent', basisPoints: 2_000 },
      caps: [cap('customer', 5_000)],
    }
    const nothing = decide(
      reward,
      { amountCents: 100_000 },
      { facts: { ofCustomer: [earned(5_000)] }, terms: { rewardInterval: 'one-time' } },
    )
    expect(nothing.commission).toBeNull()
    expect(stepsOf(nothing)).toEqual(['program_reward', 'cap_applied customer 20000 0'])
  })

  test('cuts a flat reward in its own currency, whatever the currency of the sale', () => {
    const reward: RewardTerms = {
      ...{ kind: 'flat', amountCents: 5_000, currency: 'EUR' },
      caps: [cap('sale', 1_000), cap('sale', 4_000, 'EUR')],
    }
    expect(decide(reward, { amountCents: 100_000 }).commission).toMatchObject({
      ...{ amountCents: 4_000n, currency: 'EUR' },
    })
  })

  test('cuts what a flat reward pays at most of a small sale', () => {
    const reward: RewardTerms = {
      ...{ kind: 'flat', amountCents: 5_000, currency: 'USD' },
      caps: [cap('sale', 1_000)],
    }
    expect(stepsOf(decide(reward, { amountCents: 2_000 }))).toEqual([
      'program_reward',
      'reward_capped',
      'cap_applied sale 2000 1000',
      'commission_created',
    ])
  })

  test('takes the caps of the reward that decides, and of no other', () => {
    const own: RewardTerms = {
      ...{ kind: 'percent', basisPoints: 3_000 },
      caps: [cap('sale', 100)],
    }
    const reward: RewardTerms = {
      ...{ kind: 'percent', basisPoints: 2_000 },
      caps: [cap('sale', 5_000)],
    }
    const sale = { amountCents: 100_000 }
    const byOwn = decide(reward, sale, { terms: { ownReward: { id: 'own', ...own } } })
    expect(byOwn.commission).toMatchObject(usd(100))
    const { caps: _, ...uncapped } = own
    const byUncapped = decide(reward, sale, { terms: { ownReward: { id: 'own', ...uncapped } } })
    expect(byUncapped.commission).toMatchObject(usd(30_000))
  })

  test('spreads the cut over the lines by what they earn', () => {
    const reward: RewardTerms = {
      ...{ kind: 'percent', basisPoints: 1_000, rules: [BOOKS] },
      caps: [cap('sale', 3_000)],
    }
    // 50.00 and 10.00 without the cap
    const lines = [line('book', 10_000), line('pen', 10_000), line('gift', 0)]
    const { commission, steps } = decide(reward, { amountCents: 20_000, lines })
    expect(commission).toMatchObject(usd(3_000))
    expect(steps.flatMap(({ code, facts }) => (code === 'line_reward' ? [facts] : []))).toEqual([
      expect.objectContaining({ rule: 'Books', earnedCents: 2_500, cutCents: 2_500 }),
      expect.objectContaining({ rule: null, earnedCents: 500, cutCents: 500 }),
      expect.not.objectContaining({ cutCents: expect.anything() }),
    ])
  })
})

describe('of any sales', () => {
  const anyLines = fc.array(
    fc.record({
      productId: fc.constantFrom('book', 'pen', 'gift'),
      quantity: fc.integer({ min: 1, max: 3 }),
      amountCents: fc.nat(30_000),
    }),
    { minLength: 1, maxLength: 6 },
  )
  const anyCaps = fc.uniqueArray(
    fc.record({
      per: fc.constantFrom<Capped>('sale', 'customer', 'partner_month'),
      amountCents: fc.nat(20_000),
      currency: fc.constantFrom('USD', 'EUR'),
    }),
    { selector: ({ per, currency }) => `${per} ${currency}`, maxLength: 6 },
  )
  const anyReward = fc
    .record({ basisPoints: fc.nat(10_000), hasRule: fc.boolean(), caps: anyCaps })
    .map(
      ({ basisPoints, hasRule, caps }): RewardTerms => ({
        ...{ kind: 'percent', basisPoints, caps },
        ...(hasRule && { rules: [BOOKS] }),
      }),
    )
  const anySale = fc.record({
    customer: fc.constantFrom('ann', 'ben'),
    lines: anyLines,
    currency: fc.constantFrom('USD', 'EUR'),
    day: fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-30'),
  })
  const amountOf = (lines: { amountCents: number }[]) =>
    lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
  const [seed] = SEEDS
  const settings = { seed, numRuns: 300 }

  test('what is earned never exceeds a cap', () => {
    fc.assert(
      fc.property(anyReward, fc.array(anySale, { maxLength: 12 }), (reward, sales) => {
        const made: { customer: string; month: string; currency: string; cents: number }[] = []
        const sumOf = (is: (one: (typeof made)[number]) => boolean, currency: string) =>
          made
            .filter((one) => is(one) && one.currency === currency)
            .reduce((s, c) => s + c.cents, 0)
        for (const { customer, lines, currency, day } of sales) {
          const month = `${day.slice(0, 7)}-01`
          const sums = (is: (one: (typeof made)[number]) => boolean) =>
            ['USD', 'EUR'].map((code) => earned(sumOf(is, code), 'maya', code))
          const { commission } = decide(
            reward,
            { amountCents: amountOf(lines), currency, lines },
            {
              facts: {
                ofCustomer: sums((one) => one.customer === customer),
                inMonth: sums((one) => one.month === month),
                month,
              },
            },
          )
          if (commission)
            made.push({ customer, month, currency, cents: Number(commission.amountCents) })
        }
        for (const { per, amountCents, currency } of reward.caps ?? [])
          for (const one of made) {
            const all = {
              sale: one.currency === currency ? one.cents : 0,
              customer: sumOf(({ customer }) => customer === one.customer, currency),
              partner_month: sumOf(({ month }) => month === one.month, currency),
            }
            expect(all[per]).toBeLessThanOrEqual(amountCents)
          }
      }),
      settings,
    )
  })

  test('the order of lines changes nothing in all, and at most a cent of a line', () => {
    fc.assert(
      fc.property(anyReward, anyLines, (reward, lines) => {
        const amountCents = amountOf(lines)
        const there = decide(reward, { amountCents, lines })
        const back = decide(reward, { amountCents, lines: lines.toReversed() })
        expect(back.commission?.amountCents).toBe(there.commission?.amountCents)
        const partsOf = ({ steps }: { steps: Step[] }) =>
          steps.flatMap(({ code, facts }) => (code === 'line_reward' ? [facts] : []))
        const parts = partsOf(back).toReversed()
        for (const [i, part] of partsOf(there).entries())
          expect(Math.abs(part.earnedCents - (parts[i]?.earnedCents ?? 0))).toBeLessThanOrEqual(1)
      }),
      settings,
    )
  })

  test('the parts of refunds never exceed a line after a cut, and all of them are the whole', () => {
    fc.assert(
      fc.property(
        anyReward,
        anyLines,
        fc.array(fc.nat(30_000), { maxLength: 4 }),
        (reward, lines, refunds) => {
          const amountCents = amountOf(lines)
          const { commission, steps } = decide(reward, { amountCents, lines })
          if (!commission) return
          const cents = commission.amountCents
          const rewarded = steps.flatMap(({ code, facts }) =>
            code === 'line_reward' ? [facts] : [],
          )
          for (const { earnedCents, cutCents = 0, amountCents: most = 0 } of rewarded) {
            expect(earnedCents).toBeGreaterThanOrEqual(0)
            expect(earnedCents + cutCents).toBeLessThanOrEqual(most)
          }
          if (rewarded.length > 0)
            expect(rewarded.reduce((sum, { earnedCents }) => sum + earnedCents, 0)).toBe(
              Number(cents),
            )
          const returned = (refundedCents: number): Returned => ({
            ...nothingReturned(usd(amountCents)),
            refundedCents: BigInt(Math.min(refundedCents, amountCents)),
          })
          let before = 0n
          for (const [i] of refunds.entries()) {
            const sum = refunds.slice(0, i + 1).reduce((all, one) => all + one, 0)
            const { reversedCents, lines: parts } = reversedFor(cents, steps, returned(sum))
            expect(reversedCents).toBeLessThanOrEqual(cents)
            for (const part of parts)
              expect(part.reversedCents).toBeLessThanOrEqual(
                rewarded[part.line - 1]?.earnedCents ?? 0,
              )
            // Lines round each for itself.
            expect(reversedCents + BigInt(lines.length)).toBeGreaterThanOrEqual(before)
            before = reversedCents
          }
          expect(reversedFor(cents, steps, returned(amountCents)).reversedCents).toBe(cents)
        },
      ),
      settings,
    )
  })

  test('a sale that is decided again earns the same, whoever has earned since', () => {
    fc.assert(
      fc.property(anyReward, anyLines, fc.nat(40_000), fc.nat(40_000), (reward, lines, a, b) => {
        const sale = { amountCents: amountOf(lines), lines }
        const first = decide(reward, sale, { facts: { inMonth: [earned(a)] } })
        const cut = first.steps.find((step) => step.code === 'cap_applied')?.facts
        const again = decide(reward, sale, {
          facts: {
            inMonth: [earned(b)],
            decided: decided({
              earned: first.commission,
              left: cut?.per === 'partner_month' ? usd(cut.leftCents) : null,
            }),
          },
        })
        expect(again.commission?.amountCents).toBe(first.commission?.amountCents)
        expect(again.steps).toEqual(first.steps)
      }),
      settings,
    )
  })
})
