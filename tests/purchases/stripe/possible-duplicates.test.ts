// @module-tag sampled
/**
 * A sale reported by API under an own order id, and a purchase at Stripe that looks like it: one
 * earns unseen at most.
 */
import { describe, expect, test } from 'vitest'
import { isProcessorId } from '../../../lib/rules/purchases/processors.ts'
import { whileReportWaits } from '../../support/identity-locks.ts'
import { codes, useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import { checkoutSession, invoice, refund, seconds, stripeId } from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'

const database = useDatabase()

/** A merchant who reports by API what it bills through Stripe: 49.00 under a click of maya's. */
const createPurchase = async (reference: 'click' | 'customer' = 'click') => {
  const { merchant, deliver } = await openStripeShop(database)
  const clickId = await merchant.click()
  await database.ageClicks(merchant)
  const customer = stripeId('cus')
  const paid = invoice({ customer })
  const invoiceId = String(paid.id)
  const report = async (fields: Record<string, unknown> = {}) => {
    const answer = await merchant.sale({
      externalId: 'order-1',
      customerExternalId: 'user_1',
      clickId,
      ...fields,
    })
    expect([answer.status, answer.body.attributed]).toEqual([200, true])
  }
  return {
    merchant,
    deliver,
    report,
    clickId,
    customer,
    invoiceId,
    steps: {
      lead: async () => {
        expect((await merchant.lead({ externalId: 'user_1', clickId })).status).toBe(200)
      },
      sale: () => report(),
      checkout: () =>
        deliver(
          'checkout.session.completed',
          checkoutSession({
            mode: 'subscription',
            ...(reference === 'click'
              ? { client_reference_id: clickId }
              : { metadata: { customerExternalId: 'user_1' } }),
            customer,
            invoice: invoiceId,
            payment_intent: null,
            created: seconds() - 30,
          }),
        ),
      invoice: () => deliver('invoice.paid', paid),
    },
    /** The status of each sale's commission, oldest first. Checks the ledger too. */
    earned: async () => {
      const ledger = await database.violations(merchant.workspace.id)
      expect(ledger).toEqual([])
      const { body } = await merchant.get('/commissions?kind=sale')
      return (body.data as { amountCents: number; status: string }[])
        .map(({ amountCents, status }) => `${amountCents} ${status}`)
        .toReversed()
    },
    held: async () => {
      const { body } = await merchant.get('/commissions?status=held&kind=sale')
      const rows = body.data as { id: string; eventId: string; hold: { evidenceEventId: string } }[]
      return Promise.all(
        rows.map(async ({ id, eventId, hold }) => ({
          id,
          sale: (await merchant.explain(eventId)).externalId,
          evidence: (await merchant.explain(hold.evidenceEventId)).externalId,
        })),
      )
    },
  }
}
type Step = keyof Awaited<ReturnType<typeof createPurchase>>['steps']

test.each(orders<Step>(['lead', 'sale', 'checkout', 'invoice']))(
  'own order ids and Stripe together pay twice: received as %s, %s, %s, %s, one commission is pending and one held',
  async (...order) => {
    const { steps, earned, held, invoiceId, merchant } = await createPurchase()
    for (const step of order) await steps[step]()
    expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
    const isReportedFirst = order.indexOf('sale') < order.indexOf('checkout')
    const ids = isReportedFirst ? [invoiceId, 'order-1'] : ['order-1', invoiceId]
    expect(await held()).toMatchObject([{ sale: ids[0], evidence: ids[1] }])
    const explained = await merchant.explainReport('sale', ids[0] ?? '')
    expect(codes(explained)?.at(-1)).toBe('possible_duplicate')
    expect(explained?.steps.at(-1)?.facts).toEqual({ externalId: ids[1] })

    // What is received again changes nothing.
    for (const step of order.toReversed()) await steps[step]()
    expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
  },
)

test.each(orders<Step>(['lead', 'sale', 'checkout', 'invoice']))(
  'own order ids and Stripe together pay twice: received as %s, %s, %s, %s, for one customer, one is held',
  async (...order) => {
    const { steps, earned } = await createPurchase('customer')
    for (const step of order) await steps[step]()
    expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
  },
)

test('the database distinguishes the processor’s ids from the merchant’s as isProcessorId does', async () => {
  const forms = ['in_1', 'pi_1', 'ch_1', 'py_1', 'cs_1', 'cs_test_1', 'in', 'in1', 'inv_1', 'IN_1']
  const ids = [...forms, 'order_in_1', ' in_1', 'report:in_1', 'sub_1', 'cus_1', 'x', '']
  const rows = await database.query<{ id: string; kind: string }>(
    'select id, purchase_id_kind(id) as kind from unnest($1::text[]) id',
    [ids],
  )
  const found = rows.filter(({ kind }) => kind !== 'report').map(({ id }) => id)
  expect(found).toEqual(ids.filter(isProcessorId))
  expect(found).toHaveLength(6)
})

describe('is held', () => {
  test('the amount with tax that the merchant reported is the gross amount at Stripe', async () => {
    const { deliver, report, clickId, earned } = await createPurchase()
    const session = checkoutSession({
      client_reference_id: clickId,
      amount_total: 5_831,
      total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 931 },
    })
    await deliver('checkout.session.completed', session)
    await report({ amountCents: 5_831 })
    expect(await earned()).toEqual(['980 pending', '1166 held'])
  })

  test('a sale of each of two orders, one for one, though all four look alike', async () => {
    const { deliver, report, clickId, earned, held } = await createPurchase()
    const pay = (payment: string) =>
      deliver(
        'checkout.session.completed',
        checkoutSession({ client_reference_id: clickId, payment_intent: payment }),
      )
    await report()
    await pay('pi_a')
    await report({ externalId: 'order-2' })
    await pay('pi_b')
    expect(await earned()).toEqual(['980 pending', '980 held', '980 pending', '980 held'])
    expect(await held()).toMatchObject([
      { sale: 'pi_b', evidence: 'order-2' },
      { sale: 'pi_a', evidence: 'order-1' },
    ])
  })
})

test.each([
  { case: 'another amount', fields: { amountCents: 4_901 } },
  { case: 'another currency', fields: { currency: 'EUR' } },
  { case: 'another day', fields: {}, created: seconds() - 25 * 3_600 },
])('a sale of $case is not held', async ({ fields, created = seconds() }) => {
  const { deliver, clickId, report, earned } = await createPurchase()
  const session = checkoutSession({ client_reference_id: clickId, created })
  await deliver('checkout.session.completed', session, created)
  await report(fields)
  expect(await earned()).toEqual([
    expect.stringContaining('pending'),
    expect.stringContaining('pending'),
  ])
})

test('two sales reported by API, and two payments at Stripe, are purchases of their own', async () => {
  const { report, earned } = await createPurchase()
  await report()
  await report({ externalId: 'order-2' })
  expect(await earned()).toEqual(['980 pending', '980 pending'])
  const other = await createPurchase()
  for (const _ of [1, 2]) {
    await other.deliver(
      'checkout.session.completed',
      checkoutSession({ client_reference_id: other.clickId }),
    )
  }
  expect(await other.earned()).toEqual(['980 pending', '980 pending'])
})

test('a released commission stays released, and a rejected one rejected, when the sale’s amount is corrected', async () => {
  for (const verb of ['release', 'reject']) {
    const { merchant, steps, deliver, earned, held, invoiceId, customer } = await createPurchase()
    await steps.sale()
    await steps.checkout()
    const [hold] = await held()
    const manager = await merchant.asManager()
    expect((await manager.post(`/commissions/${hold?.id}/${verb}`)).status).toBe(200)
    // The invoice arrives later than the checkout, with tax.
    await deliver(
      'invoice.paid',
      invoice({
        id: invoiceId,
        customer,
        total_excluding_tax: 4_000,
        total_taxes: [{ amount: 900 }],
      }),
    )
    const rows = (await merchant.get('/commissions')).body.data as {
      amountCents: number
      status: string
    }[]
    const net = rows.reduce((sum, { amountCents }) => sum + amountCents, 0)
    expect([verb, net]).toEqual([verb, verb === 'release' ? 980 + 800 : 980])
    expect(await held()).toEqual([])
    expect((await earned()).filter((row) => row.endsWith('held'))).toEqual([])
  }
})

test('a hold follows to the commission that replaces the held one', async () => {
  const { steps, deliver, held, invoiceId, customer, merchant } = await createPurchase()
  await steps.sale()
  await steps.checkout()
  await deliver(
    'invoice.paid',
    invoice({
      id: invoiceId,
      customer,
      total_excluding_tax: 4_000,
      total_taxes: [{ amount: 900 }],
    }),
  )
  const { body } = await merchant.get('/commissions?status=held')
  expect(body.data).toMatchObject([{ amountCents: 800, kind: 'sale' }])
  expect(await held()).toMatchObject([{ sale: invoiceId, evidence: 'order-1' }])
})

test('a refund of a rejected sale reverses nothing more', async () => {
  const { merchant, deliver, report, clickId, held } = await createPurchase()
  const payment = stripeId('pi')
  await report()
  await deliver(
    'checkout.session.completed',
    checkoutSession({ client_reference_id: clickId, payment_intent: payment }),
  )
  const [hold] = await held()
  await (await merchant.asManager()).post(`/commissions/${hold?.id}/reject`)
  await deliver('refund.created', refund({ payment_intent: payment }))
  const rows = (await merchant.get('/commissions')).body.data as { amountCents: number }[]
  expect(rows.map(({ amountCents }) => amountCents)).toEqual([-980, 980, 980])
})

test('reported in a batch, a sale that looks like Stripe’s is held, and the others are not', async () => {
  const { merchant, steps, clickId, earned, held, invoiceId } = await createPurchase()
  await steps.checkout()
  const sale = (externalId: string, amountCents: number) => ({
    ...{ kind: 'sale', externalId, customerExternalId: 'user_1', clickId, amountCents },
    currency: 'USD',
  })
  const { body } = await merchant.post('/api/track/batch', {
    events: [sale('order-0', 1_000), sale('order-1', 4_900), sale('order-2', 2_000)],
  })
  expect(body.results).toMatchObject([
    { attributed: true },
    { attributed: true },
    { attributed: true },
  ])
  expect((await earned()).toSorted()).toEqual([
    '200 pending',
    '400 pending',
    '980 held',
    '980 pending',
  ])
  expect(await held()).toMatchObject([{ sale: 'order-1', evidence: invoiceId }])
})

test('received at the same time, one of the two is held', async () => {
  for (let round = 0; round < 6; round++) {
    const { steps, earned } = await createPurchase()
    await Promise.all([steps.sale(), steps.checkout()])
    expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
  }
})

test('a sale that was loaded before the processor’s first event of the workspace is compared with it', async () => {
  const { merchant, steps, earned } = await createPurchase()
  const of = { workspaceId: merchant.workspace.id, customer: 'user_1' }
  await whileReportWaits(database, of, steps.sale, steps.checkout)
  expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
})

test('a sale that is being saved when the processor’s first event of the workspace comes in is compared with it', async () => {
  const { merchant, steps, earned } = await createPurchase()
  // The sale waits for an identity of its customer, which is saved after its comparison.
  await database.whileSaving(
    `with c as (
       insert into customers (id, workspace_id, external_id, partner_id, created_at)
       select gen_random_uuid(), $1, 'user_1', id, now() from partners where workspace_id = $1 limit 1 returning id)
     insert into customer_identities (workspace_id, customer_id, kind, value, source, evidence, created_at)
     select $1, id, 'external', 'user_1', 'lead', 'user_1', now() from c`,
    [merchant.workspace.id],
    steps.sale,
    steps.checkout,
  )
  expect((await earned()).toSorted()).toEqual(['980 held', '980 pending'])
})

test.each(orders<Step>(['sale', 'checkout']))(
  'an event that ties a held sale to the other makes them one purchase, and the hold moot: received as %s, %s',
  async (...order) => {
    const { merchant, steps, deliver, earned, held, invoiceId, customer } = await createPurchase()
    for (const step of order) await steps[step]()
    expect(await held()).toHaveLength(1)
    await deliver(
      'invoice.paid',
      invoice({ id: invoiceId, customer, metadata: { externalId: 'order-1' } }),
    )
    expect(await held()).toEqual([])
    expect(await earned()).toEqual(['980 pending', '980 pending'])
    const rows = (await merchant.get('/commissions')).body.data as { amountCents: number }[]
    expect(rows.map(({ amountCents }) => amountCents)).toEqual([-980, 980, 980])
    expect(
      (await merchant.explainReport('sale', order[0] === 'sale' ? invoiceId : 'order-1'))?.steps[0]
        ?.code,
    ).toBe('same_purchase')
  },
)
