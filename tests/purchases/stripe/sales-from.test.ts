/** Who reports the sales that earn: Stripe, the merchant by API, or both. Design, section 5. */
import { describe, expect, test } from 'vitest'
import { codes, createMerchant, type Merchant, useDatabase } from '../../support/merchant.ts'
import { openPages } from '../../support/pages.ts'
import { signingSecret } from '../../support/secrets.ts'
import {
  checkoutSession,
  refund,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'
import { everyNth } from '../../support/thorough.ts'

const database = useDatabase()

/**
 * A merchant whose sales come from somewhere, and a way to pay 49.00 at Stripe with the merchant's
 * click.
 */
const createShop = async (salesFrom: 'both' | 'stripe' | 'api') => {
  const merchant = await createMerchant({
    group: { leadReward: { amountCents: 300n, currency: 'USD' } },
  })
  const manager = await merchant.asManager()
  expect((await manager.patch('/settings', { salesFrom })).status).toBe(200)
  const stripe = await useStripe(merchant)
  const clickId = await merchant.click()
  await database.ageClicks(merchant)
  const pay = async (fields: Record<string, unknown> = {}) => {
    const session = checkoutSession({ client_reference_id: clickId, ...fields })
    expect((await stripe.deliver(stripeEvent('checkout.session.completed', session))).status).toBe(
      200,
    )
    return String(session.payment_intent)
  }
  return { merchant, manager, stripe, clickId, pay }
}

/** What each sale has earned, oldest first. */
const earned = async ({ workspace }: Merchant) =>
  (
    await database.query<{ sale: string }>(
      `select e.external_id || ' ' || (select coalesce(sum(amount_cents), 0) from commissions c where c.event_id = e.id) as sale
       from events e where e.workspace_id = $1 and e.kind = 'sale' order by e.id`,
      [workspace.id],
    )
  ).map(({ sale }) => sale)

describe('sales from Stripe', () => {
  test('a sale reported by API under an own order id is attributed, and only Stripe’s event of it earns', async () => {
    const { merchant, clickId, pay } = await createShop('stripe')
    const reported = await merchant.sale({ externalId: 'order-1', clickId })
    expect(reported).toMatchObject({
      status: 200,
      body: { attributed: true, eventId: expect.any(String) },
    })
    const event = await merchant.explain(reported.body.eventId)
    expect(codes(event)).toEqual(['click', 'sale_expected_from_stripe'])
    expect(event.commission).toBeNull()
    expect(event.customer.id).not.toBeNull()
    const payment = await pay()
    expect(await earned(merchant)).toEqual(['order-1 0', `${payment} 980`])
    expect(await merchant.sale({ externalId: 'order-1', clickId })).toMatchObject({
      body: reported.body,
    })
  })

  test('a sale reported by API under Stripe’s id earns, once', async () => {
    const { merchant, clickId, pay } = await createShop('stripe')
    const payment = stripeId('pi')
    await merchant.sale({ externalId: payment, clickId })
    await pay({ payment_intent: payment })
    expect(await earned(merchant)).toEqual([`${payment} 980`])
  })

  test('a lead earns as usual, and so does a sale reported before the setting', async () => {
    const { merchant, manager, clickId } = await createShop('both')
    await merchant.sale({ externalId: 'order-1', clickId })
    await manager.patch('/settings', { salesFrom: 'stripe' })
    const lead = await merchant.lead({ externalId: 'user_1', clickId })
    expect((await merchant.explain(lead.body.eventId)).commission).toMatchObject({
      amountCents: 300,
    })
    await merchant.sale({ externalId: 'order-2', clickId })
    expect(await earned(merchant)).toEqual(['order-1 980', 'order-2 0'])
  })

  test('an unattributed sale says why, and nothing of Stripe', async () => {
    const { merchant } = await createShop('stripe')
    await merchant.sale({ externalId: 'order-1' })
    expect(codes(await merchant.explainReport('sale', 'order-1'))).toEqual(['no_click'])
  })
})

describe('a sale that Stripe is expected to report', () => {
  const overdue = async (merchant: Merchant) => {
    const { body } = await merchant.get('/events?overdue=true')
    return (body.data as { externalId: string }[]).map(({ externalId }) => externalId)
  }
  const age = ({ workspace }: Merchant) =>
    database.query(
      `update events set occurred_at = occurred_at - interval '8 days' where workspace_id = $1`,
      [workspace.id],
    )

  test('shows on the overview when Stripe has not reported it within seven days', async () => {
    const { merchant, clickId } = await createShop('stripe')
    const pages = await openPages(merchant)
    await merchant.sale({ externalId: 'order-1', clickId })
    expect(await overdue(merchant)).toEqual([])
    await age(merchant)
    await merchant.sale({ externalId: 'order-2', clickId })
    expect(await overdue(merchant)).toEqual(['order-1'])
    const overview = await pages.get('')
    expect(overview.text).toContain('1 reported sale is missing from Stripe')
    expect(overview.html).toContain('/events?overdue=true"')
    const { text } = await pages.get('/events?overdue=true')
    expect(text).toContain('order-1')
    expect(text).not.toContain('order-2')
  })

  test.each(['before', 'after'])(
    'is not missing when Stripe reported its payment %s it, once each',
    async (when) => {
      const { merchant, clickId, pay } = await createShop('stripe')
      const sell = () => merchant.sale({ externalId: 'order-1', clickId })
      if (when === 'after') await sell()
      const payment = await pay()
      if (when === 'before') await sell()
      const step = (await merchant.explainReport('sale', 'order-1'))?.steps.at(-1)
      expect(step).toMatchObject({ code: 'expected_sale_received', facts: { externalId: payment } })
      await merchant.sale({ externalId: 'order-2', clickId })
      await pay({ amount_total: 5_000 })
      await age(merchant)
      expect(await overdue(merchant)).toEqual(['order-2'])
    },
  )

  test('is not missing when both arrive at once', async () => {
    for (let round = 0; round < 4; round++) {
      const { merchant, clickId, pay } = await createShop('stripe')
      // A workspace that has received nothing from a processor compares nothing.
      await pay({ amount_total: 100 })
      await Promise.all([merchant.sale({ externalId: 'order-1', clickId }), pay()])
      await age(merchant)
      expect(await overdue(merchant)).toEqual([])
    }
  })
})

describe('sales from the API', () => {
  test('a payment at Stripe earns nothing by itself, and its outcome says so', async () => {
    const { merchant, manager, clickId, pay } = await createShop('api')
    await pay()
    await merchant.sale({ externalId: 'order-1', clickId })
    expect(await earned(merchant)).toEqual(['order-1 980'])
    const { body } = await manager.get('/stripe/events')
    expect(body.data).toMatchObject([
      { eventId: null, outcome: { code: 'sale_expected_from_api' } },
    ])
  })

  test.each(everyNth(2, ['before', 'after']))(
    'a sale reported under Stripe’s id %s Stripe’s event earns as reported, and a refund reverses its share',
    { tags: 'sampled' },
    async (when) => {
      const { merchant, stripe, clickId, pay } = await createShop('api')
      const payment = stripeId('pi')
      if (when === 'after') await pay({ payment_intent: payment, amount_total: 6_000 })
      await merchant.sale({ externalId: payment, clickId, amountCents: 4_900 })
      if (when === 'before') await pay({ payment_intent: payment, amount_total: 6_000 })
      expect(await earned(merchant)).toEqual([`${payment} 980`])
      await stripe.deliver(
        stripeEvent('refund.created', refund({ payment_intent: payment, amount: 3_000 })),
      )
      expect(await earned(merchant)).toEqual([`${payment} 490`])
    },
  )
})

test('a payment is decided by the setting of its own time, however late Stripe reports it', async () => {
  const { merchant, manager, stripe, clickId } = await createShop('api')
  const payAt = async (at: Date) => {
    const session = checkoutSession({ client_reference_id: clickId })
    const event = stripeEvent('checkout.session.completed', session, { created: seconds(at) })
    expect((await stripe.deliver(event)).status).toBe(200)
  }
  await database.query(
    `insert into former_sales_from (workspace_id, until, sales_from) values ($1, now() - interval '1 hour', 'stripe')`,
    [merchant.workspace.id],
  )
  await payAt(new Date())
  expect(await earned(merchant)).toEqual([])
  await payAt(new Date(Date.now() - 2 * 3_600_000))
  expect(await earned(merchant)).toEqual([expect.stringMatching(/^pi_\w+ 980$/)])
  await manager.patch('/settings', { salesFrom: 'both' })
  expect(
    await database.query(
      'select sales_from from former_sales_from where workspace_id = $1 order by until',
      [merchant.workspace.id],
    ),
  ).toEqual([{ sales_from: 'stripe' }, { sales_from: 'both' }, { sales_from: 'api' }])
})

test('a reported sale keeps the setting of its own time, whatever is planned again later', async () => {
  const { merchant, manager, stripe, clickId } = await createShop('both')
  await merchant.sale({ externalId: 'order-1', amountCents: 1_000, clickId })
  expect((await manager.patch('/settings', { salesFrom: 'stripe' })).status).toBe(200)
  // A payment of the customer from before the sale, on which the sale's own reward depends.
  const session = checkoutSession({
    metadata: { customerExternalId: 'user_1' },
    client_reference_id: clickId,
  })
  const created = seconds() - 3_600
  await stripe.deliver(
    stripeEvent('checkout.session.completed', { ...session, created }, { created }),
  )
  expect(await earned(merchant)).toEqual(['order-1 200', expect.stringMatching(/^pi_\w+ 980$/)])
})

test('a dated report is decided by the setting of its own time, as Stripe’s late event of it is', async () => {
  const { merchant, clickId } = await createShop('both')
  await database.query(
    `insert into former_sales_from (workspace_id, until, sales_from) values ($1, now() - interval '1 hour', 'stripe')`,
    [merchant.workspace.id],
  )
  await database.age(merchant, '4 hours')
  const report = (externalId: string, hoursAgo: number) =>
    merchant.sale({
      externalId,
      clickId,
      occurredAt: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
    })
  await report('order-1', 2)
  await report('order-2', 0.5)
  expect(await earned(merchant)).toEqual(['order-1 0', 'order-2 980'])
})

describe('the page of the first signing secret', () => {
  test('asks who reports sales, and saves it with an audit entry', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const empty = await pages.get('/stripe')
    expect(empty.text).toContain('Sales are reported by')
    expect(/<option value="both" selected/.test(empty.html)).toBe(true)

    const refused = await pages.post('/stripe', { secret: signingSecret(), salesFrom: 'paypal' })
    expect([refused.status, refused.html.includes('id="salesFrom-error"')]).toEqual([400, true])
    expect(
      (await pages.post('/stripe', { secret: signingSecret(), salesFrom: 'stripe' })).status,
    ).toBe(303)
    expect((await merchant.get('/settings')).body).toMatchObject({ salesFrom: 'stripe' })
    expect((await pages.get('/audit')).text).toContain('who reports sales from both to stripe')
    expect((await pages.get('/stripe')).html).not.toContain('name="salesFrom"')
    expect((await pages.get('/settings')).html).toContain('<option value="stripe" selected')
  })
})
