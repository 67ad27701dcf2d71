/**
 * A partner learns of a sale that nobody was credited with, and claims it afterwards: by a click
 * that says it is older than it is, and by signing up under the buyer's address, which nobody
 * verifies.
 */
import { describe, expect, inject, test } from 'vitest'
import { type Buyer, ofSubscription, openShop } from '../support/buyers.ts'
import { codes, send, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PRICE = 100_000
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** What an invoice of so much says, in minor units. */
const invoiceOf = (cents: number) => ({
  ...{
    amount_paid: cents,
    amount_due: cents,
    total: cents,
    subtotal: cents,
    total_excluding_tax: cents,
  },
})

type Terms = NonNullable<Parameters<typeof openShop>[1]>['program']

/** A shop whose partners earn 20 %, and how its sales end. */
const open = async (program: Terms = {}) => {
  const shop = await openShop(database, { program })
  const { merchant, manager } = shop
  /** Whom each sale credits, what it earns, and why that is held. */
  const sales = async () => {
    const rows = await database.query<{ row: string }>(
      `select concat_ws(' ', coalesce(p.slug, 'nobody'), (select coalesce(sum(amount_cents), 0) from commissions c where c.event_id = e.id),
                        (select h.reason from commissions c join commission_holds h on h.commission_id = c.id
                         where c.event_id = e.id and h.resolved_at is null)) as row
       from events e left join partners p on p.id = e.partner_id
       where e.workspace_id = $1 and e.kind = 'sale' order by e.occurred_at, e.external_id`,
      [merchant.workspace.id],
    )
    expect(await database.violations(merchant.workspace.id)).toEqual([])
    return rows.map(({ row }) => row)
  }
  /** A click that its browser says to be so old, in seconds. */
  const clickAged = async (age: number, slug = 'maya') => {
    const { body } = await send(`${inject('baseUrl')}/api/track/click`, {
      body: { programId: merchant.programId, slug, age: age * 1_000 },
      headers: { 'CF-Connecting-IP': merchant.workspace.id, 'User-Agent': BROWSER },
    })
    return body.clickId ?? ''
  }
  /** A click that was made so many seconds ago. */
  const clickBefore = async (seconds: number, slug = 'maya') => {
    const clickId = await clickAged(0, slug)
    await database.query(
      'update clicks set created_at = created_at - make_interval(secs => $2) where id = $1',
      [clickId, seconds],
    )
    return clickId
  }
  const stepsOf = async (externalId: string) =>
    (await merchant.explainReport('sale', externalId))?.steps ?? []
  const resolve = async (verb: 'release' | 'reject') => {
    const { body } = await manager.get('/commissions?status=held')
    for (const { id } of body.data as { id: string }[])
      expect((await manager.post(`/commissions/${id}/${verb}`, {})).status).toBe(200)
  }
  return { ...shop, sales, clickAged, clickBefore, stepsOf, resolve }
}
type Open = Awaited<ReturnType<typeof open>>

/** The ways in which a payment that nobody was credited with came in. */
const PAYMENTS: { payment: string; pay: (buyer: Buyer, at: number) => Promise<unknown> }[] = [
  {
    payment: 'an invoice of a Stripe customer',
    pay: (buyer, at) => buyer.invoice({ at, ...invoiceOf(PRICE) }),
  },
  {
    payment: 'a checkout of a Stripe customer',
    pay: (buyer, at) => buyer.checkout({ at, amount_total: PRICE, amount_subtotal: PRICE }),
  },
  {
    payment: 'a guest’s checkout',
    pay: (buyer, at) =>
      buyer.checkout({ at, customer: null, amount_total: PRICE, amount_subtotal: PRICE }),
  },
]

type Lead = (shop: Open, buyer: Buyer, clickId: string) => Promise<unknown>

/** How the thief's account reaches the merchant's reports. */
const LEADS: { lead: string; report: Lead }[] = [
  { lead: 'a lead', report: (_, buyer, clickId) => buyer.lead({ clickId }) },
  {
    lead: 'a lead whose id is the address',
    report: (_, buyer, clickId) =>
      buyer.lead({ externalId: buyer.address, customerEmail: undefined, clickId }),
  },
  {
    lead: 'a lead in a batch',
    report: ({ merchant }, buyer, clickId) =>
      merchant.post('/api/track/batch', {
        events: [
          { kind: 'lead', externalId: buyer.id('user'), customerEmail: buyer.address, clickId },
        ],
      }),
  },
]

describe('a sale of an hour ago that nobody was credited with', () => {
  const cases = PAYMENTS.flatMap((payment) => LEADS.map((lead) => ({ ...payment, ...lead })))

  test.each(everyNth(4, cases))(
    'is not credited by a click that says it is a day old: $payment, $lead',
    { tags: 'sampled' },
    async (attack) => {
      const shop = await open()
      const buyer = shop.buyer()
      await attack.pay(buyer, -HOUR)
      expect(await shop.sales()).toEqual(['nobody 0'])
      await attack.report(shop, buyer, await shop.clickAged(DAY))
      expect(await shop.sales()).toEqual(['nobody 0'])
    },
  )

  test.each(everyNth(4, cases))(
    'is not credited by a click that was kept for it: $payment, $lead',
    { tags: 'sampled' },
    async (attack) => {
      const shop = await open()
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await attack.pay(buyer, -HOUR)
      await attack.report(shop, buyer, clickId)
      expect(await shop.sales()).toEqual(['nobody 0'])
      // What the customer buys from now on is the partner's.
      await buyer.invoice({ id: buyer.id('in', 'next'), at: MINUTE })
      expect(await shop.sales()).toEqual(['nobody 0', 'maya 980'])
    },
  )

  test.each(everyNth(4, cases))(
    'is held where the program credits late leads: $payment, $lead',
    { tags: 'sampled' },
    async (attack) => {
      const shop = await open({ late_lead_days: 7 })
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await attack.pay(buyer, -HOUR)
      await attack.report(shop, buyer, clickId)
      expect(await shop.sales()).toEqual(['maya 20000 late_lead'])
    },
  )

  test.each(everyNth(4, cases))(
    'is credited within the days of the program only: $payment, $lead',
    { tags: 'sampled' },
    async (attack) => {
      const shop = await open({ late_lead_days: 7 })
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await attack.pay(buyer, -7 * DAY - HOUR)
      await attack.report(shop, buyer, clickId)
      expect(await shop.sales()).toEqual(['nobody 0'])
    },
  )
})

describe('an address that is added to an account after the sale', () => {
  const cases = PAYMENTS.map((payment) => payment)

  test.each(cases)(
    'credits it to nobody, though the account is older: $payment',
    async ({ pay }) => {
      const shop = await open()
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await buyer.lead({ customerEmail: `thief-${buyer.address}`, clickId })
      await database.query(
        `update referrals set referred_at = referred_at - interval '20 days' where workspace_id = $1`,
        [shop.merchant.workspace.id],
      )
      await pay(buyer, -HOUR)
      await buyer.lead({ externalId: 'second', customerExternalId: buyer.id('user'), clickId })
      expect(await shop.sales()).toEqual(['nobody 0'])
    },
  )

  test.each(cases)('holds it where the program credits late leads: $payment', async ({ pay }) => {
    const shop = await open({ late_lead_days: 1 })
    const buyer = shop.buyer()
    const clickId = await shop.clickBefore(30 * DAY)
    await buyer.lead({ customerEmail: `thief-${buyer.address}`, clickId })
    await database.query(
      `update referrals set referred_at = referred_at - interval '20 days' where workspace_id = $1`,
      [shop.merchant.workspace.id],
    )
    await pay(buyer, -HOUR)
    await buyer.lead({ externalId: 'second', customerExternalId: buyer.id('user'), clickId })
    expect(await shop.sales()).toEqual(['maya 20000 late_lead'])
  })

  test('credits no older payment of the Stripe customer that it binds, under whatever address that was made', async () => {
    const shop = await open()
    const buyer = shop.buyer()
    const clickId = await shop.clickBefore(30 * DAY)
    await buyer.lead({ customerEmail: `thief-${buyer.address}`, clickId })
    await database.query(
      `update referrals set referred_at = referred_at - interval '20 days' where workspace_id = $1`,
      [shop.merchant.workspace.id],
    )
    await buyer.invoice({ at: -2 * HOUR, customer_email: `old-${buyer.address}` })
    await buyer.lead({ externalId: 'second', customerExternalId: buyer.id('user'), clickId })
    await buyer.invoice({ id: buyer.id('in', 'next'), at: MINUTE })
    expect(await shop.sales()).toEqual(['nobody 0', 'maya 980'])
  })
})

describe('a sale that the backend reported without a click', () => {
  const report = async (buyer: Buyer, secondsAgo: number) =>
    buyer.sale({
      amountCents: PRICE,
      occurredAt: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
    })
  const late = [
    { follows: 'a lead', follow: (buyer: Buyer, clickId: string) => buyer.lead({ clickId }) },
    {
      follows: 'a sale',
      follow: (buyer: Buyer, clickId: string) =>
        buyer.sale({ externalId: buyer.id('order', 'later'), amountCents: 100, clickId }),
    },
  ]

  test.each(late)(
    'is not credited to a known customer by $follows that comes later',
    async ({ follow }) => {
      const shop = await open({ attribute_known_customers: true })
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await report(buyer, HOUR)
      await follow(buyer, clickId)
      expect((await shop.sales())[0]).toBe('nobody 0')
    },
  )

  test.each(late)('is held where the program credits late leads: $follows', async ({ follow }) => {
    for (const known of [true, false]) {
      const shop = await open({ late_lead_days: 7, attribute_known_customers: known })
      const buyer = shop.buyer()
      const clickId = await shop.clickBefore(30 * DAY)
      await report(buyer, HOUR)
      await follow(buyer, clickId)
      expect((await shop.sales())[0]).toBe('maya 20000 late_lead')
      // A sale that is reported late is decided by what is known by then.
      await buyer.sale({
        externalId: buyer.id('order', 'behind'),
        amountCents: 1_000,
        occurredAt: new Date(Date.now() - 2 * HOUR * 1_000).toISOString(),
      })
      expect((await shop.sales())[0]).toBe('maya 200 late_lead')
    }
  })

  test('is not corrected by a click that says it is a day old', async () => {
    const shop = await open()
    const buyer = shop.buyer()
    await report(buyer, HOUR)
    const clickId = await shop.clickAged(DAY)
    const path = `${inject('baseUrl')}/api/track/sale/${buyer.id('order')}`
    const key = await shop.merchant.seed.addApiKey(shop.merchant.workspace.id, {
      scopes: ['write'],
    })
    const headers = { Authorization: `Bearer ${key}` }
    expect((await send(path, { method: 'PATCH', body: { clickId }, headers })).status).toBe(200)
    expect(await shop.sales()).toEqual(['nobody 0'])
  })
})

test('a sale of Stripe’s that is reported by its id is not credited by a click from after the payment', async () => {
  const shop = await open()
  const buyer = shop.buyer()
  await buyer.invoice({ at: -HOUR })
  const clickId = await shop.clickAged(DAY)
  await buyer.sale({ externalId: buyer.id('in'), customerExternalId: buyer.id('cus'), clickId })
  expect(await shop.sales()).toEqual(['nobody 0'])
})

test('an import credits no payment from before it', async () => {
  const shop = await open({ late_lead_days: 90 })
  const buyer = shop.buyer()
  await buyer.invoice({ at: -HOUR })
  await buyer.import({ customerExternalId: buyer.id('user'), customerEmail: buyer.address })
  await buyer.import()
  expect(await shop.sales()).toEqual(['nobody 0'])
})

describe('the renewals of a subscription whose first payment a late lead credits', () => {
  /** A first payment, the lead after it, and a renewal. */
  const subscribe = async () => {
    const shop = await open({ late_lead_days: 7 })
    const buyer = shop.buyer()
    const subscription = buyer.id('sub')
    const clickId = await shop.clickBefore(30 * DAY)
    await buyer.invoice({ at: -HOUR, ...ofSubscription(subscription, 'subscription_create') })
    await buyer.lead({ clickId })
    const renew = (name: string, at: number) =>
      buyer.invoice({ id: buyer.id('in', name), at, ...ofSubscription(subscription) })
    await renew('two', MINUTE)
    expect(await shop.sales()).toEqual(['maya 980 late_lead', 'maya 980 late_lead'])
    return { ...shop, renew, buyer }
  }

  test('are held with it, and follow what a manager decides: released', async () => {
    const { sales, renew, resolve } = await subscribe()
    await resolve('release')
    await renew('three', 2 * MINUTE)
    expect(await sales()).toEqual(['maya 980', 'maya 980', 'maya 980'])
  })

  test('are held with it, and follow what a manager decides: rejected', async () => {
    const { sales, renew, manager, stepsOf, buyer } = await subscribe()
    const first = await manager.get('/commissions?status=held')
    const held = (first.body.data as { id: string }[]).at(-1)
    expect((await manager.post(`/commissions/${held?.id}/reject`, {})).status).toBe(200)
    await renew('three', 2 * MINUTE)
    expect(await sales()).toEqual(['maya 0', 'nobody 0', 'nobody 0'])
    expect(codes({ steps: await stepsOf(buyer.id('in', 'three')) })).toEqual([
      'unreferred_subscription',
    ])
  })
})

test('a late lead that an earlier one turns out to precede is held no longer', async () => {
  const shop = await open({ late_lead_days: 7 })
  const buyer = shop.buyer()
  const clickId = await shop.clickBefore(30 * DAY)
  await buyer.invoice({ at: -HOUR })
  await buyer.lead({ clickId })
  expect(await shop.sales()).toEqual(['maya 980 late_lead'])
  const occurredAt = new Date(Date.now() - 2 * HOUR * 1_000).toISOString()
  await buyer.lead({
    externalId: 'queued',
    customerExternalId: buyer.id('user'),
    clickId,
    occurredAt,
  })
  expect(await shop.sales()).toEqual(['maya 980'])
})

test('crediting it by hand releases nothing', async () => {
  const shop = await open({ late_lead_days: 7 })
  const buyer = shop.buyer()
  const clickId = await shop.clickBefore(30 * DAY)
  await buyer.invoice({ at: -HOUR })
  await buyer.lead({ clickId })
  const event = await shop.merchant.explainReport('sale', buyer.id('in'))
  const credit = { partnerId: shop.merchant.partnerId, reason: 'It is right.' }
  expect((await shop.manager.post(`/events/${event?.id}/credit`, credit)).status).toBe(200)
  expect(await shop.sales()).toEqual(['maya 980 late_lead'])
})
