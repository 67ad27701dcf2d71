// @module-tag sampled
/**
 * A sale that the merchant reports under an id of its own, and that Stripe's objects name in their
 * metadata, earns once.
 */
import { expect, test } from 'vitest'
import { useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  checkoutSession,
  invoice,
  paymentIntent,
  refund,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'
import { everyNth } from '../../support/thorough.ts'

const database = useDatabase()

const openShop = async () => {
  const { merchant, deliver, clickBefore, sales } = await openStripeShop(database)
  const ids = { invoice: stripeId('in'), payment: stripeId('pi'), customer: stripeId('cus') }
  const clickId = await clickBefore()
  const metadata = { externalId: 'order-1' }
  const paid = {
    id: ids.invoice,
    customer: ids.customer,
    total: 5_831,
    amount_paid: 5_831,
    total_excluding_tax: 4_900,
  }
  return {
    deliver,
    earned: async () => (await sales()).reduce((sum, { earned }) => sum + (earned ?? 0), 0),
    steps: {
      report: async () => {
        const body = {
          externalId: 'order-1',
          customerExternalId: 'user_1',
          amountCents: 4_900,
          clickId,
        }
        const { status, body: answer } = await merchant.sale(body)
        expect([status, answer.attributed]).toEqual([200, true])
      },
      checkout: () =>
        deliver(
          'checkout.session.completed',
          checkoutSession({
            mode: 'subscription',
            invoice: ids.invoice,
            payment_intent: null,
            customer: ids.customer,
            created: seconds() - 60,
            metadata,
          }),
        ),
      invoice: () => deliver('invoice.paid', invoice(paid)),
      'invoice that names it': () => deliver('invoice.paid', invoice({ ...paid, metadata })),
      payment: () =>
        deliver(
          'payment_intent.succeeded',
          paymentIntent({ id: ids.payment, customer: ids.customer, metadata }),
          seconds() - 20 * 60,
        ),
      refund: () =>
        deliver('refund.created', refund({ payment_intent: ids.payment, amount: 2_450 })),
    },
  }
}
type Step = keyof Awaited<ReturnType<typeof openShop>>['steps']

test.each(
  everyNth<{ steps: Step[]; earned: number }>(3, [
    { steps: ['report', 'checkout', 'invoice'], earned: 980 },
    { steps: ['report', 'invoice that names it'], earned: 980 },
    { steps: ['report', 'payment'], earned: 980 },
    { steps: ['report', 'payment', 'refund'], earned: 490 },
  ]),
)('own order ids and Stripe together pay once, in any order: $steps', async ({ steps, earned }) => {
  for (const order of orders(steps)) {
    const shop = await openShop()
    for (const step of order) await shop.steps[step]()
    expect([order, await shop.earned()]).toEqual([order, earned])
  }
})

test('an id in the metadata that is another purchase’s at Stripe ties the two in no way', async () => {
  const shop = await openShop()
  await shop.steps.report()
  await shop.steps['invoice that names it']()
  const other = invoice({ metadata: { externalId: 'in_1' } })
  await shop.deliver('invoice.paid', other)
  await shop.deliver('invoice.paid', invoice({ id: 'in_1' }))
  expect(await shop.earned()).toBe(980)
})
