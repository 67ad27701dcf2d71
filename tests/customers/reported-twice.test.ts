// @module-tag sampled
/**
 * One purchase that the merchant and Stripe report: what ties the two, and what they earn. Design
 * section 5, "Who reports sales".
 */
import { test } from 'vitest'
import { inEveryOrder, openShop, paidBy } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { oldInvoice, refund } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const same = { order: 'in' }

/** A shop of a merchant who has chosen who reports sales. */
const openShopOf = async (
  salesFrom: 'both' | 'stripe' | 'api',
  options: Parameters<typeof openShop>[1] = {},
) => {
  const shop = await openShop(database, options)
  // For payments before it, too.
  const { id } = shop.merchant.workspace
  await database.query('update workspaces set sales_from = $2 where id = $1', [id, salesFrom])
  return shop
}

type Buyer = ReturnType<Awaited<ReturnType<typeof openShop>>['buyer']>

/** The commonest integration: one's own ids in reports, and a checkout that carries the click. */
const purchase = async (buyer: Buyer, fields: Record<string, unknown> = {}) => {
  const clickId = await buyer.click()
  const payment = { payment_intent: buyer.id('pi'), charge: buyer.id('ch') }
  return {
    report: () => buyer.sale({ clickId }),
    checkout: () =>
      buyer.checkout({
        ...{ at: 60, mode: 'subscription', invoice: buyer.id('in'), client_reference_id: clickId },
        ...fields,
      }),
    invoice: () => buyer.invoice({ at: 65, ...payment }, oldInvoice),
    refund: () => buyer.event('refund.created', refund({ ...payment, id: buyer.id('re') }), 600),
  }
}

test('an order id beside Stripe’s events of the same click earns once, and the one received second is held', async () => {
  const shop = await openShopOf('both')
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { report, checkout, invoice } = await purchase(buyer)
      return { report, checkout, invoice }
    },
    { sales: { in: 'maya 1960 of which 980 held' } },
    { same },
  )
})

test('an order that looks like one payment and turns out to be another holds neither of them', async () => {
  const shop = await openShopOf('both')
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { report, invoice, ...first } = await purchase(buyer)
      const clickId = await buyer.click()
      return {
        ...{ report, checkout: first.checkout, invoice },
        order: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'order'), payment_intent: buyer.id('pi', 'order') },
            ...{ at: 600, client_reference_id: clickId },
            metadata: { externalId: buyer.id('order') },
          }),
      }
    },
    { sales: { in: 'maya 980', pi_order: 'maya 980' } },
    { same: { order: 'pi_order' } },
  )
})

test('an order id in the checkout’s metadata makes both reports one sale, of which a refund takes everything back', async () => {
  const shop = await openShopOf('both')
  await inEveryOrder(
    shop,
    (buyer) => purchase(buyer, { metadata: { externalId: buyer.id('order') } }),
    { sales: { in: 'maya 0' } },
    { same },
  )
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { report, checkout, invoice } = await purchase(buyer, {
        metadata: { externalId: buyer.id('order') },
      })
      return { report, checkout, invoice }
    },
    { sales: { in: 'maya 980' } },
    { same },
  )
})

/** An order is paid two hours ago, and again now. Links were followed so many hours ago. */
test.each([
  { case: 'of the second alone', maya: null, leo: 3, credits: 'leo 980' },
  { case: 'of both, the later one', maya: 4, leo: 3, credits: 'leo 980' },
  { case: 'that was made before it was paid', maya: 4, leo: 1, credits: 'maya 980' },
])('an order that two checkouts paid credits the click $case', async ({ maya, leo, credits }) => {
  const shop = await openShopOf('both')
  await inEveryOrder(
    shop,
    async (buyer) => {
      const ids = [
        maya === null ? null : await buyer.click('maya', maya),
        await buyer.click('leo', leo),
      ]
      const checkout = (place: 0 | 1) =>
        buyer.checkout({
          ...{ id: buyer.id('cs_test', `${place}`), payment_intent: buyer.id('pi', `${place}`) },
          ...{ at: place ? 0 : -7_200, client_reference_id: ids[place] },
          metadata: { externalId: buyer.id('order') },
        })
      return { first: () => checkout(0), second: () => checkout(1) }
    },
    { sales: { order: credits } },
    { same: { pi_0: 'order', pi_1: 'order' } },
  )
})

test('two checkouts of one order tie the ids that each of them names', async () => {
  const shop = await openShopOf('both')
  await inEveryOrder(
    shop,
    async (buyer) => {
      await buyer.lead({ clickId: await buyer.click(), customerEmail: null })
      const order = { externalId: buyer.id('order') }
      return {
        guest: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', '0'), payment_intent: buyer.id('pi', '0') },
            ...{
              at: 60,
              customer: null,
              metadata: { ...order, customerExternalId: buyer.id('user') },
            },
          }),
        customer: () => buyer.checkout({ at: 120, metadata: order }),
        later: () => buyer.invoice({ at: 3_600, ...paidBy(buyer.id('pi', 'in')) }),
      }
    },
    { sales: { order: 'maya 980', in: 'maya 980' }, customers: 1 },
    { same: { pi_0: 'order', pi: 'order' } },
  )
})

test.each(
  everyNth<{
    case: string
    /** What the backend asks for, and what Stripe reports. */
    asked: Record<string, unknown>
    atStripe: number | null
    earned: number
  }>(2, [
    { case: 'the same refund', asked: { amountCents: 2_450 }, atStripe: 2_450, earned: 490 },
    { case: 'more to us', asked: { amountCents: 3_920 }, atStripe: 2_450, earned: 196 },
    { case: 'more to Stripe', asked: { amountCents: 980 }, atStripe: 2_450, earned: 490 },
    { case: 'all to us, and a part to Stripe', asked: {}, atStripe: 2_450, earned: 0 },
    {
      case: 'only to us',
      asked: { amountCents: 980, currency: 'USD' },
      atStripe: null,
      earned: 784,
    },
  ]),
)(
  'a refund that a backend reports of a sale that Stripe reports too counts once, in any order: $case',
  async ({ asked, atStripe, earned }) => {
    for (const salesFrom of ['both', 'api'] as const) {
      const shop = await openShopOf(salesFrom)
      await inEveryOrder(
        shop,
        async (buyer) => {
          const { report, checkout, invoice } = await purchase(buyer, {
            metadata: { externalId: buyer.id('order') },
          })
          const payment = { payment_intent: buyer.id('pi'), charge: buyer.id('ch') }
          const returned = refund({ ...payment, id: buyer.id('re'), amount: atStripe })
          return {
            ...{ report, checkout, invoice },
            asked: () => buyer.refund(asked),
            ...(atStripe && { returned: () => buyer.event('refund.created', returned, 600) }),
          }
        },
        { sales: { in: `maya ${earned}` } },
        { same },
      )
    }
  },
)

test('a refund that names any of Stripe’s ids of a sale that only Stripe reports finds it, before and after', async () => {
  const shop = await openShopOf('stripe')
  for (const name of ['in', 'ch', 'pi', 'cs_test', 'order']) {
    await inEveryOrder(
      shop,
      async (buyer) => {
        const { checkout, invoice } = await purchase(buyer, {
          metadata: { externalId: buyer.id('order') },
        })
        return {
          ...{ checkout, invoice },
          asked: () => buyer.refund({ saleExternalId: buyer.id(name), amountCents: 2_450 }),
        }
      },
      { sales: { in: 'maya 490' } },
    )
  }
})

test('a merchant whose sales come from Stripe is not charged for order ids, and a refund takes everything back', async () => {
  const shop = await openShopOf('stripe')
  await inEveryOrder(shop, (buyer) => purchase(buyer), { sales: { in: 'maya 0', order: 'maya 0' } })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { report, checkout, invoice } = await purchase(buyer)
      return { report, checkout, invoice }
    },
    { sales: { in: 'maya 980', order: 'maya 0' } },
  )
})

test('for a merchant who reports all sales, Stripe’s events bring refunds and no sales of their own', async () => {
  const shop = await openShopOf('api')
  await inEveryOrder(
    shop,
    (buyer) => purchase(buyer, { metadata: { externalId: buyer.id('order') } }),
    { sales: { in: 'maya 0' } },
    { same },
  )
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { report, checkout, invoice } = await purchase(buyer)
      return { report, checkout, invoice }
    },
    { sales: { in: 'maya 980' } },
    { same },
  )
})

test('for a merchant who reports all sales, a checkout’s coupon refers its customer also if it arrives after the report', async () => {
  const shop = await openShopOf('api', { program: { attribute_known_customers: true } })
  await inEveryOrder(
    shop,
    (buyer) => ({
      report: () => buyer.sale({ externalId: buyer.id('in') }),
      checkout: () =>
        buyer.checkout({ at: -60, invoice: buyer.id('in'), discounts: [{ coupon: 'LEO' }] }),
      invoice: () => buyer.invoice({ at: -60 }),
    }),
    { sales: { in: 'leo 980', order: 'leo 980' }, customers: 1 },
    { last: (buyer) => buyer.sale() },
  )
})
