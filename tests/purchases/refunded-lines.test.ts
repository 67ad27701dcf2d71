/** What returns reverse of a sale that was rewarded line by line. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CreditNoteFact, Fact } from '../../lib/rules/purchases/facts.ts'
import { readPayments } from '../../lib/rules/purchases/payments.ts'
import { includeRefunds, settleRefunds, settleWaiting } from '../../lib/rules/refunds/refunds.ts'
import {
  nothingReturned,
  type Returned,
  readReturns,
  returnedOf,
} from '../../lib/rules/refunds/returns.ts'
import { changeReturned, reversedSteps, toReverse } from '../../lib/rules/refunds/reversals.ts'
import { reversedFor } from '../../lib/rules/refunds/reversed-lines.ts'
import type { Step } from '../../lib/rules/steps/steps.ts'
import { permutations } from '../support/permutations.ts'
import { SEEDS } from '../support/thorough.ts'

type Line = { id?: string; cost: number; earned: number }

const stepsOf = (lines: Line[]): Step[] =>
  lines.map(({ id, cost, earned }, i) => ({
    code: 'line_reward',
    facts: {
      ...(lines.length > 1 && { line: i + 1 }),
      ...(id && { id }),
      amountCents: cost,
      rule: null,
      pays: null,
      earnedCents: earned,
      currency: 'USD',
    },
  }))

const sumOf = (cents: number[]): number => cents.reduce((sum, one) => sum + one, 0)
const usd = (cents: number) => ({ amountCents: BigInt(cents), currency: 'USD' })

/**
 * An invoice of three products, each with 10% off, and 19% of tax: 845.99 net, 1,006.73 in all. The
 * plan of 711.00 earns 30%, the course of 89.99 20%, and the setup of 45.00 a flat 25.00.
 */
const INVOICE: Line[] = [
  { id: 'il_plan', cost: 71_100, earned: 21_330 },
  { id: 'il_course', cost: 8_999, earned: 1_800 },
  { id: 'il_setup', cost: 4_500, earned: 2_500 },
]
const EARNED = 25_630
const NET = 84_599
const GROSS = 100_673

const noteOf = (netCents: number, more: Partial<CreditNoteFact> = {}): CreditNoteFact => ({
  kind: 'credit_note',
  id: 'cn_1',
  invoice: 'in_1',
  amountCents: Math.round(netCents * 1.19),
  net: { netCents, shippingCents: 0 },
  currency: 'USD',
  lines: [{ line: 'il_course', netCents }],
  refunds: [],
  isVoid: false,
  ...more,
})
const refundOf = (id: string, amountCents: number, status: 'succeeded' | 'failed'): Fact => ({
  kind: 'refund',
  id,
  payment: 'pi_1',
  amountCents,
  currency: 'USD',
  status,
})
const disputeOf = (amountCents: number, status: 'open' | 'won' = 'open'): Fact => ({
  kind: 'dispute',
  id: 'dp_1',
  payment: 'pi_1',
  amountCents,
  currency: 'USD',
  status,
})

/** What was returned of the invoice by facts, each received a second after the one before. */
const returnedBy = (facts: Fact[], order = facts): Returned => {
  const received = order.map((fact) => ({ fact, occurredAt: new Date(facts.indexOf(fact) * 1000) }))
  const returns = { ...readReturns(received, readPayments(received)), excessCents: 0n }
  return returnedOf(returns, usd(GROSS), BigInt(NET))
}

/** What is reversed of the invoice, in all and by line: [line, returned, reversed]. */
const reversedBy = (facts: Fact[]) => {
  const { reversedCents, lines } = reversedFor(BigInt(EARNED), stepsOf(INVOICE), returnedBy(facts))
  return {
    reversed: Number(reversedCents),
    lines: lines.map((one) => [one.line, one.returnedCents, one.reversedCents]),
  }
}

describe('of an invoice of three products, by hand', () => {
  test.each<{ case: string; facts: Fact[]; reversed: number; lines: number[][] }>([
    {
      // 40.00 of 89.99, of 18.00: 8.0009.
      case: 'a credit note of the course reverses its part of what the course earned',
      facts: [noteOf(4_000)],
      ...{ reversed: 800, lines: [[2, 4_000, 800]] },
    },
    {
      case: 'a credit note of all of the course reverses all that it earned',
      facts: [noteOf(8_999)],
      ...{ reversed: 1_800, lines: [[2, 8_999, 1_800]] },
    },
    {
      // 547.60 of 1,006.73 are 460.17 net: 40.00 of the course, and 420.17 of the 805.99 that are
      // left: 370.65084, 26.06025 and 23.45891. The last cent is the setup's, of the most remainder.
      // 213.30 x 370.65 / 711.00 = 111.195, 18.00 x 66.06 / 89.99 = 13.2135, 25.00 x 23.46 / 45.00
      // = 13.0333.
      case: 'a dispute of 500.00 after it is spread over what is left of all lines',
      facts: [noteOf(4_000), disputeOf(50_000)],
      reversed: 13_744,
      lines: [
        [1, 37_065, 11_120],
        [2, 6_606, 1_321],
        [3, 2_346, 1_303],
      ],
    },
    {
      case: 'a dispute that is won leaves the credit note',
      facts: [noteOf(4_000), disputeOf(50_000), disputeOf(50_000, 'won')],
      ...{ reversed: 800, lines: [[2, 4_000, 800]] },
    },
    {
      case: 'a dispute of all that was paid reverses all',
      facts: [noteOf(4_000), disputeOf(GROSS)],
      reversed: EARNED,
      lines: [
        [1, 71_100, 21_330],
        [2, 8_999, 1_800],
        [3, 4_500, 2_500],
      ],
    },
    {
      // 50.00 of 1,006.73 are 42.02 net: 35.3148, 4.4698 and 2.2351. The last two cents are the
      // course's and the setup's.
      case: 'a refund that no note explains is spread over all lines',
      facts: [refundOf('re_1', 5_000, 'succeeded')],
      reversed: 1_272,
      lines: [
        [1, 3_531, 1_059],
        [2, 447, 89],
        [3, 224, 124],
      ],
    },
    {
      case: 'the refund of a note counts once',
      facts: [
        noteOf(4_000, { refunds: [{ id: 're_1', amountCents: 4_760 }] }),
        refundOf('re_1', 4_760, 'succeeded'),
      ],
      ...{ reversed: 800, lines: [[2, 4_000, 800]] },
    },
    {
      case: 'a refund that failed makes its note count for nothing',
      facts: [
        noteOf(4_000, { refunds: [{ id: 're_1', amountCents: 4_760 }] }),
        refundOf('re_1', 4_760, 'failed'),
      ],
      ...{ reversed: 0, lines: [] },
    },
    {
      // Half of the note is left: 20.00 of 89.99, of 18.00.
      case: 'a refund that failed of half a note leaves half of its lines',
      facts: [
        noteOf(4_000, { refunds: [{ id: 're_1', amountCents: 2_380 }] }),
        refundOf('re_1', 2_380, 'failed'),
      ],
      ...{ reversed: 400, lines: [[2, 2_000, 400]] },
    },
    {
      case: 'a voided note counts for nothing',
      facts: [noteOf(4_000), noteOf(4_000, { isVoid: true })],
      ...{ reversed: 0, lines: [] },
    },
    {
      // The course is 89.99. 110.01 are left: 711 / 756 of them are the plan's, 45 / 756 the setup's.
      case: 'what notes say beyond a line is spread over the others',
      facts: [noteOf(20_000)],
      reversed: 5_268,
      lines: [
        [1, 10_346, 3_104],
        [2, 8_999, 1_800],
        [3, 655, 364],
      ],
    },
  ])('$case', ({ facts, reversed, lines }) => {
    const found = reversedBy(facts)
    expect(found.lines).toEqual(lines)
    expect(found.reversed).toBe(reversed)
  })

  test('the lines of a note in another currency are not those of the sale', () => {
    const returned = returnedBy([noteOf(4_000, { currency: 'EUR' })])
    expect(returned.ofLines).toEqual([])
  })

  test('the order in which its returns are received changes nothing', () => {
    const facts: Fact[] = [
      noteOf(4_000, { refunds: [{ id: 're_1', amountCents: 4_760 }] }),
      refundOf('re_1', 4_760, 'succeeded'),
      noteOf(3_000, { id: 'cn_2', lines: [{ line: 'il_setup', netCents: 3_000 }] }),
      disputeOf(20_000),
    ]
    const expected = returnedBy(facts)
    const byLine = ({ ofLines, ...rest }: Returned) => ({ ...rest, ofLines: new Set(ofLines) })
    for (const order of permutations(facts))
      expect(byLine(returnedBy(facts, order))).toEqual(byLine(expected))
  })
})

describe('a sale that is rewarded by line', () => {
  const current = {
    id: 'commission',
    partnerId: 'maya',
    slug: 'maya',
    payableAt: new Date(0),
    ...usd(EARNED),
    reversedCents: 0n,
  }
  const created: Step = {
    code: 'commission_created',
    facts: { slug: 'maya', amountCents: EARNED, currency: 'USD', payableAt: '2026-01-01' },
  }
  const byHand: Step = {
    code: 'reversed_by_hand',
    facts: {
      ...{ slug: 'maya', partnerId: 'maya', amountCents: 25_000, commissionCents: EARNED },
      ...{ currency: 'USD', reason: 'Fraud', by: 'ann@shop.example' },
    },
  }

  test('reverses by hand and for returns together never more than all', () => {
    const steps = [...stepsOf(INVOICE), created, byHand]
    expect(toReverse(current, returnedBy([noteOf(2_000)]), steps)).toBe(25_400n)
    expect(toReverse(current, returnedBy([noteOf(8_999)]), steps)).toBe(BigInt(EARNED))
  })

  test('spreads what the merchant reports as refunded, also before the sale', () => {
    const sale = { ...usd(NET), externalId: 'order' }
    const refunds = [{ id: 'r', requested: { amountCents: 4_000, currency: null } }]
    const { steps, reversedCents } = settleWaiting(
      {
        commission: {
          ...usd(EARNED),
          rewardId: '',
          payableAt: new Date(0),
          oneTime: false,
          products: [],
        },
        steps: stepsOf(INVOICE),
      },
      refunds,
      sale,
    )
    // 33.61742, 4.25490 and 2.12769 of 40.00. The last cents are the second's and the third's.
    const reversed = steps.at(-1)
    expect(reversed?.code === 'commission_reversed' && reversed.facts.lines).toEqual([
      { line: 1, returnedCents: 3_362, reversedCents: 1_009 },
      { line: 2, returnedCents: 425, reversedCents: 85 },
      { line: 3, returnedCents: 213, reversedCents: 118 },
    ])
    expect(reversedCents).toBe(1_212n)
  })

  test('counts a refund once that the merchant and a credit note report', () => {
    const sale = { ...usd(NET), externalId: 'order' }
    const settle = (amountCents: number) =>
      settleRefunds([{ id: 'r', requested: { amountCents, currency: null } }], sale)
    const note = returnedBy([noteOf(4_000)])
    const steps = stepsOf(INVOICE)
    const both = includeRefunds(note, settle(4_000), sale)
    expect(reversedFor(BigInt(EARNED), steps, both).reversedCents).toBe(800n)
    const all = includeRefunds(note, settle(NET), sale)
    expect(reversedFor(BigInt(EARNED), steps, all).reversedCents).toBe(BigInt(EARNED))
  })

  test('names other lines once a note says so, even if the same is reversed', () => {
    const lines = [
      { id: 'il_a', cost: 5_000, earned: 1_000 },
      { id: 'il_b', cost: 5_000, earned: 1_000 },
    ]
    const none = nothingReturned(usd(10_000))
    const spread = { ...none, refundedCents: 1_000n }
    const named = { ...spread, ofLines: [{ line: 'il_b', netCents: 1_000n }] }
    const commission = { ...current, amountCents: 2_000n, reversedCents: 200n }
    const decided = [...stepsOf(lines), created]
    const steps = [...decided, ...reversedSteps(commission, decided, spread)]
    expect(changeReturned({ steps, commission }, spread)).toBeNull()
    const change = changeReturned({ steps, commission }, named)
    expect(change?.reversal).toBeNull()
    expect(change?.steps.at(-1)?.facts).toMatchObject({
      amountCents: 200,
      lines: [{ line: 2, returnedCents: 1_000, reversedCents: 200 }],
    })
  })

  test('is one line without lines, which the step does not name', () => {
    const returned = { ...nothingReturned(usd(5_000)), refundedCents: 1_000n }
    expect(reversedFor(500n, stepsOf([{ cost: 5_000, earned: 500 }]), returned)).toEqual({
      reversedCents: 100n,
      lines: [],
    })
  })
})

describe('whatever is returned', () => {
  const arbitrary = fc.record({
    lines: fc.array(
      fc
        .record({ cost: fc.nat(100_000), share: fc.nat(10_000) })
        .map(({ cost, share }) => ({ cost, earned: Math.round((cost * share) / 10_000) })),
      { minLength: 1, maxLength: 6 },
    ),
    /** What notes name of a line, in parts of 10,000 of it. */
    notes: fc.array(fc.record({ line: fc.nat(5), part: fc.nat(12_000) }), { maxLength: 6 }),
    /** What was returned of the payment, the same. */
    returned: fc.nat(10_000),
    tax: fc.nat(3_000),
  })
  type Case = { returned: Returned; steps: Step[]; sold: Line[]; earned: number; named: number[] }
  const holds = (check: (one: Case) => void) =>
    fc.assert(
      fc.property(arbitrary, ({ lines, notes, returned, tax }) => {
        const sold = lines.map((line, i) => ({ id: `il_${i}`, ...line }))
        const net = sumOf(sold.map(({ cost }) => cost))
        const gross = net + Math.round((net * tax) / 10_000)
        const ofLines = notes.map(({ line, part }) => ({
          line: `il_${line}`,
          netCents: BigInt(Math.round(((sold[line]?.cost ?? 500) * part) / 10_000)),
        }))
        check({
          returned: {
            ...nothingReturned(usd(gross)),
            refundedCents: BigInt(Math.floor((gross * returned) / 10_000)),
            ofLines,
          },
          steps: stepsOf(sold),
          sold,
          earned: sumOf(sold.map((one) => one.earned)),
          named: sold.map(({ id, cost }) =>
            Math.min(
              cost,
              sumOf(ofLines.map((one) => (one.line === id ? Number(one.netCents) : 0))),
            ),
          ),
        })
      }),
      { seed: SEEDS[0], numRuns: 300 },
    )
  const netOf = ({ refundedCents, paid }: Returned, sold: Line[]): number => {
    const net = BigInt(sumOf(sold.map(({ cost }) => cost)))
    const all = paid.amountCents
    return all === 0n ? 0 : Number((2n * net * refundedCents + all) / (2n * all))
  }

  test('no line returns or reverses more than it has, and all lines are what was returned', () =>
    holds(({ returned, steps, sold, earned }) => {
      const { reversedCents, lines } = reversedFor(BigInt(earned), steps, returned)
      for (const { line, returnedCents, reversedCents } of lines) {
        const { cost = 0, earned = 0 } = sold[line - 1] ?? {}
        expect(returnedCents).toBeLessThanOrEqual(cost)
        expect(reversedCents).toBeLessThanOrEqual(earned)
        if (returnedCents === cost) expect(reversedCents).toBe(earned)
      }
      expect(Number(reversedCents)).toBeLessThanOrEqual(earned)
      if (sold.length === 1) return
      expect(sumOf(lines.map((one) => one.returnedCents))).toBe(netOf(returned, sold))
      expect(sumOf(lines.map((one) => one.reversedCents))).toBe(Number(reversedCents))
    }))

  test('a line returns at least what notes name, as far as so much was returned', () =>
    holds(({ returned, steps, sold, earned, named }) => {
      if (sold.length === 1 || sumOf(named) > netOf(returned, sold)) return
      const { lines } = reversedFor(BigInt(earned), steps, returned)
      for (const [i, cents] of named.entries()) {
        const found = lines.find(({ line }) => line === i + 1)
        expect(found?.returnedCents ?? 0).toBeGreaterThanOrEqual(cents)
      }
    }))

  test('a full return reverses all, and none reverses nothing', () =>
    holds(({ returned, steps, sold, earned }) => {
      const paid = returned.paid.amountCents
      const whole = { ...returned, refundedCents: 0n, disputedCents: paid }
      expect(reversedFor(BigInt(earned), steps, whole).reversedCents).toBe(
        sumOf(sold.map(({ cost }) => cost)) === 0 ? 0n : BigInt(earned),
      )
      const none = { ...returned, refundedCents: 0n }
      expect(reversedFor(BigInt(earned), steps, none)).toEqual({ reversedCents: 0n, lines: [] })
    }))

  test('the order of the notes changes nothing', () =>
    holds(({ returned, steps, earned }) => {
      const reversed = { ...returned, ofLines: returned.ofLines.toReversed() }
      expect(reversedFor(BigInt(earned), steps, reversed)).toEqual(
        reversedFor(BigInt(earned), steps, returned),
      )
    }))

  test('a refund and a dispute of the same amount reverse the same', () =>
    holds(({ returned, steps, earned }) => {
      const disputed = {
        ...returned,
        refundedCents: 0n,
        disputedCents: returned.refundedCents,
      }
      expect(reversedFor(BigInt(earned), steps, disputed)).toEqual(
        reversedFor(BigInt(earned), steps, returned),
      )
    }))
})
