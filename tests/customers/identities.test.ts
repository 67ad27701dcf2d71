// @module-tag sampled
/**
 * One person under several ids: what the ids tie, in every order of the facts. Design section 5,
 * "Who a customer is".
 */
import { expect, test } from 'vitest'
import { type Buyer, inEveryOrder, ofSubscription, openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { paying, setRules } from '../support/reward-rules.ts'
import { seconds } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600
const earned = 'maya 980'

test.each([
  { paid: 'after the lead was reported', at: HOUR },
  { paid: 'after the click and before the lead was reported', at: -HOUR },
])(
  'a lead under the merchant’s own id reaches Stripe’s sale, which names that id and was paid $paid',
  async ({ at }) => {
    const shop = await openShop(database, { program: { late_lead_days: 1 } })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 2)
        const subscription = buyer.id('sub')
        return {
          lead: () => buyer.lead({ clickId }),
          checkout: () =>
            buyer.checkout({
              at,
              subscription,
              invoice: buyer.id('in'),
              metadata: { customerExternalId: buyer.id('user') },
            }),
          invoice: () =>
            buyer.invoice({ at: at + 5, ...ofSubscription(subscription, 'subscription_create') }),
        }
      },
      { sales: { in: at < 0 ? `${earned} of which 980 held` : earned }, customers: 1 },
    )
  },
)

test('a lead reaches the sale and the renewal of a subscription whose metadata name the merchant’s id', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click()
      const subscription = buyer.id('sub')
      const metadata = { customerExternalId: buyer.id('user') }
      return {
        lead: () => buyer.lead({ clickId, customerEmail: null }),
        invoice: () =>
          buyer.invoice({
            at: 60,
            ...ofSubscription(subscription, 'subscription_create', metadata),
          }),
        renewal: () =>
          buyer.invoice({
            id: buyer.id('in', 'renewal'),
            at: HOUR,
            ...ofSubscription(subscription),
          }),
      }
    },
    { sales: { in: earned, in_renewal: earned }, customers: 1 },
  )
})

test.each(
  everyNth(2, [
    {
      object: 'customer',
      tie: (buyer: Buyer) =>
        buyer.event('customer.updated', {
          ...{ id: buyer.id('cus'), object: 'customer', email: buyer.address, name: 'A buyer' },
          metadata: { customerExternalId: buyer.id('user') },
        }),
    },
    {
      object: 'subscription',
      tie: (buyer: Buyer) =>
        buyer.event('customer.subscription.created', {
          ...{
            id: buyer.id('sub'),
            object: 'subscription',
            customer: buyer.id('cus'),
            status: 'active',
          },
          ...{
            created: seconds(),
            discounts: [],
            metadata: { customerExternalId: buyer.id('user') },
          },
        }),
    },
  ]),
)(
  'a lead reaches sales of a Stripe customer whose $object names the merchant’s id',
  async ({ tie }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click()
        const subscription = buyer.id('sub')
        return {
          lead: () => buyer.lead({ clickId, customerEmail: null }),
          tie: () => tie(buyer),
          invoice: () =>
            buyer.invoice({ at: 60, ...ofSubscription(subscription, 'subscription_create') }),
          renewal: () =>
            buyer.invoice({
              id: buyer.id('in', 'renewal'),
              at: HOUR,
              ...ofSubscription(subscription),
            }),
        }
      },
      { sales: { in: earned, in_renewal: earned }, customers: 1 },
    )
  },
)

test('a lead’s address reaches a checkout and its invoice, and ties nobody: another address is another person', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click()
      return {
        lead: () => buyer.lead({ clickId, customerEmail: buyer.address.toUpperCase() }),
        checkout: () =>
          buyer.checkout({ at: 60, invoice: buyer.id('in'), subscription: buyer.id('sub') }),
        invoice: () => buyer.invoice({ at: 65 }),
        other: () =>
          buyer.invoice({
            at: HOUR,
            id: buyer.id('in', 'other'),
            customer_email: `new-${buyer.address}`,
          }),
      }
    },
    { sales: { in: earned, in_other: 'nobody 0' } },
  )
})

test('a payment that nobody had referred is not credited by the click of a later order that turns out to be Stripe’s', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 2)
      const ids = { customerExternalId: buyer.id('user') }
      return {
        before: () => buyer.checkout({ at: -HOUR, invoice: buyer.id('in'), metadata: ids }),
        paid: () => buyer.invoice({ at: -HOUR }),
        report: () => buyer.sale({ clickId, amountCents: 2_000 }),
        order: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'order'), at: 60, amount_total: 2_000 },
            metadata: { externalId: buyer.id('order'), ...ids },
          }),
      }
    },
    { sales: { in: 'nobody 0', order: 'maya 400' }, customers: 1 },
    { same: { pi: 'order' } },
  )
})

test('a sale that is reported without a click before its customer’s lead credits the known customer’s partner', async () => {
  const shop = await openShop(database, { program: { attribute_known_customers: true } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 1)
      return {
        first: () => buyer.sale(),
        lead: () => buyer.lead({ clickId, customerEmail: null }),
        second: () => buyer.sale({ externalId: buyer.id('order', 'two') }),
      }
    },
    { sales: { order: earned, order_two: earned }, customers: 1 },
  )
})

test('a sale that was reported under an id is a payment of the customer that the id is tied to', async () => {
  const shop = await openShop(database)
  await setRules(database, shop.merchant.programId, [paying(50, { fact: 'payment', atMost: 1 })])
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click()
      return {
        report: () => buyer.sale({ customerExternalId: buyer.id('user') }),
        tie: () =>
          buyer.event('customer.updated', {
            ...{ id: buyer.id('cus'), object: 'customer', email: null },
            metadata: { customerExternalId: buyer.id('user') },
          }),
        checkout: () => buyer.checkout({ at: HOUR, client_reference_id: clickId }),
      }
    },
    { sales: { order: 'nobody 0', pi: 'maya 490' }, customers: 1 },
  )
})

test('a customer imported by Stripe’s id and reported under the merchant’s id is one, and earns one one-time reward', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  const statuses: unknown[] = []
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import(),
      invoice: () => buyer.invoice({ at: 60 }),
      report: () => buyer.sale({ externalId: buyer.id('in') }),
      renewal: () => buyer.invoice({ id: buyer.id('in', 'renewal'), at: HOUR }),
    }),
    { sales: { in: earned, in_renewal: 'maya 0' }, customers: 1 },
    { last: async (buyer) => statuses.push(await buyer.import()) },
  )
  expect(new Set(statuses)).toEqual(new Set(['unchanged']))
})

test('a customer imported to two partners under its two ids belongs to the later import’s partner', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      stripeId: () => buyer.import(),
      ownId: () => buyer.import({ customerExternalId: buyer.id('user') }, 'leo'),
      lead: () => buyer.lead(),
      checkout: () =>
        buyer.checkout({ at: 60, metadata: { customerExternalId: buyer.id('user') } }),
    }),
    (order) => ({
      sales: { pi: order.indexOf('ownId') > order.indexOf('stripeId') ? 'leo 980' : earned },
      customers: 1,
    }),
  )
})

test('the start date of a customer imported by Stripe’s id bounds its later sales under the merchant’s id', async () => {
  const shop = await openShop(database, { program: { reward_duration_months: 12 } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click()
      return {
        import: () =>
          buyer.import({ startedAt: new Date(Date.now() - 400 * 24 * HOUR * 1000).toISOString() }),
        invoice: () => buyer.invoice({ at: 60 }),
        tie: () => buyer.sale({ externalId: buyer.id('in') }),
        order: () => buyer.sale({ clickId, amountCents: 1_000 }),
      }
    },
    // The order's time is that of its arrival: a start counts for sales after its import.
    (order) => ({
      sales: {
        in: 'maya 0',
        order: order.indexOf('order') > order.indexOf('import') ? 'maya 0' : 'maya 200',
      },
      customers: 1,
    }),
  )
})

test('an imported start date takes back nothing of a sale that was paid before the import', async () => {
  const shop = await openShop(database, { program: { reward_duration_months: 12 } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 2)
      return {
        report: () => buyer.sale({ externalId: buyer.id('in'), amountCents: 5_880, clickId }),
        import: () =>
          buyer.import({
            customerExternalId: buyer.id('user'),
            startedAt: new Date(Date.now() - 400 * 24 * HOUR * 1000).toISOString(),
          }),
        invoice: () =>
          buyer.invoice({
            at: -HOUR,
            amount_paid: 5_880,
            total: 5_880,
            total_excluding_tax: 4_900,
          }),
      }
    },
    { sales: { in: earned }, customers: 1 },
  )
})

test('an invoice paid in the same second as the import credits the imported partner', async () => {
  const shop = await openShop(database)
  /**
   * A buyer to whom both happen within one second, which a busy machine may need several tries for.
   */
  const buyInOneSecond = async (isImportFirst: boolean) => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const buyer = shop.buyer()
      const imported = () => buyer.import()
      const paid = () => buyer.invoice({ at: seconds() - shop.start })
      await new Promise((resolve) => setTimeout(resolve, 1_010 - (Date.now() % 1_000)))
      const second = seconds()
      for (const step of isImportFirst ? [imported, paid] : [paid, imported]) await step()
      if (seconds() === second) return buyer
    }
    throw new Error('The machine is too slow for an import and an invoice in one second.')
  }
  for (const isImportFirst of [true, false]) {
    const buyer = await buyInOneSecond(isImportFirst)
    const { steps } = (await shop.merchant.explainReport('sale', buyer.id('in'))) ?? {}
    expect(steps?.at(-1)?.code).toBe('commission_created')
  }
})

test('a merged customer’s id finds the customer that stays, with the ids of both and what tied them', async () => {
  const shop = await openShop(database)
  const { merchant } = shop
  const buyer = shop.buyer()
  const [user, cus, invoice] = [buyer.id('user'), buyer.id('cus'), buyer.id('in')]
  const clickId = await buyer.click()
  await buyer.import()
  await buyer.lead({ clickId, customerEmail: null })
  const idOf = async (externalId: string) => {
    const { body } = await merchant.get(`/customers?externalId=${externalId}`)
    return (body as unknown as { data: { id: string }[] }).data[0]?.id
  }
  const [stays, merged] = [await idOf(cus), await idOf(user)]
  expect(merged).not.toBe(stays)
  await buyer.sale({ externalId: invoice, customerExternalId: user })
  await buyer.invoice({ at: 60 })

  const { status, body } = await merchant.get(`/customers/${merged}`)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      id: stays,
      externalId: user,
      identities: [
        { kind: 'stripe', value: cus, source: 'import', evidence: null, text: 'Imported.' },
        { kind: 'external', value: user, source: 'purchase', evidence: invoice },
      ],
    },
  })
  const pages = await openPages(merchant)
  const { location } = await pages.get(`/customers/${merged}`)
  expect(location).toBe(`/app/${merchant.workspace.slug}/customers/${stays}`)
  expect((await pages.get(`/customers/${stays}`)).text).toContain(
    `Named by the purchase ${invoice}.`,
  )
})

test('where sales earn as reported, an unpaid checkout that names the report credits it and its customer', async () => {
  const shop = await openShop(database)
  const { merchant } = shop
  await database.query(`update workspaces set sales_from = 'api' where id = $1`, [
    merchant.workspace.id,
  ])
  const buyer = shop.buyer()
  const clickId = await buyer.click('leo', 300)
  await buyer.sale({ occurredAt: new Date(Date.now() - 200 * 3_600_000).toISOString() })
  const unpaid = { payment_status: 'unpaid', customer: null, client_reference_id: clickId }
  await buyer.checkout({ at: 0, ...unpaid, metadata: { externalId: buyer.id('order') } })
  const [sale] = await database.query(
    `select p.slug, i.value as customer from events e join partners p on p.id = e.partner_id
     join customer_identities i on i.customer_id = e.customer_id
     where e.workspace_id = $1 and e.external_id = $2`,
    [merchant.workspace.id, buyer.id('order')],
  )
  expect(sale).toEqual({ slug: 'leo', customer: buyer.id('user') })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
