/**
 * The shadow run on a made-up month: each kind of difference is named rightly, and matching is one
 * to one in any order.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareSale,
  type HereFacts,
  type ThereFacts,
} from '../../lib/shadow/comparison/compare.ts'
import { compareSales } from '../../lib/shadow/comparison/comparison.ts'
import {
  type HereSale,
  matchSales,
  type ThereSale,
  WINDOW_MS,
} from '../../lib/shadow/comparison/match.ts'
import { SEEDS } from '../support/thorough.ts'

const DAY_MS = 86_400_000
const BEGIN = Date.parse('2026-10-01T12:00:00Z')
const on = (day: number, hours = 0) => new Date(BEGIN + (day - 1) * DAY_MS + hours * 3_600_000)

/** A sale of 49.00 that earns 20 %. */
const sale = (of: Partial<HereFacts> = {}): HereFacts & { partnerId: string | null } => ({
  id: 'event',
  customer: 'customer',
  at: on(5),
  amountCents: 4_900n,
  currency: 'USD',
  grossCents: 980n,
  earnsCents: 980n,
  earnsCurrency: 'USD',
  partnerEmail: 'maya@partner.example',
  partnerId: null,
  isPartnerThere: true,
  heldFor: null,
  steps: [{ code: 'click' }, { code: 'commission_created' }],
  isOfOtherProgram: false,
  ...of,
})

/** The same there. */
const commission = (of: Partial<ThereFacts> = {}): ThereFacts => ({
  id: 'commission',
  eventId: 'event',
  customer: 'customer',
  at: on(5),
  saleCents: 4_900n,
  currency: 'USD',
  amountCents: 980n,
  isVoided: false,
  partnerEmail: 'maya@partner.example',
  isCustomerKnown: true,
  isOtherMode: false,
  ...of,
})

/** A sale that earns nothing, because of a step. */
const nothing = (code: HereFacts['steps'][number]['code'], of: Partial<HereFacts> = {}) =>
  sale({ grossCents: 0n, earnsCents: 0n, earnsCurrency: null, steps: [{ code }], ...of })
const uncredited = (code: HereFacts['steps'][number]['code']) =>
  nothing(code, { partnerEmail: null })

const MONTH: {
  case: string
  here: HereFacts | null
  there: ThereFacts | null
  is: [string, string | null] | null
}[] = [
  { case: 'both decide the same', here: sale(), there: commission(), is: ['same', null] },
  {
    case: 'a time zone moves the sale to another day',
    here: sale({ at: on(5, 10) }),
    there: commission({ at: on(6, -10) }),
    is: ['same', 'other_day'],
  },
  {
    case: 'the backend reports a click id that was never made here',
    here: uncredited('unknown_click'),
    there: commission(),
    is: ['only_there', 'unknown_click'],
  },
  {
    case: 'the click is older than the window here',
    here: uncredited('expired_click'),
    there: commission(),
    is: ['only_there', 'expired_click'],
  },
  {
    case: 'the site’s tag does not pass the click on',
    here: uncredited('no_click'),
    there: commission(),
    is: ['only_there', 'no_click'],
  },
  {
    case: 'a renewal of a customer who is not imported',
    here: uncredited('unknown_customer'),
    there: commission(),
    is: ['only_there', 'customer_not_imported'],
  },
  {
    case: 'a renewal that was not even received',
    here: null,
    there: commission({ eventId: null, isCustomerKnown: false }),
    is: ['only_there', 'customer_not_imported'],
  },
  {
    case: 'a sale that the backend does not report',
    here: null,
    there: commission({ eventId: null }),
    is: ['only_there', 'sale_not_reported'],
  },
  {
    case: 'the payment was made in test mode',
    here: null,
    there: commission({ eventId: null, isOtherMode: true }),
    is: ['only_there', 'test_mode'],
  },
  {
    case: 'a one-time reward that the customer’s first sale had',
    here: nothing('one_time_already_rewarded'),
    there: commission(),
    is: ['only_there', 'one_time_already_rewarded'],
  },
  {
    case: 'the reward’s duration is over',
    here: nothing('past_reward_duration'),
    there: commission(),
    is: ['only_there', 'past_reward_duration'],
  },
  {
    case: 'a partner who is banned here',
    here: uncredited('partner_inactive'),
    there: commission(),
    is: ['only_there', 'partner_inactive'],
  },
  {
    case: 'a self-referral that is refused here',
    here: nothing('self_referral'),
    there: commission(),
    is: ['only_there', 'self_referral_refused'],
  },
  {
    case: 'a self-referral that is held here',
    here: sale({ heldFor: 'self_referral' }),
    there: commission(),
    is: ['different', 'self_referral_held'],
  },
  {
    case: 'another program of the workspace has the customer',
    here: nothing('commission_created', { isOfOtherProgram: true }),
    there: commission(),
    is: ['only_there', 'other_program'],
  },
  {
    case: 'another partner is credited there',
    here: sale(),
    there: commission({ partnerEmail: 'leo@partner.example' }),
    is: ['different', 'other_partner'],
  },
  {
    case: 'tax counts there',
    here: sale(),
    there: commission({ saleCents: 5_831n, amountCents: 1_166n }),
    is: ['different', 'larger_base'],
  },
  {
    case: 'fees are deducted there',
    here: sale(),
    there: commission({ saleCents: 4_700n, amountCents: 940n }),
    is: ['different', 'smaller_base'],
  },
  {
    case: 'a group has another rate here',
    here: sale(),
    there: commission({ amountCents: 1_470n }),
    is: ['different', 'rate'],
  },
  {
    case: 'the other platform converts the currency',
    here: sale(),
    there: commission({ currency: 'EUR', amountCents: 905n, saleCents: null }),
    is: ['different', 'currency'],
  },
  {
    case: 'the other platform rounds down',
    here: sale(),
    there: commission({ amountCents: 979n }),
    is: ['different', 'rounding'],
  },
  {
    case: 'a refund that is not seen there yet',
    here: sale({ earnsCents: 490n }),
    there: commission(),
    is: ['different', 'refund_not_seen_there'],
  },
  {
    case: 'a full refund that is not seen there yet',
    here: sale({ earnsCents: 0n }),
    there: commission(),
    is: ['only_there', 'refund_not_seen_there'],
  },
  {
    case: 'a refund that is not seen here yet',
    here: sale(),
    there: commission({ isVoided: true }),
    is: ['only_here', 'refund_not_seen_here'],
  },
  {
    case: 'a sale of which the other platform knows nothing',
    here: sale(),
    there: null,
    is: ['only_here', 'not_reported_there'],
  },
  {
    case: 'a partner who is not there',
    here: sale({ isPartnerThere: false }),
    there: null,
    is: ['only_here', 'partner_not_there'],
  },
  {
    case: 'a sale after the last upload',
    here: sale({ at: on(31) }),
    there: null,
    is: ['only_here', 'not_uploaded_yet'],
  },
  {
    case: 'neither earns anything by it',
    here: nothing('zero_amount'),
    there: commission({ isVoided: true }),
    is: null,
  },
  { case: 'nobody is credited anywhere', here: uncredited('no_click'), there: null, is: null },
]

test.each(MONTH)('$case', ({ here, there, is }) => {
  const compared = compareSale(here, there, on(30))
  expect(compared && [compared.outcome, compared.reason]).toEqual(is)
})

test('the whole month at once: each pair is found, and named as it is alone', () => {
  const named = MONTH.map(({ here, there }, n) => ({
    here: here && { ...sale(), ...here, id: `e${n}`, customer: `c${n}` },
    there: there && {
      ...there,
      id: `t${n}`,
      customer: `c${n}`,
      eventId: there.eventId && here ? `e${n}` : null,
    },
  }))
  const found = compareSales(
    named.flatMap(({ here }) => here ?? []),
    named.flatMap(({ there }) => there ?? []),
    on(30),
  )
  const byBucket = new Map(found.map((one) => [one.bucket, [one.outcome, one.reason]]))
  expect(MONTH.map((_, n) => byBucket.get(`c${n}`) ?? null)).toEqual(MONTH.map(({ is }) => is))
  expect(new Set(found.map(({ reason }) => reason)).size).toBeGreaterThan(12)
})

test('of two commissions that name one sale the other platform’s second is said to be one', () => {
  const theres = [commission({ id: 'b', at: on(6) }), commission({ id: 'a' })]
  const found = compareSales([sale()], theres, on(30))
  expect(found.map(({ id, outcome, reason }) => [id, outcome, reason]).sort()).toEqual([
    ['a', 'same', null],
    ['b', 'only_there', 'second_commission'],
  ])
})

test('without ids, sales of a customer match by amount before time, and none outside of two days', () => {
  const here = [sale({ id: 'early', amountCents: 1_000n }), sale({ id: 'late', at: on(6) })]
  const there = [
    commission({ id: 'x', eventId: null, at: on(5) }),
    commission({ id: 'y', eventId: null, at: on(9) }),
  ]
  expect(matchSales(here, there)).toEqual([{ hereId: 'late', thereId: 'x', by: 'customer' }])
})

const id = fc.integer({ min: 0, max: 999 }).map((n) => `id${n}`)
const time = fc.integer({ min: 0, max: 6 * 24 }).map((hours) => on(1, hours))
const cents = fc.constantFrom(1_000n, 2_000n, 4_900n)
const currency = fc.constantFrom('USD', 'EUR')
const customer = fc.constantFrom('ann', 'bob')
const heres = fc.uniqueArray(
  fc.record<HereSale>({ id, customer, at: time, amountCents: cents, currency, earnsCents: cents }),
  { selector: ({ id }) => id, maxLength: 30 },
)
const theres = fc.uniqueArray(
  fc.record<ThereSale>({
    id: id.map((name) => `there-${name}`),
    eventId: fc.option(id),
    customer,
    at: time,
    saleCents: fc.option(cents),
    currency,
    amountCents: cents,
    isVoided: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 30 },
)

const sorted = (pairs: ReturnType<typeof matchSales>) =>
  pairs.map((pair) => JSON.stringify(pair)).sort()

test('whatever there is, matching is one to one, keeps to its window, and does not depend on the order', () => {
  const shuffled = fc
    .tuple(heres, theres)
    .chain(([a, b]) =>
      fc.tuple(
        fc.constant({ a, b }),
        fc.shuffledSubarray(a, { minLength: a.length }),
        fc.shuffledSubarray(b, { minLength: b.length }),
      ),
    )
  fc.assert(
    fc.property(shuffled, ([{ a, b }, otherA, otherB]) => {
      const pairs = matchSales(a, b)
      expect(new Set(pairs.map(({ hereId }) => hereId)).size).toBe(pairs.length)
      expect(new Set(pairs.map(({ thereId }) => thereId)).size).toBe(pairs.length)
      expect(sorted(matchSales(otherA, otherB))).toEqual(sorted(pairs))
      for (const { hereId, thereId, by } of pairs) {
        const [here, there] = [
          a.find(({ id }) => id === hereId),
          b.find(({ id }) => id === thereId),
        ]
        if (by === 'id') expect(there?.eventId).toBe(hereId)
        else {
          expect(there?.customer).toBe(here?.customer)
          expect(Math.abs(Number(here?.at) - Number(there?.at))).toBeLessThanOrEqual(WINDOW_MS)
        }
      }
    }),
    { seed: SEEDS[0], numRuns: 300 },
  )
})

test('customers are compared on their own: together they give the same', () => {
  fc.assert(
    fc.property(heres, theres, (a, b) => {
      // As the database resolves it, a commission that names a sale is of that sale's customer.
      const owned = b.map((there) => ({
        ...there,
        customer: a.find(({ id }) => id === there.eventId)?.customer ?? there.customer,
      }))
      const apart = ['ann', 'bob'].flatMap((name) =>
        matchSales(
          a.filter((here) => here.customer === name),
          owned.filter((there) => there.customer === name),
        ),
      )
      expect(sorted(apart)).toEqual(sorted(matchSales(a, owned)))
    }),
    { seed: SEEDS[0], numRuns: 200 },
  )
})

test('ten thousand sales of one customer in two days are matched one to one', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => n)
  const at = (n: number) => new Date(BEGIN + n * 10_000)
  const begun = performance.now()
  const pairs = matchSales(
    many.map((n) => sale({ id: `e${n}`, at: at(n) })),
    many.map((n) => commission({ id: `t${n}`, eventId: null, at: at(n) })),
  )
  expect(pairs).toHaveLength(10_000)
  expect(performance.now() - begun).toBeLessThan(60_000)
})
