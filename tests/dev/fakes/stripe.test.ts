import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { STRIPE_PATH, type StripeFake, startStripe } from '../../../dev/fakes/stripe.ts'
import { listen } from '../../../dev/runtime/ports.ts'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'

type Json = { [key: string]: unknown }

let fake: StripeFake
let stripe: Stripe
/** The official client, pointed at a fake. */
const clientOf = ({ url }: { url: string }) => {
  const { hostname: host, port } = new URL(url)
  return new Stripe('sk_test_any', {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
}
beforeAll(async () => {
  fake = await startStripe()
  stripe = clientOf(fake)
})
afterAll(() => fake.stop())

const PLAN = {
  quantity: 1,
  price_data: {
    currency: 'usd',
    unit_amount: 2_900,
    recurring: { interval: 'month' },
    product_data: { name: 'Grove' },
  },
} as const
const BOOK = {
  quantity: 2,
  price_data: { currency: 'usd', unit_amount: 1_250, product_data: { name: 'A book' } },
} as const

const openSubscription = (params: Stripe.Checkout.SessionCreateParams = {}, client = stripe) =>
  client.checkout.sessions.create({
    mode: 'subscription',
    line_items: [PLAN],
    success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
    ...params,
  })
const openPurchase = (params: Stripe.Checkout.SessionCreateParams = {}) =>
  stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [BOOK],
    success_url: 'https://shop.example/thanks',
    ...params,
  })

/** A coupon of 10% for ever, with its code. */
const addCode = () => {
  const code = `CODE${crypto.randomUUID().slice(0, 8)}`
  const { coupon, promotionCode } = fake.addCoupon({ percentOff: 10, duration: 'forever' }, code)
  return { code, coupon: coupon.id, promotionCode: promotionCode?.id ?? '' }
}

const BUYER = { email: 'ada@example.com' }

/** Calls the API without the client. */
const call = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${fake.url}${path}`, {
    ...init,
    headers: { Authorization: 'Bearer sk_test_any', ...init.headers },
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}
const post = (path: string, params: Record<string, string>, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', body: new URLSearchParams(params), headers })

describe('a subscription by checkout', () => {
  test('creates a customer, an invoice, its payment and a charge that refer to each other', async () => {
    const { code, coupon, promotionCode } = addCode()
    const session = await openSubscription({
      allow_promotion_codes: true,
      client_reference_id: 'clk_1',
    })
    expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid', amount_total: 2_900 })
    expect(session.id).toMatch(/^cs_test_\w{58}$/)
    expect(session.url).toBe(`${fake.url}${STRIPE_PATH}/pay/${session.id}`)

    fake.pay(session.id, { ...BUYER, promotionCode: code })
    const paid = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['invoice.payments', 'customer'],
    })
    expect(paid).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      amount_total: 2_610,
      total_details: { amount_discount: 290 },
      client_reference_id: 'clk_1',
      discounts: [{ coupon, promotion_code: promotionCode }],
      customer: { object: 'customer', email: 'ada@example.com' },
      customer_details: { email: 'ada@example.com' },
      payment_intent: null,
      invoice: {
        status: 'paid',
        amount_paid: 2_610,
        billing_reason: 'subscription_create',
        parent: { subscription_details: { subscription: paid.subscription } },
        payments: { data: [{ object: 'invoice_payment', amount_paid: 2_610 }] },
      },
    })

    const { data: byPart } = await stripe.checkout.sessions.list({
      subscription: String(paid.subscription),
    })
    expect(byPart.map(({ id }) => id)).toEqual([session.id])
    const { data: invoices } = await stripe.invoices.list({
      subscription: String(paid.subscription),
      status: 'paid',
    })
    expect(invoices).toHaveLength(1)
    const { data: payments } = await stripe.invoicePayments.list({ invoice: invoices[0]?.id ?? '' })
    const intent = await stripe.paymentIntents.retrieve(
      String(payments[0]?.payment.payment_intent),
      {
        expand: ['latest_charge'],
      },
    )
    expect(intent).toMatchObject({
      amount: 2_610,
      latest_charge: { object: 'charge', payment_intent: intent.id },
    })
  })

  test('is renewed with a new invoice, and with the coupon while it lasts', async () => {
    const { coupon: once } = fake.addCoupon({ percentOff: 50, duration: 'once' })
    const { coupon: forever } = fake.addCoupon({
      amountOff: 400,
      currency: 'usd',
      duration: 'forever',
    })
    for (const [coupon, renewed] of [
      [once.id, 2_900],
      [forever.id, 2_500],
    ] as const) {
      const session = await openSubscription({ discounts: [{ coupon }] })
      const { subscription } = fake.pay(session.id, BUYER)
      const invoice = fake.renew(String(subscription))
      expect(invoice).toMatchObject({ amount_paid: renewed, billing_reason: 'subscription_cycle' })
      const { latest_invoice, items } = await stripe.subscriptions.retrieve(String(subscription))
      expect(latest_invoice).toBe(invoice.id)
      expect(items.data[0]?.current_period_start).toBe(invoice.period_start)
    }
  })

  test('of amount 0 is completed without a payment', async () => {
    const { coupon } = fake.addCoupon({ percentOff: 100 })
    const { id } = await openSubscription({ discounts: [{ coupon: coupon.id }] })
    const session = fake.pay(id, BUYER)
    expect(session).toMatchObject({ amount_total: 0, payment_status: 'no_payment_required' })
    const invoice = await stripe.invoices.retrieve(String(session.invoice), {
      expand: ['payments'],
    })
    expect(invoice).toMatchObject({ status: 'paid', amount_paid: 0, payments: { data: [] } })
  })
})

describe('a purchase by checkout', () => {
  test('of a guest has no customer and no invoice, unless requested', async () => {
    const guest = fake.pay((await openPurchase()).id, BUYER)
    expect(guest).toMatchObject({ amount_total: 2_500, customer: null, invoice: null })
    expect(guest.payment_intent).toMatch(/^pi_/)

    const known = fake.pay((await openPurchase({ customer_creation: 'always' })).id, BUYER)
    expect(known.customer).toMatch(/^cus_/)
    const billed = fake.pay((await openPurchase({ invoice_creation: { enabled: true } })).id, BUYER)
    expect(billed).toMatchObject({
      invoice: expect.stringMatching(/^in_/),
      payment_intent: expect.stringMatching(/^pi_/),
    })
  })

  test('of a known customer keeps that customer', async () => {
    const customer = await stripe.customers.create({ email: 'eve@example.com', name: 'Eve' })
    const paid = fake.pay((await openPurchase({ customer: customer.id })).id, BUYER)
    expect(paid.customer).toBe(customer.id)
    expect((await stripe.customers.list({ email: 'eve@example.com' })).data).toHaveLength(1)
  })

  test('can’t be paid twice, or with an unknown code', async () => {
    const { id } = await openPurchase({ allow_promotion_codes: true })
    expect(() => fake.pay(id, { ...BUYER, promotionCode: 'NONE' })).toThrow('This code is invalid.')
    fake.pay(id, BUYER)
    expect(() => fake.pay(id, BUYER)).toThrow('no longer open')
  })
})

describe('a payment by a form of the merchant’s own', () => {
  const params = { amount: 4_900, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' }

  test('succeeds, names no order, and carries its metadata in its event', async () => {
    const metadata = { tributary_click: 'clk_1' }
    const { id } = await stripe.paymentIntents.create({ ...params, metadata })
    const event = fake.events().findLast(({ type }) => type === 'payment_intent.succeeded')
    expect(event?.data.object).toMatchObject({
      id,
      amount_received: 4_900,
      metadata,
      payment_details: { order_reference: null },
      status: 'succeeded',
    })
    expect(fake.refund(id, 900)).toMatchObject({ payment_intent: id, amount: 900 })
  })

  test.each([
    { case: 'without a payment method', given: { payment_method: undefined } },
    { case: 'unconfirmed, which the fake does not keep', given: { confirm: false } },
    { case: 'of a customer who does not exist', given: { customer: 'cus_none' } },
    { case: 'of nothing', given: { amount: 0 } },
  ])('is refused $case', async ({ given }) => {
    const { payment_method, ...rest } = { ...params, ...given }
    const request = { ...rest, ...(payment_method && { payment_method }) }
    await expect(stripe.paymentIntents.create(request)).rejects.toMatchObject({ statusCode: 400 })
  })
})

describe('refunds and disputes', () => {
  const buy = async () => String(fake.pay((await openPurchase()).id, BUYER).payment_intent)

  test('a refund is added to the charge, and never exceeds the payment', async () => {
    const payment_intent = await buy()
    const half = await stripe.refunds.create({ payment_intent, amount: 1_250 })
    expect(half).toMatchObject({ amount: 1_250, status: 'succeeded', payment_intent })
    await expect(stripe.refunds.create({ payment_intent, amount: 1_251 })).rejects.toThrow(
      /greater than unrefunded/,
    )
    await stripe.refunds.create({ payment_intent })
    await expect(stripe.refunds.create({ payment_intent })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    })
    const [charge] = (await stripe.charges.list({ payment_intent, expand: ['data.refunds'] })).data
    expect(charge).toMatchObject({ amount_refunded: 2_500, refunded: true })
    expect(charge?.refunds?.data.map(({ amount }) => amount)).toEqual([1_250, 1_250])

    expect(fake.failRefund(half.id)).toMatchObject({ status: 'failed' })
    expect(await stripe.charges.retrieve(charge?.id ?? '')).toMatchObject({
      amount_refunded: 1_250,
      refunded: false,
    })
  })

  test('a dispute withdraws the payment, and returns it when won', async () => {
    const payment = await buy()
    const before = fake.events().length
    const dispute = fake.dispute(payment)
    await expect(stripe.refunds.create({ payment_intent: payment })).rejects.toMatchObject({
      code: 'charge_disputed',
    })
    fake.closeDispute(dispute.id, 'won')
    expect(() => fake.closeDispute(dispute.id, 'lost')).toThrow('already closed')
    expect(
      fake
        .events()
        .slice(before)
        .map(({ type }) => type),
    ).toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.updated',
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
    ])
  })
})

describe('the API', () => {
  test('lists newest first, a page at a time, and by time', async () => {
    let now = new Date('2026-01-01T00:00:00Z')
    const other = await startStripe({ now: () => now })
    const client = clientOf(other)
    const ids: string[] = []
    for (const month of ['01', '02', '03', '04']) {
      now = new Date(`2026-${month}-01T00:00:00Z`)
      ids.unshift((await client.customers.create({ email: 'a@a.example' })).id)
    }
    const first = await client.customers.list({ limit: 3 })
    expect(first).toMatchObject({ has_more: true, data: ids.slice(0, 3).map((id) => ({ id })) })
    const rest = await client.customers.list({ limit: 3, starting_after: ids[2] ?? '' })
    expect(rest).toMatchObject({ has_more: false, data: [{ id: ids[3] }] })
    const before = await client.customers.list({ limit: 1, ending_before: ids[2] ?? '' })
    expect(before).toMatchObject({ has_more: true, data: [{ id: ids[1] }] })
    expect(
      (await client.customers.list({ limit: 2 }).autoPagingToArray({ limit: 10 })).map(
        ({ id }) => id,
      ),
    ).toEqual(ids)
    const since = Date.parse('2026-03-01T00:00:00Z') / 1_000
    expect((await client.customers.list({ created: { gte: since } })).data).toHaveLength(2)
    expect((await client.customers.list({ created: since })).data).toHaveLength(1)
    await other.stop()
  })

  test.each([
    ['no key', { Authorization: '' }],
    ['a key of another service', { Authorization: 'Bearer re_test_1' }],
    ['a live key', { Authorization: 'Bearer sk_live_1' }],
  ])('refuses %s', async (_case, headers) => {
    expect(await call('/v1/customers', { headers })).toMatchObject({
      status: 401,
      body: { error: { type: 'invalid_request_error' } },
    })
  })

  test.each(['/v1/x', '/', '/v1/customers/cus_1/nothing'])(
    'answers Stripe’s 404 at %s',
    async (path) => {
      expect(await call(path)).toMatchObject({
        status: 404,
        body: {
          error: {
            type: 'invalid_request_error',
            message: expect.stringContaining(`Unrecognized request URL (GET: ${path}).`),
          },
        },
      })
    },
  )

  test.each([
    {
      case: 'a missing parameter',
      params: { mode: 'payment' },
      code: 'parameter_missing',
      param: 'line_items',
    },
    {
      case: 'a missing nested parameter',
      params: { 'line_items[0][price_data][currency]': 'usd' },
      code: 'parameter_missing',
      param: 'line_items[0][price_data][unit_amount]',
    },
    {
      case: 'an unknown parameter',
      params: { colour: 'red' },
      code: 'parameter_unknown',
      param: 'colour',
    },
    {
      case: 'an unknown price',
      params: { 'line_items[0][price]': 'price_1' },
      code: 'resource_missing',
      param: 'line_items[0][price]',
    },
    {
      case: 'an unknown customer',
      params: { customer: 'cus_1' },
      code: 'resource_missing',
      param: 'customer',
    },
    {
      case: 'a client reference that Stripe would drop',
      params: { client_reference_id: 'a b' },
      param: 'client_reference_id',
    },
    {
      case: 'a client reference that is too long',
      params: { client_reference_id: 'a'.repeat(201) },
      param: 'client_reference_id',
    },
    { case: 'an invalid URL', params: { success_url: '/thanks' }, param: 'success_url' },
    {
      case: 'an amount that is no integer',
      params: { 'line_items[0][quantity]': '1.5' },
      param: 'line_items[0][quantity]',
    },
  ])('refuses $case', async ({ params, code, param }) => {
    const whole = {
      mode: 'payment',
      success_url: 'https://shop.example/',
      ...(!('mode' in params) && {
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][product_data][name]': 'A book',
        ...(param !== 'line_items[0][price_data][unit_amount]' && {
          'line_items[0][price_data][unit_amount]': '100',
        }),
      }),
      ...params,
    }
    expect(await post('/v1/checkout/sessions', whole)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', param, ...(code && { code }) } },
    })
  })

  test.each([
    [
      'a subscription of what is sold once',
      { mode: 'subscription', line_items: [BOOK] },
      /at least one recurring price/,
    ],
    ['a purchase of what recurs', { mode: 'payment', line_items: [PLAN] }, /recurring price/],
    [
      'codes beside a discount',
      { discounts: [{ coupon: 'C' }], allow_promotion_codes: true },
      /only specify one/,
    ],
    ['a discount that is not there', { discounts: [{ coupon: 'C' }] }, /No such coupon: 'C'/],
  ] satisfies [string, Stripe.Checkout.SessionCreateParams, RegExp][])(
    'refuses %s',
    async (_case, params, says) => {
      await expect(
        stripe.checkout.sessions.create({
          mode: 'payment',
          line_items: [BOOK],
          success_url: 'https://shop.example/',
          ...params,
        }),
      ).rejects.toThrow(says)
    },
  )

  test('refuses unknown ids, and expands only ids', async () => {
    await expect(stripe.invoices.retrieve('in_1')).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such invoice: 'in_1'",
    })
    const { id } = await openPurchase()
    await expect(stripe.checkout.sessions.retrieve(id, { expand: ['mode'] })).rejects.toThrow(
      'This property cannot be expanded (mode).',
    )
    await expect(
      stripe.checkout.sessions.retrieve(id, { expand: ['nothing.at.all'] }),
    ).rejects.toThrow('This property cannot be expanded')
  })

  test('executes a repeated request once, and refuses another one with its key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await post('/v1/customers', { email: 'once@example.com' }, headers)
    const again = await post('/v1/customers', { email: 'once@example.com' }, headers)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await post('/v1/customers', { email: 'twice@example.com' }, headers)).toMatchObject({
      status: 400,
      body: { error: { type: 'idempotency_error' } },
    })
    expect((await stripe.customers.list({ email: 'once@example.com' })).data).toHaveLength(1)
  })

  test('fails as planned, and a call that was cut off is executed once when repeated', async () => {
    fake.plan({ status: 500 }, 'garbage', { status: 429, code: 'rate_limit' }, 'cut_after')
    const calls = fake.calls()
    await expect(stripe.balance.retrieve()).rejects.toMatchObject({ statusCode: 500 })
    await expect(stripe.balance.retrieve()).rejects.toThrow()
    await expect(stripe.balance.retrieve()).rejects.toMatchObject({ statusCode: 429 })
    // The client would retry immediately.
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const make = () => post('/v1/customers', { email: 'cut@example.com' }, headers)
    await expect(make()).rejects.toThrow()
    await make()
    expect((await stripe.customers.list({ email: 'cut@example.com' })).data).toHaveLength(1)
    expect(fake.calls() - calls).toBe(6)
  })
})

describe('events', () => {
  type Received = { body: string; headers: IncomingHttpHeaders; event: Stripe.Event }
  /** An endpoint that responds with the given statuses, then with 200. */
  const receive = async (...statuses: number[]) => {
    const received: Received[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(request, 'end')
      const body = Buffer.concat(chunks).toString()
      received.push({ body, headers: request.headers, event: JSON.parse(body) as Stripe.Event })
      response.writeHead(statuses.shift() ?? 200).end()
    })
    return { received, ...(await listen(server)) }
  }

  test('are signed with the endpoint’s secret, and filtered by its subscriptions', async () => {
    const other = await startStripe()
    const { received, url, stop } = await receive()
    const client = clientOf(other)
    const endpoint = await client.webhookEndpoints.create({
      url: `${url}/hook`,
      enabled_events: [...STRIPE_EVENTS] as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
    })
    expect(endpoint.secret).toMatch(/^whsec_\w{32}$/)
    expect(await client.webhookEndpoints.retrieve(endpoint.id)).not.toHaveProperty('secret')

    other.pay((await openSubscription({}, client)).id, BUYER)
    await other.settled()
    expect(received.map(({ event }) => event.type)).toEqual([
      'customer.created',
      'customer.subscription.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice.paid',
      'invoice_payment.paid',
      'checkout.session.completed',
    ])
    for (const { body, headers } of received) {
      const signature = headers['stripe-signature'] ?? ''
      const event = await Stripe.webhooks.constructEventAsync(
        body,
        signature,
        endpoint.secret ?? '',
      )
      expect((await client.events.retrieve(event.id)).type).toBe(event.type)
      await expect(
        Stripe.webhooks.constructEventAsync(body, signature, 'whsec_other'),
      ).rejects.toThrow()
    }
    expect((await client.events.list({ type: 'invoice.paid' })).data).toHaveLength(1)
    await Promise.all([other.stop(), stop()])
  })

  test('are retried until delivered, and resent on request', async () => {
    const other = await startStripe()
    const { received, url, stop } = await receive(503, 302)
    other.addEndpoint({ url, secret: 'whsec_known', events: ['customer.created'] })
    await clientOf(other).customers.create({ email: 'a@a.example' })
    await other.settled()
    const [event] = other.events()
    expect(received.map((one) => one.event.id)).toEqual([event?.id, event?.id, event?.id])
    expect(other.deliveries()).toMatchObject([{ state: 'delivered', attempts: 3, status: 200 }])
    expect(event?.pending_webhooks).toBe(0)
    other.resend(event?.id ?? '')
    await other.settled()
    expect(received).toHaveLength(4)
    await Promise.all([other.stop(), stop()])
  })

  test('of one action arrive in random order on request, and completely', async () => {
    const other = await startStripe({ shuffle: true })
    const { received, url, stop } = await receive()
    other.addEndpoint({ url })
    const orders = new Set<string>()
    await vi.waitFor(
      async () => {
        received.length = 0
        other.pay((await openSubscription({}, clientOf(other))).id, BUYER)
        await other.settled()
        orders.add(received.map(({ event }) => event.type).join())
        expect(new Set(received.map(({ event }) => event.type)).size).toBe(10)
        expect(orders.size).toBeGreaterThan(1)
      },
      { timeout: 10_000 },
    )
    await Promise.all([other.stop(), stop()])
  })
})

describe('the pages', () => {
  const form = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${fake.url}${STRIPE_PATH}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { Origin: fake.url, ...headers },
      redirect: 'manual',
    })

  test('accept a code and a payment, and redirect the buyer with the session’s id', async () => {
    const { code } = addCode()
    const session = await openSubscription({
      allow_promotion_codes: true,
      cancel_url: 'https://shop.example/',
    })
    const path = `/pay/${session.id}`
    expect(await (await form(`${path}/code`, { code: '<b>' })).text()).toContain(
      'value="&lt;b&gt;"',
    )
    expect((await form(`${path}/code`, { code: ` ${code.toLowerCase()} ` })).status).toBe(303)
    const page = await fetch(session.url ?? '')
    expect(page.headers.get('Content-Security-Policy')).toContain(
      "form-action 'self' https://shop.example",
    )
    expect(await page.text()).toContain('26.10 USD')
    expect((await form(path, { email: 'nobody' })).status).toBe(400)

    const back = `https://shop.example/thanks?session=${session.id}`
    for (const _press of ['first', 'second']) {
      const paid = await form(path, { email: 'ada@example.com' })
      expect({ status: paid.status, to: paid.headers.get('Location') }).toEqual({
        status: 303,
        to: back,
      })
    }
    expect((await fetch(session.url ?? '')).status).toBe(410)
  })

  test('trigger the merchant’s actions, and say why one fails', async () => {
    const session = await openSubscription()
    const { subscription, invoice } = fake.pay(session.id, { email: 'page@example.com' })
    const [payment] = (await stripe.invoicePayments.list({ invoice: String(invoice) })).data
    const [charge] = (
      await stripe.charges.list({ payment_intent: String(payment?.payment.payment_intent) })
    ).data
    expect((await form(`/subscriptions/${subscription}/renew`, {})).status).toBe(303)
    expect((await form(`/charges/${charge?.id}/refund`, { amount: '1450' })).status).toBe(303)
    expect((await form(`/charges/${charge?.id}/dispute`, {})).status).toBe(303)
    const refused = await form(`/charges/${charge?.id}/refund`, {})
    expect(refused.status).toBe(400)
    const page = await refused.text()
    expect(page).toContain('has been charged back; cannot issue a refund.')
    expect(page).toContain('14.50 USD refunded')
    expect(page).toContain('dispute: needs response')
    expect((await stripe.invoices.list({ subscription: String(subscription) })).data).toHaveLength(
      2,
    )
  })

  test.each([
    ['from another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  ])('refuse a form %s', async (_case, headers) => {
    const { id } = await openPurchase()
    expect((await form(`/pay/${id}`, { email: 'ada@example.com' }, headers)).status).toBe(403)
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe('open')
  })

  test.each(['/pay/cs_test_none', '/nothing'])('are not found at %s', async (path) => {
    expect((await fetch(`${fake.url}${STRIPE_PATH}${path}`)).status).toBe(404)
  })
})

describe('each object has the shape of Stripe’s', () => {
  /** Fields in Stripe's types but not in its samples: newer, or omitted there. */
  const ADDED = [
    'charge.payment_method_details.card.electronic_commerce_indicator',
    'checkout.session.allowed_payment_method_types',
    'dispute.evidence_details.submission_method',
    'dispute.intended_submission_method',
    'invoice.lines.data[].pricing.price_details',
    'invoice_payment.payment.payment_intent',
    'payment_intent.allowed_payment_method_types',
    'payment_intent.payment_details',
    'payment_intent.payment_record',
    'product.tax_details',
    'subscription.items.data[].current_trial',
  ]
  /** Fields in the samples that Stripe no longer returns, or returns only if expanded. */
  const LEFT_OUT = ['invoice.subscription', 'charge.refunds']

  const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null
  const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)
  /** Null, metadata and empty values in a sample match anything. */
  const isOpen = (value: unknown, path: string): boolean =>
    value == null ||
    path.endsWith('metadata') ||
    path.startsWith('event.data') ||
    !Object.keys(value).length

  /**
   * The differences of an object from a sample: keys that only one of them has, and types of
   * values.
   */
  const differences = (ours: unknown, sample: unknown, path: string): string[] => {
    if (ours === null || isOpen(sample, path)) return []
    if (kindOf(ours) !== kindOf(sample))
      return [`${path} is ${kindOf(ours)}, not ${kindOf(sample)}`]
    if (Array.isArray(ours) && Array.isArray(sample)) {
      return ours.flatMap((one) => differences(one, sample[0], `${path}[]`))
    }
    if (!isJson(ours) || !isJson(sample)) return []
    const missing = path.includes('.') ? [] : Object.keys(sample).filter((key) => !(key in ours))
    return [
      ...missing.map((key) => `${path}.${key}`).filter((name) => !LEFT_OUT.includes(name)),
      ...Object.entries(ours)
        .filter(([key]) => !ADDED.includes(`${path}.${key}`))
        .flatMap(([key, value]) =>
          key in sample
            ? differences(value, sample[key], `${path}.${key}`)
            : [`${path}.${key} is not in the sample`],
        ),
    ]
  }
  const sampleOf = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../fixtures/stripe/${name}.json`, import.meta.url), 'utf8'))

  test('as in its published samples', async () => {
    const { code } = addCode()
    const { id } = await openSubscription({ allow_promotion_codes: true })
    const { invoice, subscription } = fake.pay(id, { ...BUYER, promotionCode: code })
    const purchase = fake.pay((await openPurchase()).id, BUYER)
    const payment = String(purchase.payment_intent)
    const { id: endpoint } = fake.addEndpoint({ url: 'http://127.0.0.1:1/', events: ['none'] })
    const paths = [
      `checkout/sessions/${id}`,
      `checkout/sessions/${purchase.id}`,
      `invoices/${invoice}`,
      `subscriptions/${subscription}`,
      `refunds/${fake.refund(payment, 100).id}`,
      `disputes/${fake.dispute(payment).id}`,
      `webhook_endpoints/${endpoint}`,
    ]
    const lists = [
      'charges',
      'coupons',
      'customers',
      'events',
      'invoice_payments',
      'payment_intents',
    ]
    lists.push('prices', 'products', 'promotion_codes')
    const expanded = await call(`/v1/subscriptions/${subscription}?expand[]=discounts`)
    const objects: unknown[] = [
      ...(await Promise.all(paths.map(async (path) => (await call(`/v1/${path}`)).body))),
      ...(
        await Promise.all(lists.map(async (list) => (await call(`/v1/${list}?limit=1`)).body.data))
      ).flat(),
      expanded.body.discounts,
    ].flat()

    const names = objects.map((ours) => (isJson(ours) ? String(ours.object) : ''))
    expect(new Set(names).size).toBe(16)
    expect(
      objects.flatMap((ours, at) => differences(ours, sampleOf(names[at] ?? ''), names[at] ?? '')),
    ).toEqual([])
  })
})
