// @module-tag sampled
/**
 * Customers who turn out to be one after they have earned. Design section 5, "Who a customer is".
 */
import { expect, test } from 'vitest'
import { endOf, inEveryOrder, openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { oldInvoice } from '../support/stripe.ts'

const database = useDatabase()

const HOUR = 3_600

test('two customers who both had a one-time reward turn out to be one: the later is reversed, also after its payout', async () => {
  const shop = await openShop(database, {
    program: { reward_interval: 'one-time', holding_days: 0 },
    manualPayouts: true,
  })
  const { merchant, manager } = shop
  const buyer = shop.buyer()
  const [maya, leo] = [await buyer.click('maya', 2), await buyer.click('leo', 2)]
  await buyer.checkout({ at: -HOUR, client_reference_id: maya, customer: buyer.id('cus', 'first') })
  await buyer.checkout({
    ...{ id: buyer.id('cs_test', 'two'), payment_intent: buyer.id('pi', 'two') },
    ...{ at: -HOUR / 2, client_reference_id: leo, customer: buyer.id('cus', 'second') },
  })
  const { status } = await manager.post('/payouts/run', { method: 'manual' })
  expect(status).toBe(200)
  expect((await endOf(shop, buyer)).sales).toEqual({ pi: 'maya 980', pi_two: 'leo 980' })

  const metadata = { customerExternalId: buyer.id('user') }
  for (const name of ['first', 'second'])
    await buyer.event('customer.updated', {
      ...{ id: buyer.id('cus', name), object: 'customer', email: null, metadata },
    })
  expect(await endOf(shop, buyer)).toEqual({
    sales: { pi: 'maya 980', pi_two: 'leo 0' },
    customers: 1,
  })
  const { body } = await merchant.get('/commissions?kind=reversal')
  expect(body.data).toMatchObject([{ amountCents: -980, payoutId: null }])
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('two customers with a one-time reward each earn one when they turn out to be one, before the payout or after it', async () => {
  const shop = await openShop(database, {
    program: { reward_interval: 'one-time', holding_days: 0 },
    manualPayouts: true,
  })
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, leo] = [await buyer.click('maya', 2), await buyer.click('leo', 2)]
      const tie = (name: string) =>
        buyer.event('customer.updated', {
          ...{ id: buyer.id('cus', name), object: 'customer', email: null },
          metadata: { customerExternalId: buyer.id('user') },
        })
      return {
        first: () =>
          buyer.checkout({
            at: -HOUR,
            client_reference_id: maya,
            customer: buyer.id('cus', 'first'),
          }),
        second: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'two'), payment_intent: buyer.id('pi', 'two') },
            ...{ at: -HOUR / 2, client_reference_id: leo, customer: buyer.id('cus', 'second') },
          }),
        tieFirst: () => tie('first'),
        tieSecond: () => tie('second'),
      }
    },
    { sales: { pi: 'maya 980', pi_two: 'leo 0' }, customers: 1 },
    {
      once: async () => {
        const { status } = await shop.manager.post('/payouts/run', { method: 'manual' })
        expect(status).toBe(200)
      },
    },
  )
})

test('a sale that turns out to be another program’s leaves a one-time reward to the next genuine sale', async () => {
  const shop = await openShop(
    database,
    { program: { reward_interval: 'one-time' } },
    { reward_interval: 'one-time' },
  )
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [first, second] = [await buyer.click('maya'), await buyer.click('maya')]
      const subscription = buyer.id('sub')
      return {
        report: () => buyer.sale({ externalId: buyer.id('in'), clickId: first }),
        invoice: () => buyer.invoice({ at: 65, subscription }, oldInvoice),
        checkout: () =>
          buyer.checkout({
            at: 60,
            subscription,
            invoice: buyer.id('in'),
            discounts: [{ coupon: 'NORA' }],
          }),
        later: () =>
          buyer.checkout({
            ...{ id: buyer.id('cs_test', 'later'), at: 600, amount_total: 2_000 },
            client_reference_id: second,
          }),
      }
    },
    { sales: { in: 'nora 980', pi: 'maya 400' }, customers: 1 },
  )
})

test('a sale that the merchant reported at 49.00 and for which Stripe took nothing earns nothing', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click()
      return {
        report: () => buyer.sale({ externalId: buyer.id('in'), clickId }),
        invoice: () => buyer.invoice({ at: 60, amount_paid: 0, total: 0, total_excluding_tax: 0 }),
      }
    },
    { sales: { in: 'maya 0' }, customers: 1 },
  )
})
