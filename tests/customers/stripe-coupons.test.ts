// @module-tag sampled
/**
 * Coupons count without Stripe's Checkout, spec 4.5; and what Stripe reports that is no sale of the
 * merchant.
 */
import { expect, test } from 'vitest'
import { type Buyer, inEveryOrder, ofSubscription, openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { oldInvoice, type StripeObject, stripeEvent, useStripe } from '../support/stripe.ts'

const database = useDatabase()

const HOUR = 3_600

/** A discount of a subscription, as it is in each version of Stripe's API. */
const discount = (buyer: Buyer, fields: StripeObject): StripeObject => ({
  id: buyer.id('di'),
  object: 'discount',
  checkout_session: null,
  customer: buyer.id('cus'),
  invoice: null,
  invoice_item: null,
  promotion_code: null,
  start: 1_700_000_000,
  end: null,
  subscription: buyer.id('sub'),
  ...fields,
})

test.each<{ version: string; fields: StripeObject }>([
  {
    version: 'before 2025-09-30, by its coupon',
    fields: { coupon: { id: 'LEO', object: 'coupon', name: 'Ten' } },
  },
  {
    version: 'since 2025-09-30, by its coupon',
    fields: { source: { type: 'coupon', coupon: 'LEO' } },
  },
  {
    version: 'by its promotion code',
    fields: { promotion_code: 'LEO', coupon: { id: 'TEN', object: 'coupon', name: 'Ten' } },
  },
])(
  'a subscription made with a partner’s discount ($version) credits the partner without Checkout',
  async ({ fields }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      (buyer) => {
        const of = (reason: string) => ({
          ...ofSubscription(buyer.id('sub'), reason),
          discounts: [buyer.id('di')],
          total_discount_amounts: [{ amount: 500, discount: buyer.id('di') }],
        })
        return {
          discount: () => buyer.event('customer.discount.created', discount(buyer, fields), 59),
          invoice: () => buyer.invoice({ at: 60, ...of('subscription_create') }),
          renewal: () =>
            buyer.invoice({ id: buyer.id('in', 'renewal'), at: HOUR, ...of('subscription_cycle') }),
        }
      },
      { sales: { in: 'leo 980', in_renewal: 'leo 980' }, customers: 1 },
    )
  },
)

test('of copies of two discounts, the one that began first credits the invoice, also if it is reported last', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => {
      const begin = (coupon: string, at: number) => () => {
        const fields = {
          id: buyer.id('di', coupon),
          coupon: { id: coupon, object: 'coupon', name: 'Ten' },
        }
        return buyer.event('customer.discount.created', discount(buyer, fields), at)
      }
      return {
        leo: begin('LEO', 58),
        nora: begin('NORA', 59),
        invoice: () =>
          buyer.invoice({
            ...{ at: 60, ...ofSubscription(buyer.id('sub'), 'subscription_create') },
            discounts: [buyer.id('di', 'copy'), buyer.id('di', 'other')],
          }),
      }
    },
    { sales: { in: 'leo 980' }, customers: 1 },
  )
})

test('an invoice of an old version with a partner’s discount in full credits the partner', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({
      invoice: () =>
        buyer.invoice(
          {
            at: 60,
            discount: discount(buyer, { coupon: { id: 'LEO' } }),
            subscription: buyer.id('sub'),
          },
          oldInvoice,
        ),
      renewal: () =>
        buyer.invoice(
          { id: buyer.id('in', 'renewal'), at: HOUR, subscription: buyer.id('sub') },
          oldInvoice,
        ),
    }),
    { sales: { in: 'leo 980', in_renewal: 'leo 980' }, customers: 1 },
  )
})

test.each([
  { customer: 'whom nobody had referred', isReferred: false, paid: 'leo 980' },
  { customer: 'of another partner', isReferred: true, paid: 'maya 980' },
])(
  'a first invoice of 0 with a partner’s coupon refers a customer $customer or leaves it: the paid one earns $paid',
  async ({ isReferred, paid }) => {
    const shop = await openShop(database, { program: { attribution: 'first' } })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const clickId = await buyer.click('maya')
        const subscription = buyer.id('sub')
        const free = { amount_paid: 0, total: 0, total_excluding_tax: 0 }
        const metadata = { customerExternalId: buyer.id('user') }
        return {
          ...(isReferred && { lead: () => buyer.lead({ clickId }) }),
          free: () =>
            buyer.invoice(
              {
                ...{ id: buyer.id('in', 'free'), at: 60, subscription, metadata, ...free },
                discount: discount(buyer, { coupon: { id: 'LEO' } }),
              },
              oldInvoice,
            ),
          paid: () => buyer.invoice({ at: HOUR, subscription }, oldInvoice),
        }
      },
      { sales: { in: paid }, customers: 1 },
    )
  },
)

test.each<{ what: string; fields: StripeObject }>([
  { what: 'only marked as paid', fields: { paid_out_of_band: true } },
  {
    what: 'paid from the customer’s balance',
    fields: { amount_paid: 0, starting_balance: -4_900, ending_balance: 0 },
  },
])('an invoice that was $what earns nothing', async ({ fields }) => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  await buyer.import()
  await buyer.invoice({ at: 60, ...fields })
  const { body } = await shop.merchant.get('/commissions')
  expect(body.data).toEqual([])
})

test('an invoice of a connected account is not the merchant’s sale', async () => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  await buyer.import()
  const stripe = await useStripe(shop.merchant)
  const paid = {
    id: buyer.id('in'),
    customer: buyer.id('cus'),
    status_transitions: { paid_at: shop.start + 60 },
  }
  const event = { ...stripeEvent('invoice.paid', oldInvoice(paid)), account: 'acct_1' }
  // An endpoint may refuse it or take note of it.
  expect([200, 400]).toContain((await stripe.deliver(event)).status)
  const { body } = await shop.merchant.get('/commissions')
  expect(body.data).toEqual([])
})
