/**
 * Coupons without Checkout: a subscription made with discounts reports only its invoices. Spec 4.5.
 */
import { expect, test } from 'vitest'
import { codes, useDatabase } from '../../support/merchant.ts'
import { invoice, oldInvoice, type StripeObject, seconds, stripeId } from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'

const database = useDatabase()

const openShop = async () => {
  const shop = await openStripeShop(database)
  const { seed, workspace, programId } = shop.merchant
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  await seed.addCoupon(workspace.id, leo, 'LEO10')
  return shop
}

const ids = () => ({
  customer: stripeId('cus'),
  subscription: stripeId('sub'),
  discount: stripeId('di'),
})

const discountOf = (
  { customer, subscription, discount }: ReturnType<typeof ids>,
  fields: StripeObject = {},
) => ({
  id: discount,
  object: 'discount',
  customer,
  subscription,
  source: { coupon: 'LEO10', type: 'coupon' },
  promotion_code: null,
  start: seconds() - 60,
  end: null,
  ...fields,
})

test.each([
  { case: 'before', order: ['discount', 'invoice'] },
  { case: 'after', order: ['invoice', 'discount'] },
])(
  'a coupon of a subscription credits its partner, reported $case the invoice',
  async ({ order }) => {
    const { merchant, deliver, sales } = await openShop()
    const names = ids()
    const paid = invoice({
      customer: names.customer,
      billing_reason: 'subscription_create',
      discounts: [names.discount],
      parent: { subscription_details: { subscription: names.subscription, metadata: {} } },
    })
    for (const step of order) {
      if (step === 'invoice') await deliver('invoice.paid', paid)
      else await deliver('customer.discount.created', discountOf(names))
    }
    expect(await sales()).toEqual([
      { external_id: paid.id, slug: 'leo', attributed_by: 'coupon', earned: 980 },
    ])
    expect(codes(await merchant.explainReport('sale', String(paid.id)))).toEqual([
      'coupon',
      'program_reward',
      'commission_created',
    ])
  },
)

test.each([
  {
    case: 'in the invoice, as before 2025-03-31',
    object: () =>
      oldInvoice({ discount: { id: 'di_1', coupon: { id: 'LEO10' }, start: 1, end: null } }),
  },
  {
    case: 'expanded',
    object: () =>
      invoice({ discounts: [{ id: 'di_1', source: { coupon: 'LEO10' }, start: 1, end: null }] }),
  },
])('a coupon that is named $case credits its partner', async ({ object }) => {
  const { deliver, sales } = await openShop()
  await deliver('invoice.paid', object())
  expect(await sales()).toMatchObject([{ slug: 'leo', attributed_by: 'coupon', earned: 980 }])
})

test('a discount that was copied to the invoice under another id counts by its subscription', async () => {
  const { deliver, sales } = await openShop()
  const names = ids()
  await deliver('customer.discount.created', discountOf(names))
  await deliver(
    'invoice.paid',
    invoice({
      customer: names.customer,
      discounts: [stripeId('di')],
      parent: { subscription_details: { subscription: names.subscription } },
    }),
  )
  expect(await sales()).toMatchObject([{ slug: 'leo', earned: 980 }])
})

test.each([
  {
    case: 'before the invoice, whose discount nothing else names',
    order: ['created', 'deleted', 'invoice'],
    earned: null,
  },
  { case: 'after it', order: ['created', 'invoice', 'deleted'], earned: 0 },
  {
    case: 'before it is known to have begun',
    order: ['deleted', 'created', 'invoice'],
    earned: null,
  },
])(
  'a discount that has ended credited a later invoice by its beginning: its end is received $case',
  async ({ order, earned }) => {
    const { deliver, sales } = await openShop()
    const names = ids()
    const paid = invoice({
      customer: names.customer,
      discounts: [stripeId('di')],
      parent: { subscription_details: { subscription: names.subscription } },
    })
    for (const step of order) {
      if (step === 'invoice') await deliver('invoice.paid', paid)
      else if (step === 'created') await deliver('customer.discount.created', discountOf(names))
      else await deliver('customer.discount.deleted', discountOf(names, { end: seconds() - 30 }))
    }
    expect(await sales()).toMatchObject([{ slug: null, earned }])
  },
)

test('a customer’s discount that each update repeats credits its invoice once, and only for a new discount looks again', async () => {
  const { deliver, sales } = await openShop()
  const names = ids()
  const paid = invoice({ customer: names.customer, discounts: [names.discount] })
  await deliver('invoice.paid', paid)
  const update = () =>
    deliver('customer.updated', {
      id: names.customer,
      discount: discountOf(names, { subscription: null }),
    })
  for (let round = 0; round < 3; round++) await update()
  expect(await sales()).toMatchObject([{ slug: 'leo', earned: 980 }])
})

test.each([
  { case: 'an invoice without a discount', fields: { discounts: [] } },
  { case: 'the invoice of another customer', fields: { customer: stripeId('cus') } },
  {
    case: 'the invoice of another subscription, made with another discount',
    fields: {
      parent: { subscription_details: { subscription: 'sub_other' } },
      discounts: ['di_other'],
    },
  },
])('a coupon of a subscription does not credit $case', async ({ fields }) => {
  const { deliver, sales } = await openShop()
  const names = ids()
  await deliver('customer.discount.created', discountOf(names))
  await deliver(
    'invoice.paid',
    invoice({
      customer: names.customer,
      discounts: [names.discount],
      parent: { subscription_details: { subscription: names.subscription } },
      ...fields,
    }),
  )
  expect(await sales()).toMatchObject([{ slug: null, earned: null }])
})
