// @module-tag sampled
/**
 * A subscription remembers who was credited with its first sale: what a renewal carries changes
 * nothing. Design section 5, "Attribution of renewals".
 */
import { expect, test } from 'vitest'
import { type Buyer, endOf, inEveryOrder, openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { oldInvoice, type StripeObject } from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600

/** An invoice of the buyer's subscription, with a coupon. */
const bill = (
  buyer: Buyer,
  name: string,
  at: number,
  reason: string,
  coupon: string | null = null,
  fields: StripeObject = {},
) => {
  const subscription = buyer.id('sub')
  const discount = coupon && {
    ...{
      id: buyer.id('di', name),
      object: 'discount',
      checkout_session: null,
      customer: buyer.id('cus'),
    },
    ...{ invoice: null, invoice_item: null, promotion_code: null, start: 1_700_000_000, end: null },
    ...{ coupon: { id: coupon, object: 'coupon', name: 'Ten' }, subscription },
  }
  const id = buyer.id('in', name)
  return buyer.invoice(
    { id, at, subscription, billing_reason: reason, discount, ...fields },
    oldInvoice,
  )
}

const [FIRST, RENEWAL, CHANGE] = [
  'subscription_create',
  'subscription_cycle',
  'subscription_update',
]

test.each(
  everyNth(2, [
    { by: 'Stripe’s id', idOf: (buyer: Buyer) => buyer.id('cus') },
    { by: 'its address', idOf: (buyer: Buyer) => buyer.address },
  ]),
)(
  'an old coupon of another partner on the renewals of a customer imported by $by changes nothing',
  async ({ idOf }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      (buyer) => ({
        import: () => buyer.import({ customerExternalId: idOf(buyer) }),
        renewal: () => bill(buyer, 'renewal', HOUR, RENEWAL, 'LEO'),
        next: () => bill(buyer, 'next', 2 * HOUR, RENEWAL, 'LEO'),
        other: () => buyer.checkout({ at: 3 * HOUR }),
      }),
      { sales: { in_renewal: 'maya 980', in_next: 'maya 980', pi: 'maya 980' } },
    )
  },
)

test.each(
  everyNth(2, [
    { case: 'a renewal', reason: RENEWAL },
    { case: 'a change of the subscription', reason: CHANGE },
  ]),
)(
  'a coupon that was typed at $case moves neither the subscription nor the customer',
  async ({ reason }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const client_reference_id = await buyer.click('maya')
        const subscription = buyer.id('sub')
        return {
          checkout: () =>
            buyer.checkout({ at: 60, subscription, invoice: buyer.id('in'), client_reference_id }),
          typed: () => bill(buyer, 'typed', HOUR, reason, 'LEO'),
          next: () => bill(buyer, 'next', 2 * HOUR, RENEWAL, 'LEO'),
          other: () => buyer.checkout({ id: buyer.id('cs_test', 'other'), at: 3 * HOUR }),
        }
      },
      {
        sales: { in: 'maya 980', in_typed: 'maya 980', in_next: 'maya 980', pi: 'maya 980' },
        customers: 1,
      },
    )
  },
)

test('a coupon that was typed at a renewal of a subscription that credited nobody credits nobody', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      first: () => bill(buyer, 'first', 60, FIRST),
      typed: () => bill(buyer, 'typed', HOUR, RENEWAL, 'LEO'),
      other: () => buyer.checkout({ at: 2 * HOUR }),
    }),
    { sales: { in_first: 'nobody 0', in_typed: 'nobody 0', pi: 'nobody 0' }, customers: 1 },
  )
})

test('the click of a report of a renewal changes nothing', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('leo')
      const report = {
        externalId: buyer.id('in', 'renewal'),
        customerExternalId: buyer.id('cus'),
        clickId,
      }
      return {
        first: () => bill(buyer, 'first', 60, FIRST, 'NORA'),
        renewal: () => bill(buyer, 'renewal', HOUR, RENEWAL),
        report: () => buyer.sale({ ...report, amountCents: 4_900 }),
        other: () => buyer.checkout({ at: 2 * HOUR }),
      }
    },
    { sales: { in_first: 'nora 980', in_renewal: 'nora 980', pi: 'nora 980' }, customers: 1 },
  )
})

test('a coupon that moves to another partner takes no renewals along', async () => {
  const shop = await openShop(database)
  const { manager, secondProgramId } = shop
  const [, nora] = await Promise.all([
    database.query('select 1'),
    database.query<{ id: string }>(
      `select id from partners where program_id = $1 and slug = 'nora'`,
      [secondProgramId],
    ),
  ])
  const buyer = shop.buyer()
  await bill(buyer, 'first', 60, FIRST, 'LEO')
  const leo = await database.query<{ id: string }>(
    `select partner_id as id from coupon_aliases where workspace_id = $1 and coupon_id = 'LEO'`,
    [shop.merchant.workspace.id],
  )
  expect((await manager.delete(`/partners/${leo[0]?.id}/coupons/LEO`)).status).toBe(204)
  expect((await manager.post(`/partners/${nora[0]?.id}/coupons`, { couponId: 'LEO' })).status).toBe(
    201,
  )
  await bill(buyer, 'renewal', HOUR, RENEWAL, 'LEO')
  await bill(buyer, 'next', 2 * HOUR, CHANGE, 'LEO')
  // Another's first invoice is the new holder's.
  const other = shop.buyer()
  await bill(other, 'first', 3 * HOUR, FIRST, 'LEO')
  expect(await endOf(shop, buyer)).toMatchObject({
    sales: { in_first: 'leo 980', in_renewal: 'leo 980', in_next: 'leo 980' },
  })
  expect(await endOf(shop, other)).toMatchObject({ sales: { in_first: 'nora 980' } })
})

test('the coupon on the first renewal that is seen of a subscription refers a customer whom nobody had', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      renewal: () => bill(buyer, 'renewal', 60, RENEWAL, 'LEO'),
      next: () => bill(buyer, 'next', HOUR, RENEWAL, 'NORA'),
      other: () => buyer.checkout({ at: 2 * HOUR }),
    }),
    { sales: { in_renewal: 'leo 980', in_next: 'leo 980', pi: 'leo 980' }, customers: 1 },
  )
})

test('the coupon on the first renewal that is seen of a subscription does not move its customer', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const clickId = await buyer.click('maya', 1)
      const lead = { externalId: buyer.id('cus'), clickId, occurredAt: new Date().toISOString() }
      return {
        lead: () => buyer.lead(lead),
        renewal: () => bill(buyer, 'renewal', HOUR, RENEWAL, 'LEO'),
        other: () => buyer.checkout({ at: 2 * HOUR }),
      }
    },
    { sales: { in_renewal: 'maya 980', pi: 'maya 980' }, customers: 1 },
  )
})

test('the first paid invoice after a free beginning goes by coupon, though it is a renewal to Stripe', async () => {
  const shop = await openShop(database)
  const free = { amount_paid: 0, total: 0, total_excluding_tax: 0 }
  await inEveryOrder(
    shop,
    (buyer) => ({
      import: () => buyer.import({}, 'maya'),
      free: () => bill(buyer, 'free', HOUR, FIRST, 'LEO', free),
      paid: () => bill(buyer, 'paid', 2 * HOUR, RENEWAL, 'LEO'),
      next: () => bill(buyer, 'next', 3 * HOUR, RENEWAL),
    }),
    { sales: { in_paid: 'leo 980', in_next: 'leo 980' }, customers: 1 },
  )
})

test('the coupon of a trial’s checkout comes before one that its first paid invoice carries', async () => {
  const shop = await openShop(database)
  const free = { amount_total: 0, payment_status: 'no_payment_required', payment_intent: null }
  await inEveryOrder(
    shop,
    (buyer) => {
      const trial = { subscription: buyer.id('sub'), discounts: [{ coupon: 'NORA' }], ...free }
      return {
        trial: () => buyer.checkout({ at: 60, ...trial }),
        paid: () => bill(buyer, 'paid', HOUR, RENEWAL, 'LEO'),
        next: () => bill(buyer, 'next', 2 * HOUR, RENEWAL, 'LEO'),
      }
    },
    { sales: { in_paid: 'nora 980', in_next: 'nora 980' }, customers: 1 },
  )
})
