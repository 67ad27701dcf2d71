// @module-tag sampled
/** What buyers and clumsy merchants may do with ids. */
import { expect, test } from 'vitest'
import { endOf, inEveryOrder, openShop, paidBy } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { refund } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

test.each(
  everyNth(3, [
    { what: 'of 500 characters', id: 'x'.repeat(500) },
    { what: 'of 200,000 characters', id: 'x'.repeat(200_000) },
    { what: 'with a NUL', id: 'user\u0000' },
    { what: 'with a lone surrogate', id: 'user\ud800' },
    { what: 'that is a number', id: 17 },
    { what: 'that is an object', id: { id: 'user' } },
    { what: 'that is empty', id: '' },
    { what: 'of another Stripe customer', id: 'cus_other' },
  ]),
)('an id $what in metadata loses no sale', async ({ id }) => {
  const shop = await openShop(database)
  const metadata = { customerExternalId: id, tributary_click: id }
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import(),
      invoice: () =>
        buyer.invoice({
          at: 60,
          metadata: { ...metadata, externalId: id },
          ...paidBy(buyer.id('pi', 'in')),
        }),
      checkout: () => buyer.checkout({ at: 90, metadata, client_reference_id: id }),
      customer: () =>
        buyer.event('customer.updated', {
          id: buyer.id('cus'),
          object: 'customer',
          email: null,
          metadata,
        }),
    }),
    { sales: { in: 'maya 980', pi: 'maya 980' } },
  )
})

test('two purchases of two customers that carry the same order id by mistake earn once, and lose no customer', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => {
      const metadata = { externalId: buyer.id('order') }
      return {
        import: () => buyer.import(),
        other: () => buyer.import({ customerExternalId: buyer.id('cus', 'two') }, 'leo'),
        invoice: () => buyer.invoice({ at: 60, metadata }),
        second: () =>
          buyer.invoice({
            id: buyer.id('in', 'two'),
            at: 600,
            customer: buyer.id('cus', 'two'),
            amount_paid: 900,
            metadata,
          }),
      }
    },
    { sales: { in: 'maya 980' } },
    { same: { in_two: 'in' } },
  )
})

test('the same customer ids in two workspaces are two customers', async () => {
  const [one, two] = [await openShop(database), await openShop(database)]
  const buyer = one.buyer()
  const ids = { customerExternalId: buyer.id('user') }
  const other = two.buyer()
  await other.lead({ externalId: 'l1', ...ids, clickId: await other.click('leo') })
  await buyer.lead({ externalId: 'l1', ...ids, clickId: await buyer.click('maya') })
  const metadata = { customerExternalId: buyer.id('user') }
  await buyer.checkout({ at: 60, metadata })
  await other.checkout({
    at: 60,
    customer: buyer.id('cus'),
    payment_intent: other.id('pi'),
    metadata,
  })
  expect((await endOf(one, buyer)).sales).toEqual({ pi: 'maya 980' })
  expect((await endOf(two, other)).sales).toEqual({ pi: 'leo 980' })
})

test('a rejected commission stays reversed when its refund fails or its invoice is received again', async () => {
  const shop = await openShop(database)
  const { merchant, manager } = shop
  const buyer = shop.buyer()
  const clickId = await buyer.click()
  await buyer.sale({ clickId })
  await buyer.checkout({ at: 60, client_reference_id: clickId })
  const { body } = await merchant.get('/commissions')
  const held = (body.data as { id: string; hold: object | null }[]).filter(({ hold }) => hold)
  expect(held).toHaveLength(1)
  expect((await manager.post(`/commissions/${held[0]?.id}/reject`, {})).status).toBe(200)
  const given = { id: buyer.id('re'), payment_intent: buyer.id('pi'), amount: 490 }
  await buyer.event('refund.created', refund({ ...given, status: 'pending' }), 90)
  await buyer.event('refund.failed', refund({ ...given, status: 'failed' }), 120)
  await buyer.checkout({ at: 60, client_reference_id: clickId })
  expect((await endOf(shop, buyer)).sales).toEqual({ order: 'maya 980', pi: 'maya 0' })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
