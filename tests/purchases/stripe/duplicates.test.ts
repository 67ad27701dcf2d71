// @module-tag sampled
/** A purchase that is recorded under two of its ids before an event links them earns once. */
import { expect, test } from 'vitest'
import { codes, createMerchant, useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
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

/** A merchant, one purchase of 49 USD under all of its ids, and the events and the report of it. */
const createPurchase = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  const { seed, workspace, programId } = merchant
  await seed.addCoupon(
    workspace.id,
    await seed.addPartner(workspace.id, programId, { slug: 'leo' }),
    'LEO10',
  )
  const stripe = await useStripe(merchant)
  const clickId = await merchant.click()
  const [payment, customer] = [stripeId('pi'), stripeId('cus')]
  const paid = invoice({ customer })
  // The checkout is paid when its invoice is, also if a second ends in between.
  const paidAt = Number(Object(paid.status_transitions).paid_at)
  const deliver = async (type: string, object: Record<string, unknown>, created = seconds()) => {
    expect((await stripe.deliver(stripeEvent(type, object, { created }))).status).toBe(200)
  }
  return {
    merchant,
    payment,
    customer,
    invoiceId: String(paid.id),
    deliver,
    deliveries: {
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
      invoice: () => deliver('invoice.paid', paid),
      link: () => deliver('invoice_payment.paid', invoicePayment(String(paid.id), payment)),
      checkout: () =>
        deliver(
          'checkout.session.completed',
          checkoutSession({
            mode: 'subscription',
            payment_intent: payment,
            customer,
            created: seconds() - 30,
            discounts: [{ coupon: 'LEO10' }],
          }),
          paidAt,
        ),
    },
    /** Each sale's partner and net earnings, oldest first. Checks the ledger too. */
    sales: async () => {
      expect(await database.violations(workspace.id)).toEqual([])
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
type Commission = { id: string; amountCents: number; status: string; hold: object | null }
type Delivery = keyof Awaited<ReturnType<typeof createPurchase>>['deliveries']

test.each(orders<Delivery>(['report', 'invoice', 'link']))(
  'received as %s, %s, %s and repeated, a sale reported under its payment’s id earns once',
  async (...order) => {
    const { deliveries, sales, payment, invoiceId, merchant } = await createPurchase()
    for (const delivery of [...order, ...order, ...order.reverse()]) await deliveries[delivery]()

    const [first, second] = await sales()
    expect(first).toMatchObject({ slug: 'maya', cents: 980 })
    // If the payment is linked in time, the invoice is known to be the recorded sale.
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

test.each(orders<Delivery>(['report', 'checkout', 'invoice', 'link']))(
  'received as %s, %s, %s, %s, the coupon of a checkout without an invoice decides all of it, and renewals',
  async (...order) => {
    const { deliveries, sales, deliver, customer } = await createPurchase()
    for (const delivery of order) await deliveries[delivery]()
    await deliver(
      'invoice.paid',
      invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }),
    )
    const recorded = await sales()
    expect(new Set(recorded.map(({ slug }) => slug))).toEqual(new Set(['leo']))
    expect(recorded.filter(({ cents }) => cents !== 0).map(({ cents }) => cents)).toEqual([
      980, 980,
    ])
  },
)

/** A purchase, and a manager who looks after the commissions of its sales. */
const createManaged = async () => {
  const { merchant, deliveries, sales } = await createPurchase()
  const commissions = async () =>
    ((await merchant.get('/commissions?kind=sale')).body as unknown as { data: Commission[] }).data
  return { deliveries, sales, manager: await merchant.asManager(), commissions }
}

test.each(orders<Delivery>(['report', 'invoice']))(
  'received as %s, %s, then tied, a purchase whose commission a manager holds stays held under the id by which it earns',
  async (...order) => {
    const { deliveries, sales, manager, commissions } = await createManaged()
    for (const delivery of order) await deliveries[delivery]()
    const [first] = await commissions()
    const note = 'Ask the buyer'
    expect((await manager.post(`/commissions/${first?.id}/hold`, { note })).status).toBe(200)
    for (const delivery of ['link', ...order, 'link'] as const) await deliveries[delivery]()
    expect((await sales()).map(({ cents }) => cents)).toEqual([980, 0])
    const [current, former] = await commissions()
    expect(current).toMatchObject({
      status: 'held',
      amountCents: 980,
      hold: { reason: 'manual', note },
    })
    expect(former?.status).not.toBe('held')
    expect((await manager.post(`/commissions/${current?.id}/release`)).status).toBe(200)
    expect((await commissions()).map(({ status }) => status)).not.toContain('held')
  },
)

test.each(orders<Delivery>(['report', 'invoice']))(
  'received as %s, %s, then tied, a purchase whose commission a manager rejected was paid under its other id: it is held again, once',
  async (...order) => {
    const { deliveries, sales, manager, commissions } = await createManaged()
    for (const delivery of order) await deliveries[delivery]()
    const [first] = await commissions()
    const note = 'Bought by the partner'
    expect((await manager.post(`/commissions/${first?.id}/hold`, { note })).status).toBe(200)
    expect((await manager.post(`/commissions/${first?.id}/reject`)).status).toBe(200)
    for (const delivery of ['link', ...order, 'link'] as const) await deliveries[delivery]()
    // Either the sale by which the purchase earns is the rejected one, or what it earns instead is
    // held.
    const earned = (await sales()).filter(({ cents }) => cents !== 0)
    const held = (await commissions()).filter(({ status }) => status === 'held')
    expect(held).toHaveLength(earned.length)
    for (const one of held) {
      expect(one).toMatchObject({ amountCents: 980, hold: { reason: 'manual', note } })
      // A manager's second decision stands.
      expect((await manager.post(`/commissions/${one.id}/release`)).status).toBe(200)
    }
    for (const delivery of [...order, 'link'] as const) await deliveries[delivery]()
    expect((await commissions()).map(({ status }) => status)).not.toContain('held')
  },
)

test('a repeated report gets the same response after the sale turns out to be Stripe’s', async () => {
  const { deliveries } = await createPurchase()
  await deliveries.invoice()
  const eventId = await deliveries.report()
  await deliveries.link()
  expect(await deliveries.report()).toBe(eventId)

  const later = await createPurchase()
  await later.deliveries.invoice()
  await later.deliveries.link()
  expect(await later.deliveries.report()).toBe(await later.deliveries.report())
})

test('a refund reverses its share once, whether it arrives before or after the sales are linked', async () => {
  const { deliveries, sales, deliver, payment } = await createPurchase()
  const id = stripeId('ch')
  await deliveries.report()
  await deliveries.invoice()
  await deliver('refund.created', refund({ payment_intent: payment, charge: id, amount: 490 }))
  expect((await sales()).map(({ cents }) => cents)).toEqual([882, 0])
  await deliveries.link()
  expect((await sales()).map(({ cents }) => cents)).toEqual([882, 0])
  await deliver('charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 2_450 }))
  expect((await sales()).map(({ cents }) => cents)).toEqual([490, 0])
})

test('a customer’s one-time reward is not lost with the duplicate that earned it', async () => {
  const { deliveries, sales, deliver, customer } = await createPurchase({
    program: { reward_interval: 'one-time' },
  })
  await deliveries.invoice()
  await deliveries.report()
  await deliveries.link()
  await deliver(
    'invoice.paid',
    invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }),
  )
  expect((await sales()).map(({ slug, cents }) => [slug, cents])).toEqual([
    ['maya', 980],
    ['maya', 0],
    ['maya', 0],
  ])
})

test('a manager sees what the event that linked two sales reversed', async () => {
  const { deliveries, merchant, invoiceId } = await createPurchase()
  const manager = await merchant.asManager()
  await deliveries.checkout()
  await deliveries.invoice()
  await deliveries.link()
  const { body } = await manager.get('/stripe/events')
  const [last] = body.data as { outcome: { code: string; text: string } }[]
  expect(last?.outcome.code).toBe('commission_changed')
  expect(last?.outcome.text).toBe(
    `9.80 USD of the commission of “leo” for ${invoiceId} was reversed.`,
  )
})

test('eight concurrent copies of the event that links two sales reverse once', async () => {
  const { deliveries, sales } = await createPurchase()
  await deliveries.checkout()
  await deliveries.invoice()
  await Promise.all(Array.from({ length: 8 }, () => deliveries.link()))
  expect((await sales()).map(({ slug, cents }) => [slug, cents])).toEqual([
    ['leo', 980],
    ['leo', 0],
  ])
})
