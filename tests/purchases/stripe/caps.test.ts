/** Payments under caps: late, merged, re-credited and concurrent ones end as prompt ones do. */
import { expect, test } from 'vitest'
import { inEveryOrder, ofSubscription, openShop } from '../../support/buyers.ts'
import { useDatabase } from '../../support/merchant.ts'
import { paying, setCaps, usdCap } from '../../support/reward-rules.ts'
import { seconds } from '../../support/stripe.ts'

const database = useDatabase()
const HOUR = 3_600

test('a cap per customer counts the sales of a merged customer in the order in which they were paid', {
  tags: 'sampled',
}, async () => {
  const shop = await openShop(database)
  await setCaps(database, shop.merchant.programId, [usdCap('customer', 1_500)])
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { id } = buyer
      const clickId = await buyer.click()
      return {
        lead: () => buyer.lead({ clickId, customerEmail: null }),
        tie: () =>
          buyer.event('customer.created', {
            ...{ id: id('cus'), object: 'customer', created: seconds(), discounts: [] },
            metadata: { customerExternalId: id('user') },
          }),
        invoice: () =>
          buyer.invoice({ at: 60, ...ofSubscription(id('sub'), 'subscription_create') }),
        renewal: () =>
          buyer.invoice({ id: id('in', 'renewal'), at: HOUR, ...ofSubscription(id('sub')) }),
      }
    },
    { sales: { in: 'maya 980', in_renewal: 'maya 520' }, customers: 1 },
  )
})

test('a cap per customer counts dated reports and payments of Stripe’s, and no refund frees room', {
  tags: 'sampled',
}, async () => {
  const shop = await openShop(database)
  const { programId } = shop.merchant
  const rules = [paying(50, { fact: 'payment', atMost: 1 })]
  await setCaps(database, programId, [usdCap('customer', 4_000)], { rules })
  const day = (hoursAgo: number) => new Date((shop.start - hoursAgo * HOUR) * 1_000).toISOString()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { id } = buyer
      const clickId = await buyer.click('maya', 40)
      return {
        // 50% of 49.00, then 20% of 49.00, then the 5.70 that are left of 40.00.
        first: () => buyer.sale({ externalId: id('order', 'first'), clickId, occurredAt: day(30) }),
        refund: () => buyer.refund({ saleExternalId: id('order', 'first'), amountCents: 2_450 }),
        second: () => buyer.invoice({ at: 0, metadata: { customerExternalId: id('user') } }),
        third: () =>
          buyer.invoice({
            ...{ id: id('in', 'third'), at: HOUR },
            metadata: { customerExternalId: id('user') },
          }),
      }
    },
    { sales: { order_first: 'maya 1225', in: 'maya 980', in_third: 'maya 570' } },
  )
})

test('a cap per customer follows a credit by hand, whenever it is made', {
  tags: 'sampled',
}, async () => {
  const shop = await openShop(database)
  const { manager, merchant } = shop
  await setCaps(database, merchant.programId, [usdCap('customer', 1_500)])
  const [leo] = await database.query<{ id: string }>(
    `select id from partners where workspace_id = $1 and slug = 'leo'`,
    [merchant.workspace.id],
  )
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { id } = buyer
      const clickId = await buyer.click()
      const metadata = { customerExternalId: id('user') }
      await buyer.lead({ clickId })
      await buyer.invoice({ at: 60, metadata })
      return {
        credit: async () => {
          const [event] = await database.query<{ id: string }>(
            'select id from events where workspace_id = $1 and external_id = $2',
            [merchant.workspace.id, id('in')],
          )
          const { status } = await manager.post(`/events/${event?.id}/credit`, {
            ...{ partnerId: leo?.id, reason: 'A call' },
          })
          expect(status).toBe(200)
        },
        second: () => buyer.invoice({ id: id('in', 'second'), at: HOUR, metadata }),
        third: () => buyer.invoice({ id: id('in', 'third'), at: 2 * HOUR, metadata }),
      }
    },
    { sales: { in: 'leo 980', in_second: 'maya 980', in_third: 'maya 520' } },
  )
})

test('a payment that is held, refunded in whole or reported twice keeps what caps have left of it', {
  tags: 'sampled',
}, async () => {
  const shop = await openShop(database)
  const caps = [usdCap('sale', 500), usdCap('customer', 800), usdCap('partner_month', 100_000)]
  await setCaps(database, shop.merchant.programId, caps)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const { id } = buyer
      const clickId = await buyer.click()
      const metadata = { tributary_click: clickId }
      return {
        report: () => buyer.sale({ externalId: id('in'), customerExternalId: id('cus'), clickId }),
        invoice: () => buyer.invoice({ at: 60, metadata }),
        refund: () => buyer.refund({ saleExternalId: id('in') }),
        second: () => buyer.invoice({ id: id('in', 'second'), at: HOUR, metadata }),
      }
    },
    { sales: { in: 'maya 0', in_second: 'maya 300' } },
  )
})

test('concurrent payments of different customers never exceed the month of a partner', async () => {
  const shop = await openShop(database)
  const { programId, workspace } = shop.merchant
  await setCaps(database, programId, [usdCap('partner_month', 2_500)])
  const buyers = Array.from({ length: 8 }, () => shop.buyer())
  const clicks = await Promise.all(buyers.map((buyer) => buyer.click()))
  const pay = () =>
    Promise.all(
      buyers.map((buyer, i) =>
        i % 2
          ? buyer.sale({ externalId: buyer.id('in'), clickId: clicks[i] })
          : buyer.invoice({ at: 0, metadata: { tributary_click: clicks[i] } }),
      ),
    )
  const earned = async () =>
    (
      await database.query<{ cents: number }>(
        `select coalesce(c.amount_cents, 0)::int as cents
         from events e left join commissions c on c.id = e.commission_id
         where e.workspace_id = $1 order by 1 desc`,
        [workspace.id],
      )
    ).map(({ cents }) => cents)
  await pay()
  const wanted = [980, 980, 540, 0, 0, 0, 0, 0]
  expect(await earned()).toEqual(wanted)
  // All again, and for each sale the other report of it.
  await Promise.all(
    buyers.map((buyer, i) =>
      i % 2
        ? buyer.invoice({ at: 0, metadata: { tributary_click: clicks[i] } })
        : buyer.sale({ externalId: buyer.id('in'), clickId: clicks[i] }),
    ),
  )
  expect(await earned()).toEqual(wanted)
  expect(await database.violations(workspace.id)).toEqual([])
})
