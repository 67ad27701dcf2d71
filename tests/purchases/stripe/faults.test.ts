import { describe, expect, test } from 'vitest'
import { hashApiKey } from '../../../lib/auth/keys/api-keys.ts'
import type { Fault } from '../../support/faulty-database.ts'
import { useFaultyWorkers } from '../../support/faulty-workers.ts'
import { createMerchant, useDatabase } from '../../support/merchant.ts'
import {
  checkoutSession,
  invoice,
  refund,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'
import { sampled } from '../../support/thorough.ts'

const database = useDatabase()
const faulty = useFaultyWorkers(
  'stripe-webhook',
  'track-click',
  'track-lead',
  'track-sale',
  'track-refund',
  'track-batch',
  'manage',
)

/**
 * A merchant with a paid checkout by maya's click, whose database calls are counted and made to
 * fail.
 */
const createWatched = async () => {
  const merchant = await createMerchant({ baseUrl: faulty.baseUrl() })
  const { workspace, programId, apiKey } = merchant
  const { deliver } = await useStripe(merchant, faulty.baseUrl())
  const clickId = await merchant.click()
  await database.firstVisitNoted(programId)
  const session = checkoutSession({
    client_reference_id: clickId,
    customer: stripeId('cus'),
  })
  const checkout = stripeEvent('checkout.session.completed', session)
  const paymentIntent = `${session.payment_intent}`
  // What an event led to is saved by the event's id, and names nothing else of the workspace than
  // the sale.
  const tenant = [
    workspace.id,
    workspace.slug,
    (await hashApiKey(apiKey)) ?? '',
    programId,
    paymentIntent,
  ]
  return {
    ...merchant,
    session,
    paymentIntent,
    checkout,
    deliver,
    ...faulty.watch(tenant),
    /** The ledger after Stripe's events and the merchant's report. */
    ledger: async () => {
      const [row] = await database.query(
        `select (select array_agg(amount_cents::int order by id) from commissions where workspace_id = w.id) as earned,
                (select count(*) from events where workspace_id = w.id)::int as sales,
                (select count(*) from customers where workspace_id = w.id)::int as customers,
                (select count(*) from referrals where workspace_id = w.id)::int as referrals,
                (select array_agg(outcome ->> 'code' order by id) from processor_events where workspace_id = w.id) as outcomes
         from workspaces w where w.id = $1`,
        [workspace.id],
      )
      return row
    },
  }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const ONE_SALE = { earned: [980], sales: 1, customers: 1, referrals: 1 }

/** The outcomes of a checkout. After an unconfirmed commit, the retry finds the sale. */
const SOLD = expect.stringMatching(/^(sale_credited|nothing_changed)$/)

/**
 * For every step: the statement didn't run, or ran unseen; and one of: it ran with half of its
 * response, it ran with a response that isn't Postgres's, the database was down.
 * tests/tracking/faults.test.ts meets all of FAULTS, through the same connection.
 */
const lastingAt = (step: number): Fault[] =>
  sampled(['cut_before', 'cut_after'], ['half', 'garbage', 'wake_500'], step)
/** Those that one retry survives, with the one that an earlier try of the same statement causes. */
const PASSING: Fault[] = ['cut_before', 'cut_after', 'own_twin']

/** The steps that read or write, in order. */
const STEPS = {
  checkout: [
    'the secrets',
    'the event',
    'the purchase',
    'its facts',
    'the customer',
    'the facts of the customer',
    'the ledger',
    'the outcome',
  ],
  refund: ['the secrets', 'the event', 'the purchase', 'its facts', 'the ledger', 'the outcome'],
} as const

const at = (step: number, ...faults: Fault[]) => [...Array<null>(step).fill(null), ...faults]
const everyStep = (
  steps: readonly string[],
  faultsAt: (step: number) => readonly Fault[],
  first = 0,
) =>
  steps.flatMap((name, index) =>
    faultsAt(index).map((fault) => ({ name, step: first + index, fault })),
  )

describe('database round trips (design, section 11)', () => {
  test('a checkout takes 8, its repeat 2, and an unused event type 1', async () => {
    const { plan, deliver, checkout, fetches } = await createWatched()
    const deliveries = [
      { event: checkout, takes: 8 },
      { event: checkout, takes: 2 },
      { event: stripeEvent('customer.deleted', {}), takes: 1 },
    ]
    for (const { event, takes } of deliveries) {
      plan()
      expect((await deliver(event)).status).toBe(200)
      expect(fetches()).toBe(takes)
    }
  })

  test('a refund takes 6', async () => {
    const { plan, deliver, checkout, paymentIntent, fetches } = await createWatched()
    await deliver(checkout)
    plan()
    await deliver(stripeEvent('refund.created', refund({ payment_intent: paymentIntent })))
    expect(fetches()).toBe(6)
  })

  test('a wrong timestamp takes none, and a wrong signature 1', async () => {
    const { plan, deliver, checkout, fetches } = await createWatched()
    plan()
    await deliver(checkout, { at: new Date(1_000) })
    expect(fetches()).toBe(0)
    await deliver(checkout, { secret: 'whsec_wrong' })
    expect(fetches()).toBe(1)
  })
})

/** Stripe repeats a failed delivery, and sometimes a successful one. */
const deliverAgain = async ({ plan, deliver, checkout }: Watched) => {
  plan()
  for (let round = 0; round < 2; round++) expect((await deliver(checkout)).status).toBe(200)
}

describe.concurrent('a checkout that the database fails ends in one sale', {
  tags: 'thorough',
}, () => {
  test.each(everyStep(STEPS.checkout, () => PASSING))(
    'when $name meets $fault once, the retry saves it',
    async ({ step, fault }) => {
      const watched = await createWatched()
      watched.plan(...at(step, fault))
      expect((await watched.deliver(watched.checkout)).status).toBe(200)
      expect(watched.left()).toBe(0)
      expect(await watched.ledger()).toEqual({ ...ONE_SALE, outcomes: [SOLD] })
    },
  )

  test.each(everyStep(STEPS.checkout, lastingAt))(
    'when $name meets $fault for good, Stripe receives 503, and its repeat saves it',
    async ({ step, fault }) => {
      const watched = await createWatched()
      watched.plan(...at(step, ...Array<Fault>(20).fill(fault)))
      const { status, headers, body } = await watched.deliver(watched.checkout)
      expect({ status, code: body.error?.code }).toEqual({ status: 503, code: 'try_again' })
      expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)

      await deliverAgain(watched)
      expect(await watched.ledger()).toEqual({ ...ONE_SALE, outcomes: [SOLD] })
    },
  )
})

describe.concurrent('a refund that the database fails reverses once', { tags: 'thorough' }, () => {
  test.each(everyStep(STEPS.refund, lastingAt))(
    'when $name meets $fault for good, and Stripe repeats it',
    async ({ step, fault }) => {
      const { plan, deliver, checkout, paymentIntent, ledger } = await createWatched()
      await deliver(checkout)
      const event = stripeEvent(
        'refund.created',
        refund({ payment_intent: paymentIntent, amount: 490 }),
      )
      plan(...at(step, ...Array<Fault>(20).fill(fault)))
      expect((await deliver(event)).status).toBe(503)
      plan()
      for (let round = 0; round < 2; round++) expect((await deliver(event)).status).toBe(200)
      expect(await ledger()).toMatchObject({ ...ONE_SALE, earned: [980, -98] })
    },
  )
})

/**
 * After the checkout's own: the round trips that credit an earlier renewal to the referring
 * partner.
 */
const RENEWAL_STEPS = [
  'the renewal',
  'its purchase',
  'its facts',
  'its ledger',
  'the sale after it',
  'the end',
  'the outcome',
]

describe.concurrent('a renewal that arrived before the checkout is credited too', {
  tags: 'thorough',
}, () => {
  test.each(everyStep(RENEWAL_STEPS, lastingAt, 5))(
    'when $name meets $fault for good, and Stripe repeats the checkout',
    async ({ step, fault }) => {
      const watched = await createWatched()
      const { plan, deliver, checkout, session, ledger } = watched
      const renewal = invoice({
        customer: session.customer,
        status_transitions: { paid_at: seconds() + 60 },
      })
      await deliver(stripeEvent('invoice.paid', renewal))
      plan(...at(step, ...Array<Fault>(20).fill(fault)))
      expect((await deliver(checkout)).status).toBe(503)
      await deliverAgain(watched)
      expect(await ledger()).toMatchObject({ ...ONE_SALE, sales: 2, earned: [980, 980] })
    },
  )
})

test.concurrent('a Worker that ends between the event and the ledger leaves a repeat to finish it', async () => {
  const { plan, deliver, checkout, ledger } = await createWatched()
  plan(...at(2, ...Array<Fault>(20).fill('cut_before')))
  expect((await deliver(checkout)).status).toBe(503)
  expect(await ledger()).toEqual({
    earned: null,
    sales: 0,
    customers: 0,
    referrals: 0,
    outcomes: [null],
  })
  plan()
  expect((await deliver(checkout)).status).toBe(200)
  expect(await ledger()).toEqual({ ...ONE_SALE, outcomes: ['sale_credited'] })
})

test.concurrent('another event of the purchase completes an interrupted one, and the repeat says so', async () => {
  const { plan, deliver, checkout, paymentIntent, ledger } = await createWatched()
  plan(...at(2, ...Array<Fault>(20).fill('cut_before')))
  expect((await deliver(checkout)).status).toBe(503)
  plan()
  await deliver(
    stripeEvent('refund.created', refund({ payment_intent: paymentIntent, amount: 490 })),
  )
  expect(await ledger()).toMatchObject({ ...ONE_SALE, earned: [980, -98] })
  await deliver(checkout)
  expect(await ledger()).toMatchObject({
    ...ONE_SALE,
    earned: [980, -98],
    outcomes: [expect.any(String), expect.any(String)],
  })
})

/**
 * The first two are track-refund's; the others are those of the stripe-webhook Worker that it
 * calls.
 */
const REFUND_STEPS = ['the read', 'the write', 'the purchase', 'its facts', 'the ledger', 'the end']

describe.concurrent('a refund by API of a sale that Stripe reports counts once', () => {
  test('takes 6 round trips, and its repeat 1', async () => {
    const watched = await createWatched()
    await watched.deliver(watched.checkout)
    for (const takes of [REFUND_STEPS.length, 1]) {
      watched.plan()
      const { status } = await watched.refund({
        saleExternalId: watched.paymentIntent,
        amountCents: 490,
      })
      expect(status).toBe(200)
      expect(watched.fetches()).toBe(takes)
    }
  })

  test.each(everyStep(REFUND_STEPS, lastingAt))(
    'when $name meets $fault for good, and the merchant repeats it',
    { tags: 'thorough' },
    async ({ step, fault }) => {
      const watched = await createWatched()
      await watched.deliver(watched.checkout)
      const report = { saleExternalId: watched.paymentIntent, amountCents: 490 }
      watched.plan(...at(step, ...Array<Fault>(20).fill(fault)))
      expect((await watched.refund(report)).status).toBe(503)
      watched.plan()
      const again = await watched.refund(report)
      expect(again).toMatchObject({ status: 200, body: { attributed: true } })
      expect((await watched.refund(report)).body).toEqual(again.body)
      expect(await watched.ledger()).toMatchObject({ earned: [980, -98], sales: 2 })
      expect(await database.violations(watched.workspace.id)).toEqual([])
    },
  )
})

/** The first is track-sale's; the others are those of the stripe-webhook Worker that it calls. */
const REPORT_STEPS = [
  'the read',
  'the note and the purchase',
  'its facts',
  'the customer',
  'the facts of the customer',
  'the ledger',
  'the end',
]

describe.concurrent('a sale that Stripe reports before the merchant is one sale', () => {
  const report = ({ paymentIntent, session }: Watched) => ({
    externalId: paymentIntent,
    customerExternalId: 'user_1',
    amountCents: 4_900,
    clickId: `${session.client_reference_id}`,
  })

  test('whose report takes 7 round trips, and its repeat 1', async () => {
    const watched = await createWatched()
    await watched.deliver(watched.checkout)
    for (const takes of [REPORT_STEPS.length, 1]) {
      watched.plan()
      expect((await watched.sale(report(watched))).status).toBe(200)
      expect(watched.fetches()).toBe(takes)
    }
  })

  test.each(everyStep(REPORT_STEPS, lastingAt))(
    'when $name meets $fault for good, and the merchant repeats it',
    { tags: 'thorough' },
    async ({ step, fault }) => {
      const watched = await createWatched()
      await watched.deliver(watched.checkout)
      watched.plan(...at(step, ...Array<Fault>(20).fill(fault)))
      const first = await watched.sale(report(watched))
      expect({ status: first.status, code: first.body.error?.code }).toEqual({
        status: 503,
        code: 'try_again',
      })
      watched.plan()
      const again = await watched.sale(report(watched))
      expect(again).toMatchObject({ status: 200, body: { attributed: true } })
      expect((await watched.sale(report(watched))).body).toEqual(again.body)
      expect(again.headers.get('Idempotency-Mismatch')).toBeNull()
      expect(await watched.ledger()).toMatchObject({ ...ONE_SALE, outcomes: ['sale_credited'] })
      const [customer] = await database.query(
        `select c.external_id, i.value as processor_customer_id
         from customers c left join customer_identities i on i.customer_id = c.id and i.kind = 'stripe'
         where c.workspace_id = $1`,
        [watched.workspace.id],
      )
      expect(customer).toEqual({
        external_id: 'user_1',
        processor_customer_id: watched.session.customer,
      })
    },
  )
})
