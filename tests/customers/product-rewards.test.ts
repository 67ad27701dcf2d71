// @module-tag sampled
/**
 * A one-time reward per product is earned by the first sale of each product, in whatever order the
 * sales become known. docs/rewards.md, "Once per product".
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { continueReplans } from '../../lib/purchases/apply/late.service.ts'
import { type Buyer, endOf, inEveryOrder, openShop, type Shop } from '../support/buyers.ts'
import { codes, useDatabase } from '../support/merchant.ts'
import { basilLine, pageOf } from '../support/stripe-lines.ts'

const database = useDatabase()
const HOUR = 3_600

const PER_PRODUCT = { reward_interval: 'one-time', one_time_per: 'product' } as const

const openPerProduct = (second = {}) => openShop(database, { program: PER_PRODUCT }, second)

const at = ({ start }: Shop, seconds: number) => new Date((start + seconds) * 1_000).toISOString()

/** Lines of 10.00 each, of which 20% are earned. */
const lines = (...products: string[]) =>
  products.map((productId) => ({ productId, amountCents: 1_000 }))

/** A dated sale of products; without any, it has no lines. */
const sell = (
  shop: Shop,
  buyer: Buyer,
  name: string,
  seconds: number,
  products: string[],
  more: Record<string, unknown> = {},
) =>
  buyer.sale({
    ...{ externalId: buyer.id('order', name), occurredAt: at(shop, seconds) },
    amountCents: 1_000 * Math.max(products.length, 1),
    ...(products.length > 0 && { lines: lines(...products) }),
    ...more,
  })

const noViolations = async ({ merchant }: Shop) =>
  expect(await database.violations(merchant.workspace.id)).toEqual([])

test('each product earns by its first sale: two in one, one again, one new, and one without lines', async () => {
  const shop = await openPerProduct()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 24)
      const by = { clickId }
      return {
        both: () => sell(shop, buyer, 'both', -5 * HOUR, ['mug', 'pen'], by),
        again: () => sell(shop, buyer, 'again', -4 * HOUR, ['pen', 'cap', 'cap'], by),
        none: () => sell(shop, buyer, 'none', -3 * HOUR, [], by),
        nothing: () => sell(shop, buyer, 'nothing', -2 * HOUR, [], by),
        last: () => sell(shop, buyer, 'last', -HOUR, ['mug', 'pen', 'cap'], by),
      }
    },
    {
      sales: {
        order_both: 'maya 400',
        // Twice the same product in one sale: both lines earn.
        order_again: 'maya 400',
        // A line without a product is a product of its own.
        order_none: 'maya 200',
        order_nothing: 'maya 0',
        order_last: 'maya 0',
      },
    },
  )
  await noViolations(shop)
})

test('a refunded sale has used up the reward of its product, and a rejected one has not', async () => {
  const shop = await openPerProduct()
  const { manager } = shop
  for (const isRejected of [false, true]) {
    const buyer = shop.buyer()
    const clickId = await buyer.click('maya')
    await buyer.sale({ ...{ amountCents: 1_000, clickId }, lines: lines('mug') })
    const first = await shop.merchant.explainReport('sale', buyer.id('order'))
    if (isRejected) {
      const id = first?.commission?.id
      await manager.post(`/commissions/${id}/hold`, { note: 'Somebody else' })
      expect((await manager.post(`/commissions/${id}/reject`)).status).toBe(200)
    } else await buyer.refund({ amountCents: 1_000 })
    await buyer.sale({
      ...{ externalId: buyer.id('order', 'next'), amountCents: 1_000, clickId },
      lines: lines('mug'),
    })
    expect((await endOf(shop, buyer)).sales).toEqual({
      order: 'maya 0',
      order_next: isRejected ? 'maya 200' : 'maya 0',
    })
  }
  await noViolations(shop)
})

test('a sale is rejected after the next one of its product, which earns the reward then', async () => {
  const shop = await openPerProduct()
  const { manager, merchant } = shop
  const buyer = shop.buyer()
  const by = { clickId: await buyer.click('maya', 24) }
  await sell(shop, buyer, 'a', -3 * HOUR, ['mug', 'pen'], by)
  await sell(shop, buyer, 'b', -2 * HOUR, ['mug', 'cap'], by)
  const id = (await merchant.explainReport('sale', buyer.id('order', 'a')))?.commission?.id
  await manager.post(`/commissions/${id}/hold`, { note: 'Somebody else' })
  await manager.post(`/commissions/${id}/reject`)
  await continueReplans(() => connect(inject('database')), new Date())
  expect((await endOf(shop, buyer)).sales).toEqual({ order_a: 'maya 0', order_b: 'maya 400' })
  await noViolations(shop)
})

test('two programs reward each product once, each for itself', async () => {
  const shop = await openPerProduct(PER_PRODUCT)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, nora] = [await buyer.click('maya', 24), await buyer.click('nora', 24)]
      return {
        a: () => sell(shop, buyer, 'a', -4 * HOUR, ['mug'], { clickId: maya }),
        b: () => sell(shop, buyer, 'b', -3 * HOUR, ['mug', 'pen'], { clickId: nora }),
        c: () => sell(shop, buyer, 'c', -2 * HOUR, ['mug', 'pen'], { clickId: maya }),
      }
    },
    { sales: { order_a: 'maya 200', order_b: 'nora 400', order_c: 'maya 200' } },
  )
  await noViolations(shop)
})

test('partners of one program share the reward of a product', async () => {
  const shop = await openPerProduct()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, leo] = [await buyer.click('maya', 24), await buyer.click('leo', 24)]
      return {
        a: () => sell(shop, buyer, 'a', -4 * HOUR, ['mug'], { clickId: maya }),
        b: () => sell(shop, buyer, 'b', -3 * HOUR, ['mug', 'pen'], { clickId: leo }),
      }
    },
    { sales: { order_a: 'maya 200', order_b: 'leo 200' } },
  )
})

test('invoices of Stripe, with a report of one of them, reward each product once', async () => {
  const shop = await openPerProduct()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 24)
      const bill = (name: string, seconds: number, products: string[]) => () =>
        buyer.invoice({
          ...{ id: buyer.id('in', name), at: seconds },
          lines: pageOf(products.map((product) => basilLine(product, { amount: 1_000 }))),
          ...Object.fromEntries(
            ['amount_due', 'amount_paid', 'subtotal', 'total'].map((field) => [
              field,
              1_000 * products.length,
            ]),
          ),
        })
      return {
        lead: () => buyer.lead({ clickId, customerExternalId: buyer.id('cus') }),
        first: bill('first', HOUR, ['mug', 'pen']),
        second: bill('second', 2 * HOUR, ['pen', 'cap', 'bag']),
        report: () =>
          sell(shop, buyer, '', -HOUR, ['prod_cap', 'hat', 'sock', 'shoe'], {
            ...{ externalId: buyer.id('order'), customerExternalId: buyer.id('cus'), clickId },
          }),
      }
    },
    { sales: { order: 'maya 800', in_first: 'maya 400', in_second: 'maya 200' } },
  )
  await noViolations(shop)
  expect(await database.differences(shop.merchant.workspace.id)).toEqual([])
})

test('customers who turn out to be one have earned each product once', async () => {
  const shop = await openPerProduct()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 24)
      const tie = (name: string) =>
        buyer.event('customer.updated', {
          ...{ id: buyer.id(name), object: 'customer', email: null },
          metadata: { customerExternalId: buyer.id('user') },
        })
      const as = (name: string) => ({ customerExternalId: buyer.id(name), clickId })
      return {
        first: () => sell(shop, buyer, 'first', -4 * HOUR, ['mug', 'pen'], as('cus_a')),
        second: () => sell(shop, buyer, 'second', -3 * HOUR, ['pen', 'cap'], as('cus_b')),
        tieFirst: () => tie('cus_a'),
        tieSecond: () => tie('cus_b'),
      }
    },
    { sales: { order_first: 'maya 400', order_second: 'maya 200' }, customers: 1 },
  )
  await noViolations(shop)
})

test('what-if compares the reward per customer and per product', async () => {
  const shop = await openPerProduct()
  const buyer = shop.buyer()
  const by = { clickId: await buyer.click('maya', 24) }
  await sell(shop, buyer, 'a', -4 * HOUR, ['mug'], by)
  await sell(shop, buyer, 'b', -3 * HOUR, ['mug', 'pen'], by)
  await sell(shop, buyer, 'c', -2 * HOUR, [], by)
  const { merchant, manager } = shop
  const { status, body } = await manager.post(`/programs/${merchant.programId}/what-if`, {
    oneTimePer: 'customer',
  })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { currencies: [{ currency: 'USD', currentCents: 600, changedCents: 200 }] },
  })
})

test('terms that reward each product once count the products that were rewarded before', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  const { merchant, manager } = shop
  const buyer = shop.buyer()
  const by = { clickId: await buyer.click('maya') }
  const sale = (name: string, ...products: string[]) =>
    buyer.sale({
      ...{ externalId: buyer.id('order', name), amountCents: 1_000 * products.length, ...by },
      lines: lines(...products),
    })
  const change = async (oneTimePer: string) =>
    expect(
      (await manager.patch(`/programs/${merchant.programId}`, { oneTimePer })).body,
    ).toMatchObject({ oneTimePer })
  await sale('a', 'mug', 'pen')
  await sale('b', 'cap')
  await change('product')
  await sale('c', 'mug', 'cap')
  await change('customer')
  await sale('d', 'hat')
  expect((await endOf(shop, buyer)).sales).toEqual({
    ...{ order_a: 'maya 400', order_b: 'maya 0', order_c: 'maya 200', order_d: 'maya 0' },
  })
  await noViolations(shop)
})

test('an imported start uses up the rewards of all products', async () => {
  const shop = await openPerProduct()
  const buyer = shop.buyer()
  await buyer.import({
    customerExternalId: buyer.id('user'),
    startedAt: at(shop, -48 * HOUR),
  })
  const clickId = await buyer.click('maya')
  await buyer.sale({ ...{ amountCents: 1_000, clickId }, lines: lines('mug') })
  expect((await endOf(shop, buyer)).sales).toEqual({ order: 'maya 0' })
  const event = await shop.merchant.explainReport('sale', buyer.id('order'))
  expect(codes(event)).toContain('one_time_already_rewarded')
})

test('concurrent sales of one product earn its reward once', async () => {
  const shop = await openPerProduct()
  for (const isKnown of [true, false]) {
    const buyer = shop.buyer()
    const clickId = await buyer.click('maya')
    if (isKnown) await buyer.lead({ clickId })
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        buyer.sale({
          ...{ externalId: buyer.id('order', `n${n}`), amountCents: 2_000, clickId },
          lines: lines('mug', `own ${n}`),
        }),
      ),
    )
    const ends = Object.values((await endOf(shop, buyer)).sales).sort()
    expect(ends).toEqual([...Array(7).fill('maya 200'), 'maya 400'])
  }
  await noViolations(shop)
})

test('sales of one product in a batch earn its reward once', async () => {
  const shop = await openPerProduct()
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya')
  const { body } = await shop.merchant.post('/api/track/batch', {
    events: Array.from({ length: 5 }, (_, n) => ({
      ...{ kind: 'sale', externalId: buyer.id('order', `n${n}`), amountCents: 2_000, clickId },
      ...{ customerExternalId: buyer.id('user'), lines: lines('mug', `own ${n}`) },
    })),
  })
  expect(body.results).toHaveLength(5)
  const ends = Object.values((await endOf(shop, buyer)).sales).sort()
  expect(ends).toEqual([...Array(4).fill('maya 200'), 'maya 400'])
  await noViolations(shop)
})
