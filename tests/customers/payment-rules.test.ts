// @module-tag sampled
/**
 * Which payment of a customer a sale is depends on all that is known of the customer: the order in
 * which it became known changes nothing. docs/rewards.md, "Conditions".
 */
import { expect, test } from 'vitest'
import type { Condition } from '../../lib/rules/rewards/conditions.ts'
import { type Buyer, endOf, inEveryOrder, ofSubscription, openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { paying, setRules } from '../support/reward-rules.ts'
import { basilLine, pageOf } from '../support/stripe-lines.ts'
import { everyNth, timesOver } from '../support/thorough.ts'

const database = useDatabase()
const HOUR = 3_600
const DAY = 24 * HOUR

/** A shop whose program pays 50% of the first payment, and 10% of all others. */
const openRuled = async (of: 'customer' | 'subscription' = 'customer') => {
  const shop = await openShop(database)
  await setRules(database, shop.merchant.programId, [
    paying(50, { fact: 'payment', of, atMost: 1 }),
  ])
  return shop
}

const iso = ({ start }: { start: number }, at: number) =>
  new Date((start + at) * 1_000).toISOString()

test('the first invoice of a customer pays as the first payment, in whatever order they come', async () => {
  const shop = await openRuled()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      const bill = (name: string, at: number) => () =>
        buyer.invoice({ id: buyer.id('in', name), at, ...ofSubscription(buyer.id('sub')) })
      return {
        lead: () => buyer.lead({ clickId, customerExternalId: buyer.id('cus') }),
        first: bill('first', 1 * HOUR),
        second: bill('second', 2 * HOUR),
        third: bill('third', 3 * HOUR),
      }
    },
    { sales: { in_first: 'maya 2450', in_second: 'maya 490', in_third: 'maya 490' } },
  )
})

test('each subscription of a customer has a first payment of its own', async () => {
  const shop = await openRuled('subscription')
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      const bill = (name: string, subscription: string, at: number) => () =>
        buyer.invoice({ id: buyer.id('in', name), at, ...ofSubscription(buyer.id(subscription)) })
      return {
        lead: () => buyer.lead({ clickId, customerExternalId: buyer.id('cus') }),
        a1: bill('a1', 'sub_a', 1 * HOUR),
        b1: bill('b1', 'sub_b', 2 * HOUR),
        a2: bill('a2', 'sub_a', 3 * HOUR),
        // Of no subscription, so the rule does not apply.
        once: () => buyer.checkout({ at: 4 * HOUR }),
      }
    },
    { sales: { in_a1: 'maya 2450', in_b1: 'maya 2450', in_a2: 'maya 490', pi: 'maya 490' } },
  )
})

/** A checkout of a Stripe customer of the buyer, by a click. */
const pay = (
  buyer: Buyer,
  name: string,
  at: number,
  clickId: string | null,
  customer: string | null = 'cus',
) =>
  buyer.checkout({
    ...{ id: buyer.id('cs_test', name), payment_intent: buyer.id('pi', name), at },
    ...{ client_reference_id: clickId, customer: customer && buyer.id(customer) },
  })

test('two customers with a first payment each have one when they turn out to be one', async () => {
  const shop = await openRuled()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [maya, leo] = [await buyer.click('maya', 2), await buyer.click('leo', 2)]
      const tie = (name: string) =>
        buyer.event('customer.updated', {
          ...{ id: buyer.id(name), object: 'customer', email: null },
          metadata: { customerExternalId: buyer.id('user') },
        })
      return {
        first: () => pay(buyer, 'first', HOUR, maya, 'cus_a'),
        second: () => pay(buyer, 'second', 2 * HOUR, leo, 'cus_b'),
        tieFirst: () => tie('cus_a'),
        tieSecond: () => tie('cus_b'),
      }
    },
    { sales: { pi_first: 'maya 2450', pi_second: 'leo 490' }, customers: 1 },
  )
})

test('a payment that nobody is credited with is a payment, also once it is credited by hand', async () => {
  const shop = await openRuled()
  const { merchant, manager } = shop
  const steps = async (buyer: Buyer) => {
    const clickId = await buyer.click('maya')
    return {
      old: () => pay(buyer, 'old', -2 * HOUR, null),
      new: () => pay(buyer, 'new', 2 * HOUR, clickId),
      newest: () => pay(buyer, 'newest', 3 * HOUR, clickId),
    }
  }
  const rest = { pi_new: 'maya 490', pi_newest: 'maya 490' }
  await inEveryOrder(shop, steps, { sales: { pi_old: 'nobody 0', ...rest } })
  const credit = async (buyer: Buyer) => {
    const event = await merchant.explainReport('sale', buyer.id('pi', 'old'))
    const { status } = await manager.post(`/events/${event?.id}/credit`, {
      ...{ partnerId: merchant.partnerId, reason: 'Referred by phone', customer: false },
    })
    expect(status).toBe(200)
  }
  await inEveryOrder(shop, steps, { sales: { pi_old: 'maya 2450', ...rest } }, { last: credit })
})

test('a guest’s payments are counted by the address', async () => {
  const shop = await openRuled()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      return {
        first: () => pay(buyer, 'first', HOUR, clickId, null),
        second: () => pay(buyer, 'second', 2 * HOUR, clickId, null),
        third: () => pay(buyer, 'third', 3 * HOUR, clickId, null),
      }
    },
    { sales: { pi_first: 'maya 2450', pi_second: 'maya 490', pi_third: 'maya 490' } },
  )
})

test('an imported customer with a start has paid before, and one without a start has not', async () => {
  const shop = await openRuled()
  for (const [startedAt, cents] of [
    [iso(shop, -30 * DAY), 490],
    [undefined, 2450],
  ] as const)
    await inEveryOrder(
      shop,
      (buyer) => ({
        import: () => buyer.import({ ...(startedAt && { startedAt }) }),
        first: () => pay(buyer, 'first', HOUR, null),
        second: () => pay(buyer, 'second', 2 * HOUR, null),
      }),
      { sales: { pi_first: `maya ${cents}`, pi_second: 'maya 490' } },
    )
})

test('a payment of which nothing is paid after all is none', async () => {
  const shop = await openRuled()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      return {
        report: () =>
          buyer.sale({ externalId: buyer.id('in'), clickId, customerExternalId: buyer.id('cus') }),
        unpaid: () => buyer.invoice({ at: HOUR, amount_paid: 0, total: 0 }),
        second: () => pay(buyer, 'second', 2 * HOUR, clickId),
        third: () => pay(buyer, 'third', 3 * HOUR, clickId),
      }
    },
    { sales: { in: 'maya 0', pi_second: 'maya 2450', pi_third: 'maya 490' } },
  )
})

test('a payment whose amount is corrected stays the first, and earns of what was paid', async () => {
  const shop = await openRuled()
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      return {
        report: () =>
          buyer.sale({
            ...{ externalId: buyer.id('in'), customerExternalId: buyer.id('cus'), clickId },
            amountCents: 10_000,
          }),
        // Less than the second, which is no possible duplicate.
        invoice: () => buyer.invoice({ at: HOUR, amount_paid: 3_000, total: 3_000 }),
        second: () => pay(buyer, 'second', 2 * HOUR, clickId),
      }
    },
    { sales: { in: 'maya 1500', pi_second: 'maya 490' } },
  )
})

test('where Stripe reports the sales, a report of the same payment under another id is none', async () => {
  const shop = await openRuled()
  const { id } = shop.merchant.workspace
  await database.query(`update workspaces set sales_from = 'stripe' where id = $1`, [id])
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya')
      return {
        lead: () => buyer.lead({ clickId, customerExternalId: buyer.id('cus') }),
        report: () => buyer.sale({ customerExternalId: buyer.id('cus') }),
        first: () => pay(buyer, 'first', HOUR, null),
        second: () => pay(buyer, 'second', 2 * HOUR, null),
      }
    },
    { sales: { order: 'nobody 0', pi_first: 'maya 2450', pi_second: 'maya 490' } },
  )
  expect(await database.differences(id)).toEqual([])
})

test('a dated report that comes late takes its place among the payments, credited or not', async () => {
  const shop = await openRuled()
  for (const isCredited of [true, false])
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 48)
        const report = (name: string, hoursAgo: number, by: string | null) => () =>
          buyer.sale({
            ...{ externalId: buyer.id('order', name), amountCents: 10_000, clickId: by },
            occurredAt: iso(shop, -hoursAgo * HOUR),
          })
        return {
          first: report('first', 20, isCredited ? clickId : null),
          second: report('second', 10, clickId),
          third: report('third', 5, clickId),
        }
      },
      {
        sales: {
          order_first: isCredited ? 'maya 5000' : 'nobody 0',
          order_second: 'maya 1000',
          order_third: 'maya 1000',
        },
      },
    )
})

test('of two payments at once one is the first', async () => {
  const shop = await openRuled()
  const rounds = timesOver({ quick: 2, thorough: 5, exhaustive: 20 })
  for (let round = 0; round < rounds; round++) {
    const buyer = shop.buyer()
    const clickId = await buyer.click('maya')
    await Promise.all([
      pay(buyer, 'a', HOUR, clickId),
      pay(buyer, 'b', HOUR, clickId),
      pay(buyer, 'c', 2 * HOUR, clickId),
    ])
    expect(await endOf(shop, buyer)).toMatchObject({
      sales: { pi_a: 'maya 2450', pi_b: 'maya 490', pi_c: 'maya 490' },
    })
  }
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

const FACTS: { case: string; condition: Condition; report?: object }[] = [
  {
    case: 'the metadata of the report',
    condition: { fact: 'metadata', key: 'plan', in: ['pro'] },
    report: { metadata: { plan: 'pro' } },
  },
  { case: 'the link', condition: { fact: 'link', in: ['maya'] } },
  { case: 'the channel', condition: { fact: 'sub', in: ['newsletter'] } },
  {
    case: 'the coupon of the report, which its click precedes',
    condition: { fact: 'coupon', in: ['LEO'] },
    report: { couponCode: 'LEO' },
  },
]
test.each(everyNth(2, FACTS))(
  'a sale that Stripe and the merchant report is decided by $case, whichever is first',
  async ({ condition, report }) => {
    const shop = await openShop(database)
    await setRules(database, shop.merchant.programId, [paying(30, condition)])
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya', 5)
        await database.query(
          `update clicks set sub = 'newsletter', slug_key = 'maya' where id = $1`,
          [clickId],
        )
        return {
          report: () =>
            buyer.sale({
              ...{ externalId: buyer.id('in'), customerExternalId: buyer.id('cus'), clickId },
              ...report,
            }),
          invoice: () => buyer.invoice({ at: 60 }),
          // A note that decides nothing, and has it recomputed.
          lead: () => buyer.lead({ clickId, customerExternalId: buyer.id('cus') }),
        }
      },
      { sales: { in: 'maya 1470' } },
    )
  },
)

test('a sale whose customer is erased keeps the rule that decided it, and is replayed by it', async () => {
  const shop = await openShop(database)
  const { merchant, manager } = shop
  await setRules(database, merchant.programId, [
    paying(30, { fact: 'metadata', key: 'plan', in: ['pro'] }),
  ])
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya', 5)
  await buyer.sale({
    ...{ externalId: buyer.id('in'), customerExternalId: buyer.id('cus'), clickId },
    metadata: { plan: 'pro' },
  })
  await buyer.invoice({ at: 60 })
  expect((await endOf(shop, buyer)).sales).toEqual({ in: 'maya 1470' })
  const [customer] = await database.query<{ id: string }>(
    'select customer_id as id from events where external_id = $1',
    [buyer.id('in')],
  )
  expect((await manager.post(`/customers/${customer?.id}/erase`)).status).toBe(200)
  await buyer.invoice({ id: buyer.id('in', 'earlier'), at: -HOUR })
  expect((await endOf(shop, buyer)).sales).toEqual({ in: 'maya 1470', in_earlier: 'nobody 0' })
  const { body } = await manager.post(`/programs/${merchant.programId}/what-if`, {
    attribution: 'first',
  })
  expect(body).toMatchObject({ currencies: [{ currentCents: 1_470, changedCents: 1_470 }] })
})

test('a sale whose customer is erased is decided by the products that Stripe names after that', async () => {
  const shop = await openShop(database)
  const { merchant, manager } = shop
  await setRules(database, merchant.programId, [paying(50, { fact: 'product', in: ['prod_a'] })])
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya', 5)
  await buyer.sale({ externalId: buyer.id('in'), customerExternalId: buyer.id('cus'), clickId })
  expect((await endOf(shop, buyer)).sales).toEqual({ in: 'maya 490' })
  const event = await merchant.explainReport('sale', buyer.id('in'))
  expect((await manager.post(`/customers/${event?.customer?.id}/erase`)).status).toBe(200)
  await buyer.invoice({ at: 60, lines: pageOf([basilLine('a')]) })
  expect((await endOf(shop, buyer)).sales).toEqual({ in: 'maya 2450' })
  expect(await database.differences(merchant.workspace.id)).toEqual([])
})

test('an erasure keeps the channel of a click that another customer has too', async () => {
  const shop = await openShop(database)
  const { merchant, manager } = shop
  await setRules(database, merchant.programId, [paying(50, { fact: 'sub', in: ['newsletter'] })])
  const [erased, other] = [shop.buyer(), shop.buyer()]
  const clickId = await erased.click('maya', 5)
  await database.query(`update clicks set sub = 'newsletter' where id = $1`, [clickId])
  for (const buyer of [erased, other]) await buyer.sale({ clickId })
  const event = await merchant.explainReport('sale', erased.id('order'))
  expect((await manager.post(`/customers/${event?.customer?.id}/erase`)).status).toBe(200)
  // An earlier sale, so that what follows it is decided again.
  for (const buyer of [erased, other]) {
    await buyer.sale({ externalId: buyer.id('earlier'), occurredAt: iso(shop, -6 * HOUR) })
    expect((await endOf(shop, buyer)).sales).toEqual({
      order: 'maya 2450',
      earlier: 'nobody 0',
    })
  }
})

test('a payment counts as one again once a manager has rejected its duplicate', async () => {
  const shop = await openRuled()
  const { merchant, manager } = shop
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya', 5)
  await buyer.sale({ clickId, customerExternalId: buyer.id('cus') })
  await pay(buyer, 'same', -1, clickId)
  expect((await endOf(shop, buyer)).sales).toEqual({
    order: 'maya 490',
    pi_same: 'maya 2450 of which 2450 held',
  })
  const [held] = await database.query<{ id: string }>(
    'select commission_id as id from commission_holds where workspace_id = $1 and resolved_at is null',
    [merchant.workspace.id],
  )
  expect((await manager.post(`/commissions/${held?.id}/reject`)).status).toBe(200)
  await pay(buyer, 'next', HOUR, clickId)
  expect((await endOf(shop, buyer)).sales).toEqual({
    order: 'maya 2450',
    pi_same: 'maya 0',
    pi_next: 'maya 490',
  })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
  expect(await database.differences(merchant.workspace.id)).toEqual([])
})
