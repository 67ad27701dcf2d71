/**
 * Events, keys and secrets that are not of the workspace's mode, or not of the merchant's own
 * account, earn nothing.
 */
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { SECRETS_KEY, signingSecret, stripeKey } from '../support/secrets.ts'
import {
  checkoutSession,
  invoice,
  type StripeObject,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../support/stripe.ts'

const database = useDatabase()

const openShop = async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const { workspace, seed } = merchant
  const connectSecret = signingSecret()
  await seed.addStripeSecret(workspace.id, connectSecret, SECRETS_KEY, 1, 'connected_accounts')
  const manager = await merchant.asManager()
  return {
    ...stripe,
    merchant,
    manager,
    connectSecret,
    /** A paid checkout by maya's click, in test mode as all of the fake's. */
    checkout: async (fields: StripeObject = {}) => ({
      ...stripeEvent(
        'checkout.session.completed',
        checkoutSession({ client_reference_id: await merchant.click() }),
      ),
      ...fields,
    }),
    commissions: () =>
      database.query('select amount_cents::int as cents from commissions where workspace_id = $1', [
        workspace.id,
      ]),
    listed: async () => {
      const { body } = await manager.get('/stripe/events')
      return (body.data as { type: string; outcome: { code: string; text: string } }[]).map(
        ({ outcome }) => outcome.code,
      )
    },
  }
}

const RECEIVED = { status: 200, body: { received: true } }

describe('a workspace of live mode', () => {
  const goLive = (id: string) =>
    database.query("update workspaces set mode = 'live' where id = $1", [id])

  test('gets no commission from a payment in test mode, and lists it with the reason', async () => {
    const shop = await openShop()
    await goLive(shop.merchant.workspace.id)
    const event = await shop.checkout()
    expect(await shop.deliver(event)).toMatchObject(RECEIVED)
    expect(await shop.commissions()).toEqual([])
    expect(await shop.listed()).toEqual(['wrong_mode'])

    expect(await shop.deliver(await shop.checkout({ livemode: true }))).toMatchObject(RECEIVED)
    expect(await shop.commissions()).toEqual([{ cents: 980 }])
  })

  test('refuses a key of test mode, and says which one it takes', async () => {
    const { manager, merchant } = await openShop()
    await goLive(merchant.workspace.id)
    const { status, body } = await manager.put('/stripe/key', { key: stripeKey() })
    expect([status, body.error?.code]).toEqual([400, 'invalid_body'])
    expect(body.error?.message).toContain('rk_live_')
  })

  test('keeps nothing of the payment that a later event of live mode could use', async () => {
    const shop = await openShop()
    await goLive(shop.merchant.workspace.id)
    const invoiceId = stripeId('in')
    await shop.deliver(
      await shop.checkout({ data: { object: checkoutSession({ invoice: invoiceId }) } }),
    )
    const paid = stripeEvent('invoice.paid', invoice({ id: invoiceId }), { livemode: true })
    await shop.deliver(paid)
    expect(await shop.commissions()).toEqual([])
  })
})

test('a workspace of test mode gets no commission from a live payment', async () => {
  const shop = await openShop()
  expect(await shop.deliver(await shop.checkout({ livemode: true }))).toMatchObject(RECEIVED)
  expect(await shop.commissions()).toEqual([])
  expect(await shop.listed()).toEqual(['wrong_mode'])
})

describe('the mode', () => {
  test('is live by default', async () => {
    const { merchant } = await openShop()
    const slug = `m-${crypto.randomUUID().slice(0, 8)}`
    const headers = { Cookie: await merchant.stranger(), Origin: new URL(inject('baseUrl')).origin }
    await send(`${inject('baseUrl')}/api/workspaces`, { body: { name: 'Shop', slug }, headers })
    const { body } = await send(`${inject('baseUrl')}/api/workspaces/${slug}/settings`, { headers })
    expect(body).toMatchObject({ mode: 'live' })
  })

  test('can be changed until an event of it has counted, and an event that was refused then counts when it is resent', async () => {
    const shop = await openShop()
    const event = await shop.checkout({ livemode: true })
    await shop.deliver(event)
    expect(await shop.manager.patch('/settings', { mode: 'live' })).toMatchObject({
      status: 200,
      body: { mode: 'live' },
    })
    await shop.deliver(event)
    await shop.deliver(event)
    expect(await shop.commissions()).toEqual([{ cents: 980 }])
    expect(await shop.listed()).toEqual(['sale_credited'])

    expect(await shop.manager.patch('/settings', { mode: 'test' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
    expect((await shop.manager.get('/settings')).body).toMatchObject({ mode: 'live' })
  })

  test('can’t be changed while a key of it is stored', async () => {
    const { manager } = await openShop()
    expect((await manager.put('/stripe/key', { key: stripeKey() })).status).toBe(200)
    expect((await manager.patch('/settings', { mode: 'live' })).status).toBe(409)
  })

  test('is chosen with the first signing secret on the page, and changed on the page of the settings', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    expect((await pages.get('/stripe')).html).toContain('Stripe’s test mode')
    const added = await pages.post('/stripe', {
      secret: signingSecret(),
      salesFrom: 'both',
      mode: 'live',
    })
    expect(added.status).toBe(303)
    expect((await pages.get('/stripe')).html).toContain('Stripe’s live mode')
    await pages.post('/settings', { salesFrom: 'both', mode: 'test' })
    expect((await merchant.get('/settings')).body).toMatchObject({ mode: 'test' })
  })
})

describe('an event of a connected account', () => {
  test.each([{ signed: 'your own account' }, { signed: 'connected accounts' }])(
    'is none of the merchant’s sales, signed for $signed',
    async ({ signed }) => {
      const shop = await openShop()
      const event = await shop.checkout({ account: 'acct_1partner' })
      const secret = signed === 'connected accounts' ? shop.connectSecret : shop.secret
      expect(await shop.deliver(event, { secret })).toMatchObject(RECEIVED)
      expect(await shop.commissions()).toEqual([])
      expect(await shop.listed()).toEqual(['connected_account'])
    },
  )

  test('does not count either when it arrives again, or under another key', async () => {
    const shop = await openShop()
    const event = await shop.checkout({ account: 'acct_1partner' })
    for (const secret of [shop.secret, shop.connectSecret, shop.secret])
      await shop.deliver(event, { secret })
    expect(await shop.commissions()).toEqual([])
  })
})

test('an event of the merchant’s account that is signed for connected accounts does not count, until it is signed for its own', async () => {
  const shop = await openShop()
  const event = await shop.checkout()
  expect(await shop.deliver(event, { secret: shop.connectSecret })).toMatchObject(RECEIVED)
  expect(await shop.commissions()).toEqual([])
  expect(await shop.listed()).toEqual(['wrong_secret'])
  await shop.deliver(event)
  expect(await shop.commissions()).toEqual([{ cents: 980 }])
})

test('a signing secret says whose events it signs, and each endpoint has two', async () => {
  const manager = await (await createMerchant()).asManager()
  const add = (purpose?: string) =>
    manager.post('/stripe/secrets', { secret: signingSecret(), purpose })
  expect(await add()).toMatchObject({ status: 201, body: { purpose: 'account' } })
  expect(await add('account')).toMatchObject({ status: 201 })
  expect(await add('account')).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  expect(await add('connected_accounts')).toMatchObject({
    status: 201,
    body: { purpose: 'connected_accounts' },
  })
  expect(await add('connected_accounts')).toMatchObject({ status: 201 })
  expect(await add('connected_accounts')).toMatchObject({ status: 409 })
  expect(await add('somebody')).toMatchObject({ status: 400 })
})

describe('an event that can’t be read', () => {
  const paid = () => invoice()
  test.each<{ case: string; event: StripeObject; says: string }>([
    {
      case: 'of an amount over the limit',
      event: stripeEvent('invoice.paid', { ...paid(), amount_paid: 100_000_000_000_000 }),
      says: 'amount_paid',
    },
    {
      case: 'without an amount',
      event: stripeEvent('invoice.paid', { ...paid(), total: null }),
      says: 'total',
    },
    {
      case: 'with NUL in an id',
      event: stripeEvent('invoice.paid', { ...paid(), id: 'in_\0' }),
      says: 'NUL',
    },
    {
      case: 'with a thin payload',
      event: {
        id: stripeId('evt'),
        object: 'v2.core.event',
        type: 'v1.invoice.paid',
        created: '2026-01-01T00:00:00Z',
        livemode: false,
        related_object: { id: 'in_1' },
      },
      says: 'Snapshot',
    },
    {
      case: 'with a date that is none',
      event: { ...stripeEvent('invoice.paid', paid()), created: 'now' },
      says: 'created',
    },
    {
      case: 'without an object',
      event: { ...stripeEvent('invoice.paid', {}), data: {} },
      says: 'data.object',
    },
  ])(
    'is answered 422, so that Stripe lists and repeats it, and listed with the reason, and on the overview: $case',
    async ({ event, says }) => {
      const shop = await openShop()
      const refused = { status: 422, body: errorShape('unreadable_event') }
      expect(await shop.deliver(event)).toMatchObject(refused)
      expect(await shop.deliver(event)).toMatchObject(refused)
      const { body } = await shop.manager.get('/stripe/events?unreadable=true')
      expect(body.data).toMatchObject([{ type: event.type, outcome: { code: 'unreadable' } }])
      expect(JSON.stringify(body.data)).toContain(says)
      const pages = await openPages(shop.merchant)
      const { html } = await pages.get('')
      expect(html).toContain(
        '1 event of Stripe in the last 30 days cannot be read, and does not count',
      )
      expect(html).toContain('/stripe?unreadable=true#received')
      expect((await pages.get('/stripe?unreadable=true')).html).toContain(
        'The event cannot be read',
      )
    },
  )

  test('counts when it is delivered again and can be read, and needs no attention any more', async () => {
    const shop = await openShop()
    const id = stripeId('evt')
    const object = checkoutSession({ client_reference_id: await shop.merchant.click() })
    const broken = { ...object, amount_total: '4900' }
    expect(
      await shop.deliver(stripeEvent('checkout.session.completed', broken, { id })),
    ).toMatchObject({
      status: 422,
    })
    await shop.deliver(stripeEvent('customer.created', { id: stripeId('cus') }))
    expect(
      await shop.deliver(stripeEvent('checkout.session.completed', object, { id })),
    ).toMatchObject(RECEIVED)
    expect(await shop.commissions()).toEqual([{ cents: 980 }])
    expect((await shop.manager.get('/stripe/events?unreadable=true')).body.data).toEqual([])
    expect((await (await openPages(shop.merchant)).get('')).html).not.toContain('cannot be read')
  })

  test('of another mode, a connected account or an unused type is no alarm', async () => {
    const shop = await openShop()
    const broken = { ...paid(), total: '4900' }
    const live = stripeEvent('invoice.paid', broken, { livemode: !stripeEvent('a.b', {}).livemode })
    expect(await shop.deliver(live)).toMatchObject(RECEIVED)
    const connected = { ...stripeEvent('invoice.paid', broken), account: 'acct_1' }
    expect(await shop.deliver(connected)).toMatchObject(RECEIVED)
    expect(await shop.deliver(stripeEvent('invoice.finalized', broken))).toMatchObject(RECEIVED)
    expect((await shop.manager.get('/stripe/events?unreadable=true')).body.data).toEqual([])
  })

  test('about a reversed transfer is listed too', async () => {
    const shop = await openShop()
    const transfer = { id: stripeId('tr'), currency: 'usd', amount_reversed: 'all' }
    expect(await shop.deliver(stripeEvent('transfer.reversed', transfer))).toMatchObject({
      status: 422,
    })
    expect(await shop.listed()).toEqual(['unreadable'])
  })

  test('leaves the purchase to its other events', async () => {
    const shop = await openShop()
    const session = checkoutSession({
      client_reference_id: await shop.merchant.click(),
      invoice: 'in_1',
    })
    await shop.deliver(stripeEvent('invoice.paid', { ...paid(), id: 'in_1', total: '4900' }))
    await shop.deliver(stripeEvent('checkout.session.completed', session, { created: seconds() }))
    expect(await shop.commissions()).toEqual([{ cents: 980 }])
  })
})
