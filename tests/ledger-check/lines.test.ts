/**
 * Sales that were rewarded line by line: the check computes the same on its own, and both it and
 * verify_ledger find the faults that are planted into a sound ledger.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRounded, whole } from '../../lib/ledger-check/fractions.ts'
import { reversedByLine } from '../../lib/ledger-check/line-returns.ts'
import { checkLines, type RuledSale } from '../../lib/ledger-check/line-rewards.ts'
import { nothingReturned } from '../../lib/rules/refunds/returns.ts'
import { reversedFor } from '../../lib/rules/refunds/reversed-lines.ts'
import type { Condition, SaleFacts } from '../../lib/rules/rewards/conditions.ts'
import { earnByLine } from '../../lib/rules/rewards/earn-lines.ts'
import type { Pay, Rule } from '../../lib/rules/rewards/rewards.ts'
import { linesOf, type StoredLine } from '../../lib/rules/rewards/sale-lines.ts'
import { type LineFacts, lineSteps, type Step } from '../../lib/rules/steps/steps.ts'
import { differencesOf, violationsOf } from '../support/ledger.ts'
import { useDatabase } from '../support/merchant.ts'
import { useRolledBack } from '../support/rolled-back.ts'
import { creditNote, invoice, stripeId } from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'
import { SEEDS } from '../support/thorough.ts'

const AT = '2026-05-15T12:00:00+00:00'

const lineFacts = (steps: Step[]): LineFacts[] =>
  steps.flatMap(({ code, facts }) => (code === 'line_reward' ? [facts] : []))

/** Few values of each, so that some match. */
const arbitraryLines = fc.array(
  fc.record({
    productId: fc.constantFrom('plan', 'seat', null),
    quantity: fc.integer({ min: 1, max: 9 }),
    amountCents: fc.nat(20_000),
    metadata: fc.constantFrom(undefined, { kind: 'new' }),
    billingInterval: fc.constantFrom(undefined, 'year' as const),
    isProration: fc.constantFrom(undefined, true as const),
  }),
  { minLength: 1, maxLength: 5 },
)
const currency = fc.constantFrom('USD', 'EUR')
const arbitraryPay: fc.Arbitrary<Pay> = fc.oneof(
  fc.record({ kind: fc.constant('percent' as const), basisPoints: fc.nat(10_000) }),
  fc.record({
    kind: fc.constant('flat' as const),
    amountCents: fc.nat(9_000),
    currency,
    per: fc.constantFrom('sale' as const, 'unit' as const),
  }),
  fc.constant({ kind: 'none' as const }),
)
const arbitraryCondition: fc.Arbitrary<Condition> = fc.constantFrom<Condition[]>(
  { fact: 'product', in: ['plan'] },
  { fact: 'quantity', atLeast: 3, atMost: 6 },
  { fact: 'lineAmount', currency: 'USD', atLeastCents: 5_000 },
  { fact: 'saleAmount', currency: 'EUR', belowCents: 30_000 },
  { fact: 'billingInterval', in: ['year'] },
  { fact: 'metadata', key: 'kind', in: ['new'] },
  { fact: 'metadata', key: 'plan' },
  { fact: 'country', in: ['DE'] },
  { fact: 'day', from: '2026-05-15', until: '2026-05-15' },
  { fact: 'day', until: '2026-05-14' },
  { fact: 'payment', atMost: 1 },
  { fact: 'payment', atLeast: 3 },
  { fact: 'payment', of: 'subscription', atLeast: 2 },
  { fact: 'customerMonths', below: 12 },
  { fact: 'coupon' },
  { fact: 'link', in: ['maya'] },
  { fact: 'sub', in: ['mail'] },
  { fact: 'tier', in: ['Silver', 'Gold'] },
)
const arbitraryRules = fc
  .array(
    fc.record({
      all: fc.array(arbitraryCondition, { minLength: 1, maxLength: 2 }),
      any: fc.option(fc.array(arbitraryCondition, { minLength: 1, maxLength: 2 })),
      pay: arbitraryPay,
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rules) =>
    rules.map(
      ({ all, any, pay }, i): Rule => ({
        name: `Rule ${i}`,
        when: { all: [...all, ...(any ? [{ any }] : [])] },
        pay,
      }),
    ),
  )

/** A decided sale: what its steps say, and what is stored of it. */
const arbitrarySale = fc
  .record({
    stored: arbitraryLines,
    rules: arbitraryRules,
    base: fc.oneof(
      fc.record({ kind: fc.constant('percent' as const), basisPoints: fc.nat(10_000) }),
      fc.record({ kind: fc.constant('flat' as const), amountCents: fc.nat(9_000), currency }),
    ),
    currency,
    /** What the sale is more than its lines, such as shipping, or less. */
    more: fc.integer({ min: -500, max: 500 }),
    payments: fc.nat(3),
    facts: fc.record({
      country: fc.constantFrom(null, 'DE'),
      metadata: fc.constantFrom(null, { plan: { seats: 3 } }),
      coupons: fc.constantFrom<string[]>([], ['SUMMER']),
      link: fc.constantFrom(null, 'maya'),
      sub: fc.constantFrom(null, 'mail'),
      tier: fc.constantFrom(null, 'Gold'),
    }),
    rewardedProducts: fc.constantFrom<string[]>([], ['', 'seat']),
  })
  .map(({ stored, rules, base, currency, more, payments, facts, rewardedProducts }) => {
    const sum = stored.reduce((cents, one) => cents + one.amountCents, 0)
    const amountCents = Math.max(0, sum + more)
    const sale = { amountCents: BigInt(amountCents), currency }
    const asked: SaleFacts = {
      ...facts,
      occurredAt: new Date(AT),
      sale,
      history: { payments, ofSubscription: null, firstSaleAt: null },
    }
    const lines = stored as StoredLine[]
    const earned = earnByLine({ ...base, rules }, linesOf(sale.amountCents, lines), asked, {
      ...{ firstRewardedAt: null, months: null, rewardedProducts },
    })
    const ruled: RuledSale = {
      rules,
      lines,
      rewardedProducts,
      country: facts.country,
      metadata: facts.metadata,
      isErased: false,
      tier: facts.tier,
      paidBefore: { least: payments, most: payments },
    }
    const commission = {
      amountCents: Number(earned.reduce((cents, one) => cents + one.earnedCents, 0n)),
      currency,
      basisPoints: base.kind === 'percent' ? base.basisPoints : null,
      flatCents: base.kind === 'flat' ? base.amountCents : null,
      flatCurrency: base.kind === 'flat' ? base.currency : null,
    }
    return {
      sale: {
        ...{ externalId: 'order', occurredAt: AT, amountCents, currency },
        isFirstRewarded: false,
      },
      rewarded: lineFacts(lineSteps(earned, sale)),
      ruled,
      commission,
    }
  })

test('the check computes what lines earn as they do, and finds a cent', () => {
  fc.assert(
    fc.property(arbitrarySale, fc.nat(4), ({ sale, rewarded, ruled, commission }, at) => {
      expect(checkLines(sale, rewarded, ruled, commission)).toBeNull()
      const wrong = rewarded.map((facts, i) =>
        i === at % rewarded.length ? { ...facts, earnedCents: facts.earnedCents + 1 } : facts,
      )
      const more = { ...commission, amountCents: commission.amountCents + 1 }
      expect(checkLines(sale, wrong, ruled, more)).not.toBeNull()
      expect(checkLines(sale, rewarded, ruled, more)).not.toBeNull()
    }),
    { seed: SEEDS[0], numRuns: 500 },
  )
})

test('the check computes what returns reverse as they do', () => {
  const parts = fc.record({
    named: fc.array(fc.record({ line: fc.nat(4), cents: fc.nat(9_000) }), { maxLength: 4 }),
    returned: fc.nat(10_000),
    tax: fc.nat(2_000),
  })
  fc.assert(
    fc.property(arbitrarySale, parts, ({ sale, rewarded, commission }, given) => {
      if (sale.amountCents === 0) return
      const facts = rewarded.map((one, i) => ({ ...one, id: `il_${i}` }))
      const steps = facts.map((one): Step => ({ code: 'line_reward', facts: one }))
      const gross = sale.amountCents + Math.round((sale.amountCents * given.tax) / 10_000)
      const cents = Math.floor((gross * given.returned) / 10_000)
      const named = given.named.map((one) => ({ line: `il_${one.line}`, cents: one.cents }))
      const { reversedCents } = reversedFor(BigInt(commission.amountCents), steps, {
        ...nothingReturned({ amountCents: BigInt(gross), currency: sale.currency }),
        refundedCents: BigInt(cents),
        ofLines: named.map((one) => ({ line: one.line, netCents: BigInt(one.cents) })),
      })
      const { exact, slack } = reversedByLine(
        facts,
        { cents: whole(cents), roundings: 0 },
        named.map((one) => ({ line: one.line, cents: whole(one.cents) })),
        { cents: whole(gross), roundings: 0 },
      )
      expect(isRounded(reversedCents, exact, slack)).toBe(true)
    }),
    { seed: SEEDS[0], numRuns: 500 },
  )
})

test.each([
  { case: 'a first payment', paidBefore: { least: 0, most: 0 }, found: null },
  { case: 'one that may be the first', paidBefore: { least: 0, most: 1 }, found: null },
  { case: 'one of a customer who is not known', paidBefore: null, found: null },
  {
    case: 'a second payment',
    paidBefore: { least: 1, most: 1 },
    found: 'order, line 1: the base decides it. The ledger has “First”.',
  },
])('a rule for first payments decides $case', ({ paidBefore, found }) => {
  const rule: Rule = {
    name: 'First',
    when: { all: [{ fact: 'payment', atMost: 1 }] },
    pay: { kind: 'percent', basisPoints: 5_000 },
  }
  const facts: LineFacts = {
    ...{ amountCents: 1_000, rule: 'First', pays: { percent: 50 }, earnedCents: 500 },
    currency: 'USD',
  }
  const commission = {
    ...{ amountCents: 500, currency: 'USD', basisPoints: 1_000, flatCents: null },
    flatCurrency: null,
  }
  const sale = {
    ...{ externalId: 'order', occurredAt: AT, amountCents: 1_000, currency: 'USD' },
    isFirstRewarded: true,
  }
  const ruled = {
    rules: [rule],
    lines: null,
    rewardedProducts: [],
    country: null,
    metadata: null,
    isErased: false,
    tier: null,
    paidBefore,
  }
  expect(checkLines(sale, [facts], ruled, commission)).toBe(found)
})

test('a line is refused only if its product has earned a one-time reward before', () => {
  const facts: LineFacts = {
    ...{ productId: 'plan', amountCents: 1_000, rule: null, pays: { percent: 10 }, earnedCents: 0 },
    ...{ currency: 'USD', refusal: 'one_time_already_rewarded' },
  }
  const ruled = {
    ...{
      rules: [],
      lines: null,
      country: null,
      metadata: null,
      isErased: false,
      tier: null,
      paidBefore: null,
    },
    rewardedProducts: ['plan'],
  }
  const sale = {
    ...{ externalId: 'order', occurredAt: AT, amountCents: 1_000, currency: 'USD' },
    isFirstRewarded: true,
  }
  const commission = {
    ...{ amountCents: 0, currency: 'USD', basisPoints: 1_000, flatCents: null },
    flatCurrency: null,
  }
  expect(checkLines(sale, [facts], ruled, commission)).toBeNull()
  expect(checkLines(sale, [facts], { ...ruled, rewardedProducts: ['seat'] }, commission)).toBe(
    'order, line 1: its product has earned no one-time reward before. The ledger has it refused (one_time_already_rewarded).',
  )
})

const database = useDatabase()
const query = useRolledBack()

const RULES: Rule[] = [
  {
    name: 'Plans',
    when: { all: [{ fact: 'product', in: ['plan'] }] },
    pay: { kind: 'percent', basisPoints: 2_500 },
  },
  {
    name: 'Seats',
    when: { all: [{ fact: 'product', in: ['seat'] }] },
    pay: { kind: 'flat', amountCents: 75, currency: 'USD', per: 'unit' },
  },
]
const LINES: StoredLine[] = [
  { productId: 'plan', quantity: 1, amountCents: 6_000, id: 'il_plan' },
  { productId: 'seat', quantity: 4, amountCents: 3_000, id: 'il_seat' },
  { productId: 'kit', quantity: 1, amountCents: 1_000, id: 'il_kit' },
]
const usd = { currency: 'USD' }
/** 25% of 60.00, 4 x 0.75, and 20% of 10.00: as 20% of 100.00, which was recorded. */
const REWARDED: LineFacts[] = [
  {
    ...{ line: 1, id: 'il_plan', amountCents: 6_000, rule: 'Plans', earnedCents: 1_500 },
    ...{ pays: { percent: 25 }, ...usd },
  },
  {
    ...{ line: 2, id: 'il_seat', amountCents: 3_000, rule: 'Seats', earnedCents: 300 },
    ...{ pays: { amountCents: 75, currency: 'USD', per: 'unit' }, ...usd },
  },
  {
    ...{ line: 3, id: 'il_kit', amountCents: 1_000, rule: null, earnedCents: 200 },
    ...{ pays: { percent: 20 }, ...usd },
  },
]
const REVERSED = { line: 2, returnedCents: 3_000, reversedCents: 300 }

/** A sale of three lines, of which a credit note returns the second, as it is stored. */
const plant = async (
  id: string,
  {
    rewarded = REWARDED,
    reversed = REVERSED,
    reversedCents = 300,
    rules = RULES,
  }: Partial<{
    rewarded: LineFacts[]
    reversed: typeof REVERSED
    reversedCents: number
    rules: Rule[]
  }> = {},
) => {
  await query('set local session_replication_role = replica')
  await query('update rewards set rules = $2 where workspace_id = $1', [id, JSON.stringify(rules)])
  const [event] = await query<{ steps: Step[] }>(
    `select steps from events where workspace_id = $1 and kind = 'sale'`,
    [id],
  )
  const steps = event?.steps.flatMap((step): Step[] => {
    if (step.code === 'commission_reversed')
      return [{ ...step, facts: { ...step.facts, amountCents: reversedCents, lines: [reversed] } }]
    if (step.code !== 'program_reward') return [step]
    return [step, ...rewarded.map((facts): Step => ({ code: 'line_reward', facts }))]
  })
  await query(
    `update events set steps = $2, lines = $3 where workspace_id = $1 and kind = 'sale'`,
    [id, JSON.stringify(steps), JSON.stringify(LINES)],
  )
  await query(
    `update commissions set amount_cents = $2 where workspace_id = $1 and kind = 'reversal'`,
    [id, -reversedCents],
  )
  await query(
    `update processor_events set facts = jsonb_set(facts, '{0,lines}', $2)
     where workspace_id = $1 and facts -> 0 ->> 'kind' = 'credit_note'`,
    [id, JSON.stringify([{ line: 'il_seat', netCents: 3_000 }])],
  )
}

/** What both checks find, but for totals: these are not planted. */
const findings = async (id: string) => ({
  violations: (await violationsOf(query, id))
    .filter(({ invariant }) => !invariant.startsWith('totals'))
    .map(({ invariant, details }) => `${invariant}: ${details}`),
  differences: await differencesOf(query, id),
})

const openShop = async (): Promise<string> => {
  const shop = await openStripeShop(database)
  const id = stripeId('in')
  const amounts = { amount_paid: 10_000, total: 10_000, total_excluding_tax: 10_000 }
  const metadata = { tributary_click: await shop.clickBefore() }
  await shop.deliver('invoice.paid', invoice({ id, metadata, ...amounts }))
  await shop.deliver('credit_note.created', creditNote({ invoice: id, amount: 3_000 }))
  return shop.merchant.workspace.id
}

const earningsOf = (cents: number[]) =>
  REWARDED.map((facts, i) => ({ ...facts, earnedCents: cents[i] ?? 0 }))

test.each<{
  fault: string
  planted: Parameters<typeof plant>[1]
  violations: string[]
  differences: string[]
}>([
  { fault: 'nothing', planted: {}, violations: [], differences: [] },
  {
    fault: 'a line earns a cent more, another one less',
    planted: { rewarded: earningsOf([1_501, 300, 199]) },
    violations: [
      'a line earns what its rule pays: line 1: 1501 instead of 1500',
      'a line earns what its rule pays: line 3: 199 instead of 200',
    ],
    differences: ['line 1: “Plans” pays 15.00 USD. The ledger has 15.01 USD.'],
  },
  {
    fault: 'the lines earn less than the commission',
    planted: { rewarded: earningsOf([1_500, 300, 100]) },
    violations: [
      'the lines of an event earn its commission: 1900 of lines, 2000 created, commission of 2000 USD',
      'a line earns what its rule pays: line 3: 100 instead of 200',
    ],
    differences: ['line 3: the base pays 2.00 USD. The ledger has 1.00 USD.'],
  },
  {
    fault: 'the lines are less than the sale',
    planted: {
      rewarded: REWARDED.map((facts) =>
        facts.line === 2 ? { ...facts, amountCents: 2_900 } : facts,
      ),
    },
    violations: [
      'the lines of a sale add up to its amount: 9900 of lines, sale of 10000',
      'the reversals of a line do not exceed what it earned: line 2: 300 of 300 for 3000 of 2900',
    ],
    differences: ['its lines: they are 99.00 USD, and the sale is 100.00 USD.'],
  },
  {
    fault: 'another rule decides a line',
    planted: {
      rewarded: REWARDED.map((facts) =>
        facts.line === 3 ? { ...facts, rule: 'Seats', pays: REWARDED[1]?.pays ?? null } : facts,
      ),
    },
    violations: ['a line earns what its rule pays: line 3: 200 instead of 75'],
    differences: ['line 3: the base decides it. The ledger has “Seats”.'],
  },
  {
    fault: 'a return of a line reverses a part of the whole commission',
    planted: { reversedCents: 600, reversed: { ...REVERSED, reversedCents: 600 } },
    violations: [
      'the reversals of a line do not exceed what it earned: line 2: 600 of 300 for 3000 of 3000',
    ],
    differences: [
      'So 3.00 USD of the commission of 20.00 USD is to be reversed. The ledger has reversed 6.00 USD.',
    ],
  },
  {
    fault: 'rules that the lines were not decided by',
    planted: { rules: RULES.toReversed().slice(0, 1) },
    violations: [],
    differences: ['line 1: the base decides it. The ledger has “Plans”.'],
  },
])('of a sale with lines is found: $fault', async ({ planted, violations, differences }) => {
  const id = await openShop()
  await plant(id, planted)
  expect(await findings(id)).toEqual({
    violations,
    differences: differences.map((text) => expect.stringContaining(text)),
  })
})
