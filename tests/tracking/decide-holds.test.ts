import { describe, expect, test } from 'vitest'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import {
  type ComparedSale,
  type Hold,
  type HoldRequest,
  holdRequest,
  type Rule,
} from '../../lib/rules/holds/hold-facts.ts'
import type { Step } from '../../lib/rules/steps/steps.ts'

type Sale = Partial<Omit<ComparedSale, 'commissions'>> & {
  hold?: Partial<Hold>
  isPaid?: boolean
  /** The commission that the current one has replaced, with its hold. */
  former?: Partial<Hold>
}

const holdOf = (hold: Partial<Hold>): Hold => ({
  reason: 'possible_duplicate',
  evidenceId: null,
  resolution: null,
  isResolvedByHand: false,
  ...hold,
})

/** A sale of 49.00 that the merchant has reported; its commission is `c-` and its id. */
const sale = (
  id: string,
  { hold, former, isPaid = false, ...fields }: Sale = {},
): ComparedSale => ({
  id,
  externalId: `order-${id}`,
  amountCents: 4_900,
  subscriptionId: null,
  isReported: true,
  steps: [],
  commissionId: `c-${id}`,
  kinds: ['report'],
  amounts: [4_900],
  near: [],
  ...fields,
  commissions: [
    ...(former
      ? [{ id: `b-${id}`, kind: 'sale' as const, isPaid: false, hold: holdOf(former) }]
      : []),
    { id: `c-${id}`, kind: 'sale', isPaid, hold: hold ? holdOf(hold) : null },
  ],
})

const invoice = (id: string, fields: Sale = {}) =>
  sale(id, { externalId: `in_${id}`, isReported: false, kinds: ['invoice'], ...fields })
const payment = (id: string, fields: Sale = {}) =>
  sale(id, { externalId: `pi_${id}`, isReported: false, kinds: ['payment'], ...fields })
const checkout = (id: string, fields: Sale = {}) =>
  sale(id, { externalId: `cs_${id}`, isReported: false, kinds: ['checkout'], ...fields })

const decide = (
  [saved, ...others]: ComparedSale[],
  fields: Partial<HoldRequest> = {},
  facts: { expected?: string[]; received?: string[] } = {},
) => {
  if (!saved) throw new Error('No sale is saved.')
  const request = holdRequest(
    { eventId: saved.id, isNew: true, rule: null },
    { duplicates: true, expected: true },
  )
  const sales = [saved, ...others]
  return decideHolds(
    { ...request, ...fields },
    {
      eventId: saved.id,
      version: 'v',
      facts: { sales, expected: [], received: [], ...facts },
    },
  )
}

/** Which commission is held because of which sale, for instance "c-2 by 1". */
const heldBy = (decided: ReturnType<typeof decide>) =>
  decided.held.map(({ commissionId, evidenceId }) => `${commissionId} by ${evidenceId}`)

describe('of two sales that may be one purchase', () => {
  test.each([
    {
      case: 'the one whose commission was made later is held',
      sales: [invoice('2', { near: ['1'] }), sale('1')],
      held: ['c-2 by 1'],
    },
    {
      case: 'the one that was saved before is held, if its commission was made later',
      sales: [sale('1', { near: ['2'] }), invoice('2')],
      held: ['c-2 by 1'],
    },
    {
      case: 'a payment is held rather than an invoice, which says the tax',
      sales: [invoice('2', { near: ['1'] }), payment('1')],
      held: ['c-1 by 2'],
    },
    {
      case: 'an invoice is held rather than a checkout, which says who referred the buyer',
      sales: [checkout('2', { near: ['1'] }), invoice('1')],
      held: ['c-1 by 2'],
    },
    {
      case: 'the other one is held, if one is part of a payout',
      sales: [payment('1', { near: ['2'], isPaid: true }), invoice('2')],
      held: ['c-2 by 1'],
    },
    {
      case: 'none is held, if both are part of a payout',
      sales: [payment('1', { near: ['2'], isPaid: true }), invoice('2', { isPaid: true })],
      held: [],
    },
    {
      case: 'the other one is held, if a manager holds one',
      sales: [payment('1', { near: ['2'], hold: { reason: 'manual' } }), invoice('2')],
      held: ['c-2 by 1'],
    },
    {
      case: 'a gross amount in common is enough',
      sales: [invoice('2', { near: ['1'], amounts: [4_000, 4_900] }), sale('1')],
      held: ['c-2 by 1'],
    },
    {
      case: 'none is held without an amount in common',
      sales: [invoice('2', { near: ['1'], amounts: [4_000] }), sale('1')],
      held: [],
    },
    {
      case: 'an invoice whose payment is known, and another payment, are two purchases',
      sales: [invoice('2', { near: ['1'], kinds: ['invoice', 'payment'] }), payment('1')],
      held: [],
    },
    {
      case: 'an invoice and a checkout of different subscriptions are two purchases',
      sales: [invoice('2', { near: ['1'], subscriptionId: 'sub_1' }), checkout('1')],
      held: [],
    },
    {
      case: 'a payment does not say its subscription, so it may be of any',
      sales: [
        payment('2', { near: ['1'], subscriptionId: null }),
        invoice('1', { subscriptionId: 'sub_1' }),
      ],
      held: ['c-2 by 1'],
    },
    {
      case: 'what a manager has released is not compared with the same sale again',
      sales: [
        invoice('2', {
          near: ['1'],
          hold: { evidenceId: '1', resolution: 'released', isResolvedByHand: true },
        }),
        sale('1'),
      ],
      held: [],
    },
    {
      case: 'what was released because it was two purchases is compared again',
      sales: [
        invoice('2', { near: ['1'], hold: { evidenceId: '1', resolution: 'released' } }),
        sale('1'),
      ],
      held: ['c-2 by 1'],
    },
    {
      case: 'a sale that earns nothing is not held',
      sales: [invoice('2', { near: ['1'], commissionId: null }), sale('1')],
      held: [],
    },
    {
      case: 'nothing is held without sales near',
      sales: [sale('1', { hold: { reason: 'manual' } })],
      held: [],
    },
  ])('$case', ({ sales, held }) => {
    expect(heldBy(decide(sales))).toEqual(held)
  })
})

describe('of several sales that may be one purchase', () => {
  test.each([
    {
      case: 'a payment, its invoice and the report of both are one, of which the first earns',
      sales: [
        payment('3', { near: ['1', '2'] }),
        sale('1'),
        invoice('2', { hold: { evidenceId: '1' } }),
      ],
      held: ['c-3 by 1'],
    },
    {
      case: 'a second invoice is another purchase than the report that has one already',
      sales: [
        invoice('3', { near: ['1'] }),
        sale('1'),
        invoice('2', { hold: { evidenceId: '1' } }),
      ],
      held: [],
    },
    {
      case: 'a second invoice is held for a second report',
      sales: [
        invoice('4', { near: ['1', '3'] }),
        sale('1'),
        invoice('2', { hold: { evidenceId: '1' } }),
        sale('3'),
      ],
      held: ['c-4 by 3'],
    },
    {
      case: 'a sale that two are duplicates of has both held',
      sales: [checkout('3', { near: ['1', '2'] }), invoice('1'), payment('2')],
      held: ['c-1 by 3', 'c-2 by 3'],
    },
  ])('$case', ({ sales, held }) => {
    expect(heldBy(decide(sales))).toEqual(held)
  })
})

test('the step names the sale that it may be a duplicate of, once', () => {
  const step: Step = { code: 'possible_duplicate', facts: { externalId: 'order-1' } }
  expect(decide([invoice('2', { near: ['1'] }), sale('1')]).steps).toEqual([
    { eventId: '2', steps: [step] },
  ])
  const held = invoice('2', { near: ['1'], hold: { evidenceId: '1' }, steps: [step] })
  expect(decide([held, sale('1')]).steps).toEqual([])
})

describe('runs that would pay a commission are kept away', () => {
  test.each([
    { case: 'not if the new one is held', id: '2', other: '1', isNew: true, isOfOthers: false },
    { case: 'if the other one is held', id: '1', other: '2', isNew: true, isOfOthers: true },
    { case: 'if it is not new', id: '2', other: '1', isNew: false, isOfOthers: true },
  ])('$case', ({ id, other, isNew, isOfOthers }) => {
    const sales = [invoice(id, { near: [other] }), sale(other)]
    expect(decide(sales, { isNew }).isOfOthers).toBe(isOfOthers)
  })
})

describe('a hold', () => {
  test('follows to the commission that replaces the held one', () => {
    const { moved, held } = decide([invoice('2', { former: { evidenceId: '1' } }), sale('1')])
    expect({ moved, held }).toEqual({ moved: [{ from: 'b-2', to: 'c-2' }], held: [] })
  })

  test('does not follow once it is rejected', () => {
    const former = { evidenceId: '1', resolution: 'rejected' as const, isResolvedByHand: true }
    expect(decide([invoice('2', { former }), sale('1')]).moved).toEqual([])
  })

  test('is released if its sale and the evidence are recorded as one purchase', () => {
    const saved = sale('1')
    const tied = invoice('2', { hold: { evidenceId: '1' }, commissionId: null })
    expect(decide([saved, tied], { tiedIds: ['2'] }).resolved).toEqual([
      { commissionId: 'c-2', resolution: 'released' },
    ])
  })

  test('has the present sale as evidence if the former one is tied to it', () => {
    const held = payment('3', { hold: { evidenceId: '2' } })
    const { evidence, resolved } = decide([sale('1'), invoice('2', { commissionId: null }), held], {
      tiedIds: ['2'],
    })
    expect(evidence).toEqual([{ commissionId: 'c-3', evidenceId: '1' }])
    expect(resolved).toEqual([])
  })

  test('is released, and compared again, if ids of one kind are known of both now', () => {
    const saved = invoice('1', { kinds: ['invoice', 'payment'] })
    const held = (near: string[]) => payment('3', { hold: { evidenceId: '1' }, near })
    expect(decide([saved, held(['1'])]).resolved).toEqual([
      { commissionId: 'c-3', resolution: 'released' },
    ])
    const again = decide([saved, held(['1', '2']), sale('2')])
    expect([again.resolved, heldBy(again)]).toEqual([[], ['c-3 by 2']])
    expect(again.steps).toEqual([
      {
        eventId: '3',
        steps: [{ code: 'possible_duplicate', facts: { externalId: 'order-2' } }],
      },
    ])
  })
})

describe('a rule', () => {
  const rule = (fields: Partial<Rule> = {}): Rule => ({
    reason: 'self_referral',
    isNew: true,
    ...fields,
  })
  const known = rule({ isNew: false })

  test.each([
    { case: 'holds the commission', rule: rule(), sale: {}, holds: true },
    {
      case: 'holds none that is part of a payout',
      rule: rule(),
      sale: { isPaid: true },
      holds: false,
    },
    {
      case: 'holds again what a manager has released, if it is new',
      rule: rule(),
      sale: { hold: { reason: 'late_lead', resolution: 'released', isResolvedByHand: true } },
      holds: true,
    },
    {
      case: 'holds nothing again that a manager has released, if it was known',
      rule: known,
      sale: { hold: { reason: 'self_referral', resolution: 'released', isResolvedByHand: true } },
      holds: false,
    },
    {
      case: 'holds nothing again that was rejected',
      rule: rule(),
      sale: { hold: { reason: 'manual', resolution: 'rejected', isResolvedByHand: true } },
      holds: false,
    },
    {
      case: 'leaves a manager’s own hold',
      rule: rule(),
      sale: { hold: { reason: 'manual' } },
      holds: false,
    },
    {
      case: 'goes before a possible duplicate, if it is new',
      rule: rule(),
      sale: { hold: { evidenceId: '1' } },
      holds: true,
    },
    {
      case: 'leaves a possible duplicate, if it was known',
      rule: known,
      sale: { hold: { evidenceId: '1' } },
      holds: false,
    },
    {
      case: 'goes before another rule',
      rule: known,
      sale: { hold: { reason: 'late_lead' } },
      holds: true,
    },
  ] satisfies { case: string; rule: Rule; sale: Sale; holds: boolean }[])(
    '$case',
    ({ rule, sale: fields, holds }) => {
      const { held } = decide([invoice('2', fields), sale('1')], { rule })
      expect(held.map(({ reason }) => reason)).toEqual(holds ? ['self_referral'] : [])
    },
  )

  test('keeps the evidence of a possible duplicate', () => {
    const sales = [invoice('2', { near: ['1'] }), sale('1')]
    expect(decide(sales, { rule: rule() }).held).toEqual([
      { commissionId: 'c-2', reason: 'self_referral', evidenceId: '1' },
    ])
  })

  test.each([
    { case: 'releases what a rule holds', reason: 'late_lead', resolved: ['c-1'] },
    { case: 'does not release what a manager holds', reason: 'manual', resolved: [] },
  ] as const)('that holds nothing any more $case', ({ reason, resolved }) => {
    const decided = decide([sale('1', { hold: { reason } })], { rule: rule({ reason: null }) })
    expect(decided.resolved.map(({ commissionId }) => commissionId)).toEqual(resolved)
  })
})

describe('a sale that was expected', () => {
  const expected = (id: string, fields: Sale = {}) => sale(id, { commissionId: null, ...fields })
  const receivedAs = (externalId: string) => [
    { code: 'expected_sale_received', facts: { externalId } },
  ]

  test.each([
    {
      case: 'is the processor’s that comes after it',
      sales: [invoice('2'), expected('1')],
      facts: { expected: ['1'] },
      steps: [{ eventId: '1', steps: receivedAs('in_2') }],
    },
    {
      case: 'is the processor’s that came before it',
      sales: [expected('2'), invoice('1')],
      facts: { expected: ['1'] },
      steps: [{ eventId: '2', steps: receivedAs('in_1') }],
    },
    {
      case: 'may be reported with tax',
      sales: [invoice('2', { amounts: [4_000, 4_900] }), expected('1')],
      facts: { expected: ['1'] },
      steps: [{ eventId: '1', steps: receivedAs('in_2') }],
    },
    {
      case: 'has the amount of the processor’s',
      sales: [invoice('2'), expected('1', { amountCents: 4_000 })],
      facts: { expected: ['1'] },
      steps: [],
    },
    {
      case: 'is not the processor’s if that is another expected sale’s',
      sales: [expected('3'), invoice('1'), invoice('2')],
      facts: { expected: ['1', '2'], received: ['in_1'] },
      steps: [{ eventId: '3', steps: receivedAs('in_2') }],
    },
    {
      case: 'is not one that the processor has reported too',
      sales: [invoice('2'), expected('1', { kinds: ['report', 'payment'] })],
      facts: { expected: ['1'] },
      steps: [],
    },
  ])('$case', ({ sales, facts, steps }) => {
    expect(decide(sales, { duplicateHours: null }, facts).steps).toEqual(steps)
  })
})
