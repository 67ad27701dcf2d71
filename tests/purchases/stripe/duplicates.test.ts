/** One purchase that is recorded under two of its ids before anything tells that they are one: it earns once. */
import { expect, test } from 'vitest'
import { codes, createMerchant, useDatabase } from '../../support/merchant.ts'
import {
  charge,
  checkoutSession,
  invoice,
  invoicePayment,
  refund,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'

const database = useDatabase()

/** A merchant, one purchase of 49 USD under all of its ids, and whatever may be told of it. */
const createPurchase = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  const { seed, workspace, programId } = merchant
  await seed.addCoupon(workspace.id, await seed.addPartner(workspace.id, programId, { slug: 'leo' }), 'LEO10')
  const { deliver } = await useStripe(merchant)
  const clickId = await merchant.click()
  const [payment, customer] = [stripeId('pi'), stripeId('cus')]
  const paid = invoice({ customer })
  const tell = async (type: string, object: Record<string, unknown>) => {
    expect((await deliver(stripeEvent(type, object))).status).toBe(200)
  }
  return {
    merchant,
    payment,
    customer,
    invoiceId: String(paid.id),
    tell,
    tellings: {
      report: async () => {
        const { status, body } = await merchant.sale({
          externalId: payment,
          customerExternalId: 'user_1',
          amountCents: 4_900,
          clickId,
        })
        expect([status, body.attributed]).toEqual([200, true])
        return body.eventId
      },
      invoice: () => tell('invoice.paid', paid),
      tie: () => tell('invoice_payment.paid', invoicePayment(String(paid.id), payment)),
      checkout: () =>
        tell(
          'checkout.session.completed',
          checkoutSession({
            mode: 'subscription',
            payment_intent: payment,
            customer,
            created: seconds() - 30,
            discounts: [{ coupon: 'LEO10' }],
          }),
        ),
    },
    /** What each sale has come to, by whose it is, the first first; and whether all of it adds up. */
    sales: async () => {
      expect(
        await database.query('select * from verify_ledger() where workspace_id = $1', [workspace.id]),
      ).toEqual([])
      return database.query<{ externalId: string; slug: string | null; cents: number }>(
        `select e.external_id as "externalId", p.slug,
                (select coalesce(sum(c.amount_cents), 0) from commissions c where c.event_id = e.id)::int as cents
         from events e left join partners p on p.id = e.partner_id
         where e.workspace_id = $1 and e.kind = 'sale' order by e.id`,
        [workspace.id],
      )
    },
  }
}
type Telling = keyof Awaited<ReturnType<typeof createPurchase>>['tellings']

/** Every order of some things. */
const orders = <T>(things: T[]): T[][] =>
  things.length < 2
    ? [things]
    : things.flatMap((thing) =>
        orders(things.filter((other) => other !== thing)).map((rest) => [thing, ...rest]),
      )

test.each(orders<Telling>(['report', 'invoice', 'tie']))(
  'told as %s, %s, %s and once more, a sale that is reported under its payment’s id earns once',
  async (...order) => {
    const { tellings, sales, payment, invoiceId, merchant } = await createPurchase()
    for (const telling of [...order, ...order, ...order.reverse()]) await tellings[telling]()

    const [first, second] = await sales()
    expect(first).toMatchObject({ slug: 'maya', cents: 980 })
    // Told of the payment in time, Stripe's invoice is known to be the sale that is there.
    expect([first?.externalId, second?.externalId].filter(Boolean).toSorted()).toEqual(
      second ? [invoiceId, payment].toSorted() : [payment],
    )
    if (!second) return
    expect(second).toMatchObject({ slug: 'maya', cents: 0 })
    const explained = await merchant.explainReport('sale', second.externalId)
    expect(codes(explained)?.[0]).toBe('same_purchase')
    expect(explained?.steps?.[0]?.facts).toEqual({ externalId: first?.externalId })
  },
)

test.each(orders<Telling>(['report', 'checkout', 'invoice', 'tie']))(
  'told as %s, %s, %s, %s, the coupon of a checkout that names no invoice decides for all, and for what follows',
  async (...order) => {
    const { tellings, sales, tell, customer } = await createPurchase()
    for (const telling of order) await tellings[telling]()
    await tell('invoice.paid', invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }))
    const told = await sales()
    expect(new Set(told.map(({ slug }) => slug))).toEqual(new Set(['leo']))
    expect(told.filter(({ cents }) => cents !== 0).map(({ cents }) => cents)).toEqual([980, 980])
  },
)

test('whoever reported the sale is answered the same when it turns out to be Stripe’s', async () => {
  const { tellings } = await createPurchase()
  await tellings.invoice()
  const eventId = await tellings.report()
  await tellings.tie()
  expect(await tellings.report()).toBe(eventId)

  const later = await createPurchase()
  await later.tellings.invoice()
  await later.tellings.tie()
  expect(await later.tellings.report()).toBe(await later.tellings.report())
})

test('a refund takes its share back once, whether it comes before or after both sales are known to be one', async () => {
  const { tellings, sales, tell, payment } = await createPurchase()
  const id = stripeId('ch')
  await tellings.report()
  await tellings.invoice()
  await tell('refund.created', refund({ payment_intent: payment, charge: id, amount: 490 }))
  expect((await sales()).map(({ cents }) => cents)).toEqual([882, 0])
  await tellings.tie()
  expect((await sales()).map(({ cents }) => cents)).toEqual([882, 0])
  await tell('charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 2_450 }))
  expect((await sales()).map(({ cents }) => cents)).toEqual([490, 0])
})

test('the reward of a customer’s first sale is not lost with the sale that took it', async () => {
  const { tellings, sales, tell, customer } = await createPurchase({
    program: { reward_interval: 'one-time' },
  })
  await tellings.invoice()
  await tellings.report()
  await tellings.tie()
  await tell('invoice.paid', invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }))
  expect((await sales()).map(({ slug, cents }) => [slug, cents])).toEqual([
    ['maya', 980],
    ['maya', 0],
    ['maya', 0],
  ])
})

test('a manager sees what the event that tied two sales took back', async () => {
  const { tellings, merchant, invoiceId } = await createPurchase()
  const manager = await merchant.asManager()
  await tellings.checkout()
  await tellings.invoice()
  await tellings.tie()
  const { body } = await manager.get('/stripe/events')
  const [last] = body.data as { outcome: { code: string; text: string } }[]
  expect(last?.outcome.code).toBe('commission_changed')
  expect(last?.outcome.text).toBe(`9.80 USD of the commission of “leo” for ${invoiceId} was reversed.`)
})

test('eight copies of the event that ties two sales take back once', async () => {
  const { tellings, sales } = await createPurchase()
  await tellings.checkout()
  await tellings.invoice()
  await Promise.all(Array.from({ length: 8 }, () => tellings.tie()))
  expect((await sales()).map(({ slug, cents }) => [slug, cents])).toEqual([
    ['leo', 980],
    ['leo', 0],
  ])
})
