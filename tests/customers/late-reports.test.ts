/** Reports and imports that come after the payment. Design section 5, "Who a customer is". */
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import importCustomers from '../../functions/import-customers.ts'
import trackBatch from '../../functions/track/track-batch.ts'
import trackLead from '../../functions/track/track-lead.ts'
import trackSale from '../../functions/track/track-sale.ts'
import { connectWithin } from '../../lib/db/budget.service.ts'
import { connect } from '../../lib/db/connection.ts'
import { replanReferred } from '../../lib/purchases/apply/apply.service.ts'
import { continueReplans, replanImported } from '../../lib/purchases/apply/late.service.ts'
import { type Buyer, openShop, type Shop } from '../support/buyers.ts'
import { during } from '../support/killed.ts'
import { codes, createMerchant, useDatabase } from '../support/merchant.ts'
import { seconds } from '../support/stripe.ts'
import { everyNth, timesOver } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600
/**
 * A program that credits late leads, and holds what they earn:
 * tests/attacks/15-late-claims.test.ts.
 */
const LATE = { program: { late_lead_days: 7 } }
const EARNED = ['maya', 980]

/** Whom a sale credits, and what it earns. */
const earningsOf = async ({ merchant }: Pick<Shop, 'merchant'>, externalId: string) => {
  const [sale] = await database.query<{ slug: string | null; cents: number }>(
    `select p.slug, (select coalesce(sum(amount_cents), 0) from commissions c where c.event_id = e.id)::int as cents
     from events e left join partners p on p.id = e.partner_id
     where e.workspace_id = $1 and e.kind = 'sale' and e.external_id = $2`,
    [merchant.workspace.id, externalId],
  )
  return sale ? [sale.slug, sale.cents] : null
}

const verify = ({ merchant }: Pick<Shop, 'merchant'>) => database.violations(merchant.workspace.id)

/**
 * A buyer who clicked two hours ago and paid an hour ago; the merchant passes its own id to Stripe.
 */
const payBefore = async (buyer: Buyer) => {
  const clickId = await buyer.click('maya', 2)
  const metadata = { customerExternalId: buyer.id('user') }
  await buyer.checkout({ at: -HOUR, invoice: buyer.id('in'), metadata })
  await buyer.invoice({ at: -HOUR })
  return clickId
}

/** Sends a request to a Worker's app in this process, whose calls of the Stripe Worker fail. */
const interrupted = async (
  app: typeof trackLead | typeof trackSale | typeof trackBatch | typeof importCustomers,
  path: string,
  body: unknown,
  headers: Record<string, string>,
) => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined)
  const fail = async () => {
    throw new Error('The Worker was evicted.')
  }
  const { status } = await app.request(
    `http://tributary.example${path}`,
    {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    },
    {
      ...inject('database'),
      AUTH: {
        getSession: async () => ({
          user: { id: 'a', email: headers.Email, name: '' },
          signedInAt: new Date(),
          setCookie: [],
        }),
      },
      RATE_LIMIT: { limit: async () => ({ success: true }) },
      STRIPE_WEBHOOK: { joinReport: fail, decideHolds: fail, replanCustomers: fail },
    },
    { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
  )
  log.mockRestore()
  return status
}

test('a lead that was saved but not planned is completed when the merchant repeats it', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const clickId = await payBefore(buyer)
  const lead = { externalId: buyer.id('user'), customerEmail: buyer.address, clickId }
  const headers = { Authorization: `Bearer ${shop.merchant.apiKey}` }
  expect(await interrupted(trackLead, '/api/track/lead', lead, headers)).toBe(503)
  expect(await earningsOf(shop, buyer.id('in'))).toEqual([null, 0])

  const repeated = await shop.merchant.lead(lead)
  expect(repeated).toMatchObject({ status: 200, body: { attributed: true } })
  expect(repeated.headers.get('Idempotency-Mismatch')).toBeNull()
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
  expect(await verify(shop)).toEqual([])
})

test('the next payment completes a lead that was saved but not planned and never repeated', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const clickId = await payBefore(buyer)
  const headers = { Authorization: `Bearer ${shop.merchant.apiKey}` }
  const lead = { externalId: buyer.id('user'), clickId }
  expect(await interrupted(trackLead, '/api/track/lead', lead, headers)).toBe(503)
  await buyer.invoice({ id: buyer.id('in', 'next'), at: 0 })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
  expect(await earningsOf(shop, buyer.id('in', 'next'))).toEqual(EARNED)
})

/**
 * A lead that is saved, and interrupted before what it refers is planned again.
 * @returns the customer's id
 */
const leaveMarked = async (shop: Shop, buyer: Buyer, clickId: string) => {
  const { apiKey, workspace } = shop.merchant
  const lead = { externalId: buyer.id('user'), customerEmail: buyer.address, clickId }
  expect(
    await interrupted(trackLead, '/api/track/lead', lead, { Authorization: `Bearer ${apiKey}` }),
  ).toBe(503)
  const [customer] = await database.query<{ id: string }>(
    `select customer_id as id from customer_identities where workspace_id = $1 and value = $2 and kind = 'external'`,
    [workspace.id, buyer.id('user')],
  )
  return customer?.id ?? ''
}

const MANY = 8
const ROUNDS = timesOver({ quick: 2, thorough: 6, exhaustive: 6 })

test.each(
  everyNth(2, [
    {
      sales: 'sales of its customer',
      pay: (buyer: Buyer, index: number) =>
        buyer.invoice({
          id: buyer.id('in', `${index}n`),
          at: index - HOUR,
          metadata: { customerExternalId: buyer.id('user') },
        }),
      idOf: (buyer: Buyer, index: number) => buyer.id('in', `${index}n`),
    },
    {
      sales: 'guests’ payments with its address',
      pay: (buyer: Buyer, index: number) =>
        buyer.checkout({
          ...{ id: buyer.id('cs_test', `${index}n`), payment_intent: buyer.id('pi', `${index}n`) },
          ...{ customer: null, at: index - HOUR },
        }),
      idOf: (buyer: Buyer, index: number) => buyer.id('pi', `${index}n`),
    },
  ]),
)(
  'requests that are interrupted after a few $sales continue each other',
  { tags: 'sampled' },
  async ({ pay, idOf }) => {
    const shop = await openShop(database, LATE)
    const buyer = shop.buyer()
    const clickId = await buyer.click('maya', 2)
    for (let index = 0; index < MANY; index++) await pay(buyer, index)
    const id = await leaveMarked(shop, buyer, clickId)
    const run = async () => {
      const cut = { victim: 'database', isCarriedOut: false, place: 14 } as const
      const work = () =>
        replanReferred(connect(inject('database')), shop.merchant.workspace.id, id, new Date())
      return (await during(cut, inject('stripeUrl'), work)).end
    }
    const ends: string[] = []
    while (ends.at(-1) !== 'ended' && ends.length < MANY) ends.push(await run())
    expect(ends.at(-1)).toBe('ended')
    expect(ends.length).toBeGreaterThan(1)
    for (let index = 0; index < MANY; index++) {
      expect(await earningsOf(shop, idOf(buyer, index))).toEqual(EARNED)
    }
    expect(await verify(shop)).toEqual([])
  },
)

test('the cron completes a lead that was saved but not planned and never repeated', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const id = await leaveMarked(shop, buyer, await payBefore(buyer))
  const { failures } = await continueReplans(() => connect(inject('database')), new Date())
  expect(failures).toEqual([])
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
  const [left] = await database.query(
    'select replan_from, addressed_from from customers where id = $1',
    [id],
  )
  expect(left).toEqual({ replan_from: null, addressed_from: null })
})

test('an import plans the sales of as many customers as one request may, and leaves the others to the cron', async () => {
  const shop = await openShop(database, LATE)
  const buyers = [shop.buyer(), shop.buyer()]
  const ids: string[] = []
  for (const buyer of buyers) ids.push(await leaveMarked(shop, buyer, await payBefore(buyer)))
  const earnings = () => Promise.all(buyers.map((buyer) => earningsOf(shop, buyer.id('in'))))
  const connectOnce = connectWithin({ ...inject('database'), MAX_FETCHES: '1' }, 60_000)
  await replanImported(connectOnce, shop.merchant.workspace.id, ids, new Date())
  expect(await earnings()).toEqual([EARNED, [null, 0]])
  await continueReplans(() => connect(inject('database')), new Date())
  expect(await earnings()).toEqual([EARNED, EARNED])
})

test('50 copies of a late lead get one answer, and credit the payment once', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const clickId = await payBefore(buyer)
  const answers = await Promise.all(Array.from({ length: 50 }, () => buyer.lead({ clickId })))
  expect(new Set(answers.map(({ eventId }) => eventId)).size).toBe(1)
  expect(answers.every(({ attributed }) => attributed)).toBe(true)
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
  expect(await database.counts(shop.merchant)).toEqual({ events: 2, customers: 1, commissions: 1 })
  expect(await verify(shop)).toEqual([])
})

test.each([
  { known: 'the merchant’s id', passed: true },
  { known: 'its address', passed: false },
])(
  'a lead and a payment that meet in flight credit the partner, if the payment is known by $known',
  { tags: 'sampled' },
  async ({ passed }) => {
    const shop = await openShop(database, LATE)
    for (let round = 0; round < ROUNDS; round++) {
      const buyer = shop.buyer()
      const clickId = await buyer.click('maya', 2)
      const named = passed ? { metadata: { customerExternalId: buyer.id('user') } } : {}
      const other = buyer.id('user', 'other')
      const facts = [
        () => buyer.lead({ clickId }),
        () => buyer.checkout({ at: -HOUR, invoice: buyer.id('in'), ...named }),
        () => buyer.invoice({ at: -HOUR }),
        () =>
          buyer.lead({
            clickId,
            customerExternalId: buyer.id('user'),
            externalId: buyer.id('lead'),
          }),
        () => buyer.invoice({ id: buyer.id('in', 'next'), at: -60 }),
        () => buyer.lead({ clickId, externalId: other, customerEmail: null }),
        () => buyer.sale({ clickId, amountCents: 1_000 }),
        () => buyer.lead({ clickId }),
      ]
      const shift = round % facts.length
      await Promise.all([...facts.slice(shift), ...facts.slice(0, shift)].map((fact) => fact()))
      expect([
        await earningsOf(shop, buyer.id('in')),
        await earningsOf(shop, buyer.id('in', 'next')),
        await earningsOf(shop, buyer.id('order')),
      ]).toEqual([EARNED, EARNED, ['maya', 200]])
    }
    expect(await verify(shop)).toEqual([])
  },
)

test('a lead of another workspace with the same ids and address moves nothing', async () => {
  const [shop, other] = await Promise.all([openShop(database, LATE), createMerchant()])
  const buyer = shop.buyer()
  await payBefore(buyer)
  const lead = { externalId: buyer.id('cus'), customerExternalId: buyer.id('user') }
  const click = await other.click()
  await database.query(
    `update clicks set created_at = created_at - interval '2 hours' where id = $1`,
    [click],
  )
  const answer = await other.lead({ ...lead, customerEmail: buyer.address, clickId: click })
  expect(answer).toMatchObject({ status: 200, body: { attributed: true } })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual([null, 0])
  // With the click of another workspace, the lead is recorded and not attributed.
  const foreign = await buyer.lead({ clickId: click })
  expect(foreign).toEqual({ eventId: null, attributed: false })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual([null, 0])
})

test('a lead after the payment credits it only if the link was clicked before the payment', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  await payBefore(buyer)
  await buyer.lead({ clickId: await buyer.click('leo', 0) })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual([null, 0])
  await buyer.invoice({ id: buyer.id('in', 'next'), at: 60 })
  expect(await earningsOf(shop, buyer.id('in', 'next'))).toEqual(['leo', 980])
})

test('a lead after the payment takes nothing from the partner who had referred the customer by then', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const [mayas, leos] = [await buyer.click('maya', 3), await buyer.click('leo', 5)]
  await buyer.lead({ clickId: mayas })
  await buyer.checkout({ at: 1, metadata: { customerExternalId: buyer.id('user') } })
  expect(await earningsOf(shop, buyer.id('pi'))).toEqual(EARNED)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  await buyer.lead({
    externalId: buyer.id('lead'),
    customerExternalId: buyer.id('user'),
    clickId: leos,
  })
  expect(await earningsOf(shop, buyer.id('pi'))).toEqual(EARNED)
  expect(await verify(shop)).toEqual([])
})

test('a lead’s address takes no payment of a Stripe customer who has an owner', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const clickId = await buyer.click('leo', 2)
  await buyer.lead({
    externalId: buyer.id('cus'),
    customerEmail: null,
    clickId: await buyer.click('maya', 3),
  })
  await buyer.invoice({ at: 60 })
  await buyer.lead({ externalId: buyer.id('user', 'thief'), clickId })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
})

test.each(everyNth(2, ['customerExternalId', 'externalId'] as const))(
  'a lead that gives Stripe’s id as its %s ties it to the merchant’s, before the payment and after it',
  { tags: 'sampled' },
  async (field) => {
    const shop = await openShop(database, LATE)
    for (const isBefore of [true, false]) {
      const buyer = shop.buyer()
      const clickId = await buyer.click('maya', 2)
      const ids =
        field === 'externalId'
          ? { externalId: buyer.id('cus'), customerExternalId: buyer.id('user') }
          : { externalId: buyer.id('user'), customerExternalId: buyer.id('cus') }
      const lead = () => buyer.lead({ ...ids, customerEmail: null, clickId })
      const paid = () => buyer.invoice({ at: -HOUR, customer_email: null })
      for (const step of isBefore ? [lead, paid] : [paid, lead]) await step()
      expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
      const found = await Promise.all(
        ['cus', 'user'].map((name) => shop.merchant.get(`/customers?externalId=${buyer.id(name)}`)),
      )
      expect(new Set(found.map(({ body }) => (body.data as { id: string }[])[0]?.id)).size).toBe(1)
    }
    expect(await verify(shop)).toEqual([])
  },
)

test('a lead without a click ties the two ids that it gives, and is not attributed', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const lead = await buyer.lead({
    externalId: buyer.id('cus'),
    customerExternalId: buyer.id('user'),
  })
  expect(lead).toEqual({ eventId: null, attributed: false })
  await buyer.import({ customerExternalId: buyer.id('user') })
  await buyer.invoice({ at: 60, customer_email: null })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
})

test('an import in the second after a reported sale does not keep a late click from crediting it', async () => {
  const shop = await openShop(database, { program: { attribute_known_customers: true } })
  const buyer = shop.buyer()
  const clickId = await buyer.click('leo', 2)
  await buyer.sale()
  await buyer.import({ customerExternalId: buyer.id('user') })
  await buyer.sale({ externalId: buyer.id('order', 'two'), clickId })
  expect(await earningsOf(shop, buyer.id('order'))).toEqual(['leo', 980])
})

test('sales without a click and the import of their customers, at once, are of these customers', async () => {
  const shop = await openShop(database, LATE)
  const buyers = Array.from({ length: 40 }, () => shop.buyer())
  const rows = buyers.map((buyer) => ({
    customerExternalId: buyer.id('user'),
    partnerEmail: 'maya@partner.example',
  }))
  const [imported] = await Promise.all([
    shop.manager.post('/customers/import', { rows }),
    ...buyers.map((buyer) => buyer.sale()),
  ])
  expect(imported.status).toBe(200)
  expect(
    await database.query(
      `select count(*)::int as sales, count(customer_id)::int as of_customers from events where workspace_id = $1`,
      [shop.merchant.workspace.id],
    ),
  ).toEqual([{ sales: 40, of_customers: 40 }])
})

test('an address that hundreds of payments share delays no lead', async () => {
  const shop = await openShop(database, LATE)
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya', 2)
  await buyer.invoice({ at: -HOUR })
  await database.query(
    `insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, customer, email, keys,
                                   facts, occurred_at, received_at)
     select gen_random_uuid(), workspace_id, processor, processor_event_id || '-' || n, type, livemode, customer || n, email,
            array['in_' || n || $2], '[]', occurred_at, received_at
     from processor_events, generate_series(1, 300) n where workspace_id = $1 and email is not null`,
    [shop.merchant.workspace.id, buyer.tag],
  )
  expect(await buyer.lead({ clickId })).toMatchObject({ attributed: true })
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
})

test('an import that was saved but not planned is completed when it is repeated', async () => {
  const shop = await openShop(database, LATE)
  const { workspace } = shop.merchant
  const buyer = shop.buyer()
  await buyer.invoice({ at: seconds() + 60 - shop.start })
  const email = `owner-${buyer.tag}@example.com`
  await shop.merchant.seed.addMember(workspace.id, email, 'manager')
  const rows = [{ customerExternalId: buyer.id('cus'), partnerEmail: 'maya@partner.example' }]
  const path = `/api/workspaces/${workspace.slug}/customers/import`
  expect(
    await interrupted(
      importCustomers,
      path,
      { rows },
      { Email: email, Cookie: 'tributary.session=any' },
    ),
  ).toBe(503)
  expect(await earningsOf(shop, buyer.id('in'))).toEqual([null, 0])
  expect(await buyer.import()).toBe('unchanged')
  expect(await earningsOf(shop, buyer.id('in'))).toEqual(EARNED)
  const { steps } = (await shop.merchant.explainReport('sale', buyer.id('in'))) ?? { steps: [] }
  expect(codes({ steps })).toEqual(['customer', 'program_reward', 'commission_created'])
})

const REPORT = { customerExternalId: 'user_1', amountCents: 4_900 }

test.each(
  everyNth(2, [
    {
      report: 'a report',
      path: '/api/track/sale',
      app: trackSale,
      received: 0,
      read: (sale: object) => sale,
    },
    {
      report: 'a report in a batch',
      path: '/api/track/batch',
      app: trackBatch,
      received: -7,
      read: (sale: object) => ({
        events: Array.from({ length: 10 }, (_, n) => ({
          kind: 'sale',
          ...REPORT,
          externalId: `other_${n}`,
          customerExternalId: `user_${n + 2}`,
          ...(n === 7 && sale),
        })),
      }),
    },
  ]),
)(
  '$report at a whole second is not taken for a processor’s: an import of that second leaves its credit alone',
  { tags: 'sampled' },
  async ({ path, app, received, read }) => {
    const merchant = await createMerchant({ program: { attribution: 'first' } })
    const { workspace, apiKey, seed } = merchant
    await seed.addPartner(workspace.id, merchant.programId, { slug: 'leo' })
    const sale = { ...REPORT, externalId: 'inv_1', clickId: await merchant.click('maya') }
    const second = Math.ceil(Date.now() / 1_000) * 1_000
    onTestFinished(() => void vi.useRealTimers())

    vi.setSystemTime(second + received)
    expect(await interrupted(app, path, read(sale), { Authorization: `Bearer ${apiKey}` })).toBe(
      200,
    )
    vi.setSystemTime(second)
    const email = `owner@${workspace.slug}.example`
    await seed.addMember(workspace.id, email, 'manager')
    const rows = [{ customerExternalId: 'user_1', partnerEmail: 'leo@partner.example' }]
    const manager = { Email: email, Cookie: 'tributary.session=any' }
    const imports = `/api/workspaces/${workspace.slug}/customers/import`
    expect(await interrupted(importCustomers, imports, { rows }, manager)).toBe(200)
    vi.useRealTimers()
    await continueReplans(() => connect(inject('database')), new Date())
    expect(await earningsOf({ merchant }, 'inv_1')).toEqual(EARNED)
  },
)

test('a rejected commission leaves the one-time reward to a later sale that was received before', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  const buyer = shop.buyer()
  const user = {
    metadata: { customerExternalId: buyer.id('user') },
    discounts: [{ coupon: 'LEO', promotion_code: null }],
  }
  await buyer.sale({ clickId: await buyer.click('nora') })
  await buyer.checkout({ at: 60, ...user })
  const later = { id: buyer.id('cs_test', 'later'), payment_intent: buyer.id('pi', 'later') }
  await buyer.checkout({ at: 60 * HOUR, ...user, ...later, amount_total: 7_000 })
  expect(await earningsOf(shop, buyer.id('pi', 'later'))).toEqual(['leo', 0])

  const { body } = await shop.manager.get('/commissions?status=held')
  const [held] = body.data as { id: string }[]
  expect((await shop.manager.post(`/commissions/${held?.id}/reject`, {})).status).toBe(200)
  await continueReplans(() => connect(inject('database')), new Date())
  expect(await earningsOf(shop, buyer.id('pi'))).toEqual(['leo', 0])
  expect(await earningsOf(shop, buyer.id('pi', 'later'))).toEqual(['leo', 1_400])
  expect(await verify(shop)).toEqual([])
})

test.each(
  everyNth(2, [
    { first: 'is new', isRepeat: false },
    { first: 'repeats an earlier one', isRepeat: true },
  ]),
)(
  'a batch names one customer by two ids, and is saved in order: its first report $first',
  { tags: 'sampled' },
  async (row) => {
    const shop = await openShop(database, { program: { attribute_known_customers: true } })
    const { merchant } = shop
    const buyer = shop.buyer()
    const [user, cus] = [buyer.id('user'), buyer.id('cus')]
    await buyer.import({}, 'leo')
    await buyer.checkout({ at: -HOUR, metadata: { customerExternalId: user } })
    const sale = { kind: 'sale', customerExternalId: user, amountCents: 4_900 }
    const first = { ...sale, externalId: buyer.id('first') }
    if (row.isRepeat) await merchant.post('/api/track/batch', { events: [first] })
    const events = [
      first,
      { ...sale, externalId: buyer.id('second') },
      {
        ...sale,
        externalId: buyer.id('third'),
        customerExternalId: cus,
        clickId: await buyer.click('maya'),
      },
    ]
    expect((await merchant.post('/api/track/batch', { events })).status).toBe(200)
    const partners = [buyer.id('first'), buyer.id('second'), buyer.id('third')].map((id) =>
      earningsOf(shop, id),
    )
    expect(await Promise.all(partners)).toEqual([['leo', 980], ['leo', 980], EARNED])
    expect(await verify(shop)).toEqual([])
  },
)
