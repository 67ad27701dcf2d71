/**
 * What was paid for shipping, and what was not paid in money, counts only if the program says so.
 */
import { expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../../support/merchant.ts'
import {
  checkoutSession,
  creditNote,
  invoice,
  refund,
  type StripeObject,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'

const database = useDatabase()

const openShop = async (
  program: NonNullable<Parameters<typeof createMerchant>[0]>['program'] = {},
) => {
  const merchant = await createMerchant({ program })
  const stripe = await useStripe(merchant)
  return {
    metadata: { tributary_click: await merchant.click() },
    deliver: async (type: string, object: StripeObject) => {
      expect((await stripe.deliver(stripeEvent(type, object))).status).toBe(200)
    },
    whatIf: async (terms: object) => {
      const manager = await merchant.asManager()
      const { body } = await manager.post(`/programs/${merchant.programId}/what-if`, terms)
      return body.currencies as unknown
    },
    sales: () =>
      database.query(
        `select e.amount_cents::int as amount,
                (select sum(c.amount_cents)::int from commissions c where c.event_id = e.id) as earned
         from events e where e.workspace_id = $1`,
        [merchant.workspace.id],
      ),
  }
}

const MARKED = { amount_paid: 0, amount_paid_off_stripe: 4_900 }
const FROM_BALANCE = { amount_paid: 0, starting_balance: -4_900, ending_balance: 0 }
const HALF = { amount_paid: 2_450 }

test.each([
  { case: 'is marked as paid outside of Stripe', fields: MARKED, sales: [] },
  { case: 'is marked so in an older version', fields: { paid_out_of_band: true }, sales: [] },
  { case: 'is paid from the customer’s balance', fields: FROM_BALANCE, sales: [] },
  { case: 'is half paid from it', fields: HALF, sales: [{ amount: 2_450, earned: 490 }] },
])('an invoice that $case earns only what was paid in money', async ({ fields, sales }) => {
  const shop = await openShop()
  await shop.deliver('invoice.paid', invoice({ metadata: shop.metadata, ...fields }))
  expect(await shop.sales()).toEqual(sales)
})

test.each([MARKED, { paid_out_of_band: true }, FROM_BALANCE, HALF])(
  'earns in full where the program credits what was not paid in money: %o',
  async (fields) => {
    const shop = await openShop({ credit_out_of_band: true })
    const paid = invoice({ metadata: shop.metadata, ...fields })
    await shop.deliver('invoice.paid', paid)
    expect(await shop.sales()).toEqual([{ amount: 4_900, earned: 980 }])
    await shop.deliver('credit_note.created', creditNote({ invoice: paid.id, amount: 2_450 }))
    expect(await shop.sales()).toEqual([{ amount: 4_900, earned: 490 }])
  },
)

const SHIPPED = {
  total: 5_950,
  amount_paid: 5_950,
  total_excluding_tax: 5_000,
  shipping_cost: { amount_subtotal: 1_000, amount_tax: 190, amount_total: 1_190 },
}

test.each([
  { rewards: false, sale: { amount: 4_000, earned: 800 }, half: { amount: 4_000, earned: 400 } },
  { rewards: true, sale: { amount: 5_000, earned: 1_000 }, half: { amount: 5_000, earned: 500 } },
])(
  'shipping earns where the program rewards it ($rewards), and is refunded in proportion',
  async (given) => {
    const shop = await openShop({ reward_shipping: given.rewards })
    const payment = stripeId('pi')
    const payments = { data: [{ payment: { payment_intent: payment } }] }
    await shop.deliver('invoice.paid', invoice({ metadata: shop.metadata, payments, ...SHIPPED }))
    expect(await shop.sales()).toEqual([given.sale])
    await shop.deliver('refund.created', refund({ payment_intent: payment, amount: 2_975 }))
    expect(await shop.sales()).toEqual([given.half])
  },
)

test.each([
  { rewards: false, would: { currentCents: 800, changedCents: 1_000 } },
  { rewards: true, would: { currentCents: 1_000, changedCents: 800 } },
])(
  'a what-if shows what shipping would earn, or would have (now: $rewards)',
  async ({ rewards, would }) => {
    const shop = await openShop({ reward_shipping: rewards })
    await shop.deliver('invoice.paid', invoice({ metadata: shop.metadata, ...SHIPPED }))
    expect(await shop.whatIf({ rewardShipping: !rewards })).toMatchObject([would])
  },
)

test('a what-if shows what was paid otherwise beside a payment', async () => {
  const shop = await openShop()
  await shop.deliver('invoice.paid', invoice({ metadata: shop.metadata, ...HALF }))
  expect(await shop.whatIf({ creditOutOfBand: true })).toMatchObject([
    { currentCents: 490, changedCents: 980 },
  ])
  expect(await shop.sales()).toEqual([{ amount: 2_450, earned: 490 }])
})

test('shipping of a checkout without an invoice is left out', async () => {
  const shop = await openShop()
  const session = checkoutSession({
    client_reference_id: shop.metadata.tributary_click,
    total_details: { amount_discount: 0, amount_shipping: 900, amount_tax: 0 },
  })
  await shop.deliver('checkout.session.completed', session)
  expect(await shop.sales()).toEqual([{ amount: 4_000, earned: 800 }])
})
