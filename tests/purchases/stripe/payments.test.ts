/**
 * Payments without an invoice and a checkout: sales of their own, once it is clear that they are.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../../lib/db/connection.ts'
import { endWaits } from '../../../lib/purchases/apply/late.service.ts'
import { codes, useDatabase } from '../../support/merchant.ts'
import {
  checkoutSession,
  invoice,
  invoicePayment,
  oldInvoice,
  paymentIntent,
  refund,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'
import { everyNth } from '../../support/thorough.ts'

const database = useDatabase()
const MINUTE = 60

const openShop = async () => {
  const shop = await openStripeShop(database)
  return {
    ...shop,
    outcomes: () =>
      database.query(
        "select type, outcome ->> 'code' as code from processor_events where workspace_id = $1 order by id",
        [shop.merchant.workspace.id],
      ),
  }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/** A day ago: a payment of then waits for nothing any more. */
const yesterday = () => seconds() - 24 * 60 * MINUTE

test('a payment by a payment element is a sale, credited by the click in its metadata', async () => {
  const { merchant, clickBefore, deliver, sales } = await openShop()
  const metadata = { tributary_click: await clickBefore() }
  const payment = paymentIntent({ metadata })
  await deliver('payment_intent.succeeded', payment, seconds() - 20 * MINUTE)
  expect(await sales()).toEqual([
    { external_id: payment.id, slug: 'maya', attributed_by: 'click', earned: 980 },
  ])
  expect(codes(await merchant.explainReport('sale', String(payment.id)))).toEqual([
    'click',
    'program_reward',
    'commission_created',
  ])
})

test('a later payment of the customer is credited to its partner, and a stranger’s to nobody', async () => {
  const { merchant, deliver, sales } = await openShop()
  const customer = stripeId('cus')
  const manager = await merchant.asManager()
  await manager.post('/customers/import', {
    rows: [{ customerExternalId: customer, partnerEmail: 'maya@partner.example' }],
  })
  await database.query(
    'update referrals set referred_at = referred_at - interval $$2 days$$ where workspace_id = $1',
    [merchant.workspace.id],
  )
  const [known, stranger] = [paymentIntent({ customer }), paymentIntent()]
  await deliver('payment_intent.succeeded', known, yesterday())
  await deliver('payment_intent.succeeded', stranger, yesterday())
  expect(await sales()).toEqual([
    { external_id: known.id, slug: 'maya', attributed_by: 'customer', earned: 980 },
    { external_id: stranger.id, slug: null, attributed_by: null, earned: null },
  ])
})

test('a refund of such a payment reverses in proportion', async () => {
  const { clickBefore, deliver, sales } = await openShop()
  const payment = paymentIntent({ metadata: { tributary_click: await clickBefore() } })
  await deliver('payment_intent.succeeded', payment, seconds() - 20 * MINUTE)
  await deliver('refund.created', refund({ payment_intent: payment.id, amount: 2_450 }))
  expect(await sales()).toEqual([
    { external_id: payment.id, slug: 'maya', attributed_by: 'click', earned: 490 },
  ])
})

test('a payment of just now waits, and becomes a sale when neither an invoice nor a checkout names it', async () => {
  const { clickBefore, deliver, sales, outcomes } = await openShop()
  const payment = paymentIntent({ metadata: { tributary_click: await clickBefore() } })
  await deliver('payment_intent.succeeded', payment)
  expect(await sales()).toEqual([])
  expect(await outcomes()).toEqual([{ type: 'payment_intent.succeeded', code: 'waiting' }])

  const end = (minutes: number) =>
    endWaits(() => connect(inject('database')), new Date(Date.now() + minutes * 60_000))
  await end(14)
  expect(await sales()).toEqual([])
  await end(16)
  await end(16)
  expect(await sales()).toEqual([
    { external_id: payment.id, slug: 'maya', attributed_by: 'click', earned: 980 },
  ])
  expect(await outcomes()).toEqual([{ type: 'payment_intent.succeeded', code: 'sale_credited' }])
})

test.each([{ salesFrom: 'both' }, { salesFrom: 'stripe' }])(
  'a payment of just now whose report came first was never credited (sales from $salesFrom): it is when its wait is over',
  async ({ salesFrom }) => {
    const { merchant, clickBefore, deliver, sales, outcomes } = await openShop()
    await database.query('update workspaces set sales_from = $2 where id = $1', [
      merchant.workspace.id,
      salesFrom,
    ])
    const payment = paymentIntent({ metadata: { tributary_click: await clickBefore() } })
    await merchant.sale({ externalId: String(payment.id) })
    await deliver('payment_intent.succeeded', payment)
    expect(await outcomes()).toEqual([{ type: 'payment_intent.succeeded', code: 'waiting' }])
    await endWaits(() => connect(inject('database')), new Date(Date.now() + 16 * 60_000))
    expect(await sales()).toEqual([
      { external_id: payment.id, slug: 'maya', attributed_by: 'click', earned: 980 },
    ])
    expect(await outcomes()).toEqual([{ type: 'payment_intent.succeeded', code: 'sale_credited' }])
  },
)

/** All orders of a list. */
const orders = <T>(all: T[]): T[][] =>
  all.length < 2
    ? [all]
    : all.flatMap((one, at) =>
        orders(all.filter((_, other) => other !== at)).map((rest) => [one, ...rest]),
      )

type Step = (shop: Shop) => Promise<void>
type Ids = { payment: string; invoiceId: string; clickId: string; created: number }

test.each(
  everyNth<{ case: string; steps: (ids: Ids) => Record<string, Step>; sale: keyof Ids }>(2, [
    {
      case: 'an invoice of today',
      sale: 'invoiceId',
      steps: ({ payment, invoiceId, created, clickId }) => ({
        payment: ({ deliver }) =>
          deliver(
            'payment_intent.succeeded',
            paymentIntent({ id: payment, payment_details: { order_reference: invoiceId } }),
            created,
          ),
        invoice: ({ deliver }) =>
          deliver(
            'invoice.paid',
            invoice({ id: invoiceId, metadata: { tributary_click: clickId } }),
          ),
        link: ({ deliver }) => deliver('invoice_payment.paid', invoicePayment(invoiceId, payment)),
      }),
    },
    {
      case: 'an invoice of an older version',
      sale: 'invoiceId',
      steps: ({ payment, invoiceId, created, clickId }) => ({
        payment: ({ deliver }) =>
          deliver(
            'payment_intent.succeeded',
            paymentIntent({ id: payment, invoice: invoiceId }),
            created,
          ),
        invoice: ({ deliver }) =>
          deliver(
            'invoice.paid',
            oldInvoice({
              id: invoiceId,
              payment_intent: payment,
              metadata: { tributary_click: clickId },
            }),
          ),
      }),
    },
    {
      case: 'a checkout',
      sale: 'payment',
      steps: ({ payment, created, clickId }) => ({
        payment: ({ deliver }) =>
          deliver(
            'payment_intent.succeeded',
            paymentIntent({ id: payment, payment_details: null }),
            created,
          ),
        checkout: ({ deliver }) =>
          deliver(
            'checkout.session.completed',
            checkoutSession({ payment_intent: payment, client_reference_id: clickId }),
          ),
      }),
    },
  ]),
)(
  'the payment of $case is no second sale, in any order, soon or late',
  { tags: 'sampled' },
  async ({ steps, sale }) => {
    for (const age of [0, 20 * MINUTE]) {
      const names = Object.keys(steps({ payment: '', invoiceId: '', clickId: '', created: 0 }))
      for (const order of orders(names)) {
        const shop = await openShop()
        const ids = {
          payment: stripeId('pi'),
          invoiceId: stripeId('in'),
          clickId: await shop.clickBefore(),
          created: seconds() - age,
        }
        const deliveries = steps(ids)
        for (const name of order) await deliveries[name]?.(shop)
        expect([order, await shop.sales()]).toEqual([
          order,
          [{ external_id: ids[sale], slug: 'maya', attributed_by: 'click', earned: 980 }],
        ])
      }
    }
  },
)
