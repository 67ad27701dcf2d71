// @module-tag sampled
/**
 * An address typed into a checkout never moves or merges a customer. Design section 5, "Who a
 * customer is".
 */
import { expect, inject, test } from 'vitest'
import {
  type Buyer,
  endOf,
  inEveryOrder,
  ofSubscription,
  openShop,
  paidBy,
} from '../support/buyers.ts'
import { send, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600
const earned = 'maya 980'
/** What a lead that came after the payment credits is held. */
const held = 'maya 980 of which 980 held'
const LATE = { program: { late_lead_days: 1 } }

test('a paid checkout with another customer’s address and one’s own click credits that click only', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [mayas, clickId] = [await buyer.click('maya'), await buyer.click('leo')]
      return {
        lead: () => buyer.lead({ clickId: mayas }),
        thiefs: () =>
          buyer.checkout({
            id: buyer.id('cs_test', 'thief'),
            customer: buyer.id('cus', 'thief'),
            at: 60,
            amount_total: 100,
            client_reference_id: clickId,
          }),
        invoice: () => buyer.invoice({ at: 600 }),
      }
    },
    { sales: { pi: 'leo 20', in: 'maya 980' } },
  )
})

test('a guest’s paid checkout with another customer’s address and one’s own coupon does not move that customer', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import({ customerEmail: buyer.address }),
      thiefs: () =>
        buyer.checkout({
          customer: null,
          at: 60,
          amount_total: 100,
          discounts: [{ coupon: 'LEO' }],
        }),
      invoice: () => buyer.invoice({ at: 600 }),
    }),
    { sales: { pi: 'leo 20', in: 'maya 980' } },
  )
})

test('an invoice with the address of one customer and the Stripe id of another is the latter’s', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import(),
      victim: () =>
        buyer.import(
          { customerExternalId: buyer.id('user'), customerEmail: `v-${buyer.address}` },
          'leo',
        ),
      invoice: () => buyer.invoice({ at: 600, customer_email: `v-${buyer.address}` }),
    }),
    { sales: { in: 'maya 980' }, customers: 2 },
  )
})

test('a guest who types the address that another customer is imported by takes nothing over', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import({ customerExternalId: buyer.address }),
      thiefs: () =>
        buyer.checkout({
          at: 60,
          amount_total: 100,
          customer: null,
          discounts: [{ coupon: 'LEO' }],
        }),
      invoice: () => buyer.invoice({ at: 600 }),
    }),
    { sales: { pi: 'leo 20', in: 'maya 980' } },
  )
})

test('a payment link’s client_reference_id, which its visitor sets, ties nobody to another customer', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
      return {
        lead: () => buyer.lead({ clickId: maya, customerEmail: null }),
        thiefs: () =>
          buyer.checkout({
            ...{ at: 60, amount_total: 100, customer: buyer.id('cus', 'thief') },
            ...{
              payment_link: 'plink_1',
              client_reference_id: buyer.id('user'),
              discounts: [{ coupon: 'LEO' }],
            },
          }),
        thiefsClick: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'two'), payment_intent: buyer.id('pi', 'two') },
            ...{
              at: 70,
              amount_total: 100,
              customer: buyer.id('cus', 'thief'),
              client_reference_id: leo,
            },
          }),
        victims: () =>
          buyer.invoice({ at: 600, metadata: { customerExternalId: buyer.id('user') } }),
      }
    },
    { sales: { pi: 'leo 20', pi_two: 'leo 20', in: 'maya 980' }, customers: 2 },
  )
})

test('a free trial with another customer’s address and one’s own click moves nothing but the trial’s own renewals', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('leo')
      const thief = { customer: buyer.id('cus', 'thief'), subscription: buyer.id('sub', 'thief') }
      return {
        import: () => buyer.import({ customerExternalId: buyer.address }),
        trial: () =>
          buyer.checkout({
            ...thief,
            at: 60,
            amount_total: 0,
            payment_status: 'no_payment_required',
            payment_intent: null,
            client_reference_id: clickId,
          }),
        invoice: () => buyer.invoice({ at: 600, ...ofSubscription(buyer.id('sub')) }),
        thiefs: () =>
          buyer.invoice({
            id: buyer.id('in', 'thief'),
            customer: thief.customer,
            at: 660,
            ...ofSubscription(thief.subscription),
          }),
      }
    },
    { sales: { in: 'maya 980', in_thief: 'leo 980' } },
  )
})

test('a cheap purchase with another customer’s address, then one through one’s own link, does not move that customer', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('leo')
      const customer = buyer.id('cus', 'thief')
      return {
        import: () => buyer.import({ customerExternalId: buyer.address }),
        cheap: () =>
          buyer.invoice({
            id: buyer.id('in', 'cheap'),
            at: 600,
            customer,
            ...ofSubscription(buyer.id('sub', 'thief')),
          }),
        own: () => buyer.checkout({ at: HOUR, customer, client_reference_id: clickId }),
        victims: () => buyer.invoice({ at: 2 * HOUR, ...paidBy(buyer.id('pi', 'in')) }),
      }
    },
    { sales: { in_cheap: 'maya 980', pi: 'leo 980', in: 'maya 980' } },
  )
})

test.each(
  everyNth(2, [
    { by: 'only an import reports it', customerEmail: false, early: 'nobody 0' },
    { by: 'a lead reports it too', customerEmail: true, early: held },
  ]),
)(
  'guests’ payments with an address are credited after its import, and before it if $by',
  async ({ customerEmail, early }) => {
    const shop = await openShop(database, LATE)
    const pay = (buyer: Buyer, name: string, at: number) => () =>
      buyer.checkout({
        ...{ id: buyer.id('cs_test', name), payment_intent: buyer.id('pi', name) },
        ...{ customer: null, at },
      })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 2)
        const address = buyer.address
        return {
          lead: () => buyer.lead({ clickId, customerEmail: customerEmail ? address : null }),
          import: () =>
            buyer.import({ customerExternalId: buyer.id('user'), customerEmail: address }),
          early: pay(buyer, 'early', -HOUR),
          late: pay(buyer, 'late', HOUR),
        }
      },
      { sales: { pi_early: early, pi_late: earned } },
    )
  },
)

test('a lead under an address that an import gave before reaches a payment from before that import', async () => {
  const shop = await openShop(database, LATE)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 2)
      const ids = { customerExternalId: buyer.address }
      return {
        import: () => buyer.import(ids),
        lead: () =>
          buyer.lead({ ...ids, externalId: buyer.id('lead'), customerEmail: null, clickId }),
        paid: () => buyer.checkout({ at: -HOUR }),
      }
    },
    { sales: { pi: held } },
  )
})

/** Stripe's customer gets the merchant's id, and its address. */
const named =
  (buyer: Buyer, customerExternalId = buyer.id('user')) =>
  () =>
    buyer.event('customer.updated', {
      ...{ id: buyer.id('cus'), object: 'customer', email: buyer.address, name: null },
      metadata: { customerExternalId },
    })

test('an id that turns out to be of a customer with an owner takes back what an address gave to another one', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      guest: () =>
        buyer.checkout({
          ...{ at: 60, customer: null, discounts: [{ coupon: 'LEO' }] },
          metadata: { customerExternalId: buyer.id('user') },
        }),
      import: () =>
        buyer.import({ customerExternalId: buyer.id('other'), customerEmail: buyer.address }),
      invoice: () => buyer.invoice({ at: 600, ...paidBy(buyer.id('pi', 'in')) }),
      named: named(buyer),
    }),
    { sales: { pi: 'leo 980', in: 'leo 980' }, customers: 2 },
  )
})

test('a lead takes back what was paid after its click, and leaves the one-time reward to the next sale', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('leo', 2)
      return {
        import: () =>
          buyer.import({ customerExternalId: buyer.id('other'), customerEmail: buyer.address }),
        invoice: () => buyer.invoice({ at: 600, ...paidBy(buyer.id('pi', 'in')) }),
        second: () => buyer.checkout({ at: HOUR, customer: buyer.id('cus', 'second') }),
        named: named(buyer),
        lead: () => buyer.lead({ clickId, customerEmail: null }),
      }
    },
    { sales: { in: 'leo 980', pi: 'maya 980' } },
  )
})

test.each(
  everyNth(3, [
    [
      'checkout',
      (buyer: Buyer, id: string) =>
        buyer.checkout({
          ...{ id: buyer.id('cs_test', 'merged'), payment_intent: buyer.id('pi', 'merged') },
          ...{ at: 2 * HOUR, amount_total: 300 },
          ...{ customer_details: null, metadata: { customerExternalId: id } },
        }),
    ],
    ['change of a customer', (buyer: Buyer, id: string) => named(buyer, id)()],
  ]),
)('a %s that merges customers credits at once what their address has paid', async (_, merge) => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
  const [one, three] = [buyer.id('user', 'one'), buyer.id('user', 'three')]
  await buyer.import({ customerEmail: buyer.address })
  await buyer.lead({ externalId: one, clickId: maya })
  await buyer.lead({ externalId: three, clickId: leo, customerEmail: null })
  await buyer.checkout({ at: HOUR, customer: null })
  expect((await endOf(shop, buyer)).sales).toEqual({ pi: 'maya 980' })

  await merge(buyer, three)
  expect((await endOf(shop, buyer)).sales).toMatchObject({ pi: 'leo 980' })
})

test('of two customers whom one import gives an address, the oldest has its payments', async () => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  const row = (name: string, slug: string) => ({
    ...{ customerExternalId: buyer.id('user', name), customerEmail: buyer.address },
    partnerEmail: `${slug}@partner.example`,
  })
  await buyer.lead({
    externalId: buyer.id('user', 'old'),
    customerEmail: null,
    clickId: await buyer.click('leo'),
  })
  const rows = [row('new', 'maya'), row('old', 'leo')]
  expect((await shop.manager.post('/customers/import', { rows })).status).toBe(200)
  await buyer.checkout({ at: HOUR, customer: null })
  expect((await endOf(shop, buyer)).sales).toEqual({ pi: 'leo 980' })
})

test('of two customers with an address, the one whose own purchase has referred it last has its payments', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [one, two] = [buyer.id('cus', 'one'), buyer.id('cus', 'two')]
      await buyer.import({ customerExternalId: one, customerEmail: buyer.address }, 'leo')
      await buyer.import({ customerExternalId: two, customerEmail: buyer.address })
      return {
        bought: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'own'), payment_intent: buyer.id('pi', 'own') },
            ...{ at: HOUR, customer: one, customer_details: null },
            discounts: [{ coupon: 'LEO' }],
          }),
        guest: () => buyer.checkout({ at: 2 * HOUR, customer: null }),
      }
    },
    { sales: { pi: 'leo 980', pi_own: 'leo 980' } },
  )
})

test('a click that is added to a sale gives its customer what its address has paid since', async () => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  const clickId = await buyer.click('leo')
  await buyer.lead({ clickId })
  await buyer.import({ customerExternalId: buyer.id('other'), customerEmail: buyer.address })
  await buyer.sale({ amountCents: 1_000 })
  await buyer.checkout({ at: HOUR, customer: null })
  expect((await endOf(shop, buyer)).sales).toMatchObject({ pi: 'maya 980' })

  const { seed, workspace } = shop.merchant
  const key = await seed.addApiKey(workspace.id, { scopes: ['write'] })
  const headers = { Authorization: `Bearer ${key}` }
  const path = `${inject('baseUrl')}/api/track/sale/${buyer.id('order')}`
  expect((await send(path, { method: 'PATCH', body: { clickId }, headers })).status).toBe(200)
  expect((await endOf(shop, buyer)).sales).toEqual({ order: 'leo 200', pi: 'leo 980' })
})

test('of two customers with an address, the one referred last has its payments, also after a merge with a third', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
      const [one, three] = [buyer.id('user', 'one'), buyer.id('user', 'three')]
      return {
        one: () => buyer.lead({ externalId: one, clickId: maya }),
        two: () => buyer.import({ customerEmail: buyer.address }),
        three: () => buyer.lead({ externalId: three, clickId: leo, customerEmail: null }),
        guest: () => buyer.checkout({ at: HOUR, customer: null }),
        merged: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'merged'), payment_intent: buyer.id('pi', 'merged') },
            ...{ at: 2 * HOUR, amount_total: 300 },
            ...{ customer_details: null, metadata: { customerExternalId: three } },
          }),
      }
    },
    // Whoever was reported or imported last referred last.
    (order) => {
      const [last] = order.filter((name) => ['one', 'two', 'three'].includes(name)).toReversed()
      const merged = order.filter((name) => ['two', 'three'].includes(name)).at(-1)
      return {
        sales: {
          pi: `${last === 'three' ? 'leo' : 'maya'} 980`,
          pi_merged: `${merged === 'three' ? 'leo' : 'maya'} 60`,
        },
      }
    },
  )
})
