import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'
import {
  charge,
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  refund,
  type StripeAccount,
  seconds,
  signedHeaders,
  stripeEvent,
  stripeId,
  type TestEvent,
  useStripe,
} from '../support/stripe.ts'
import { everyNth, SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

/** A merchant with a webhook, and a paid checkout of 49 USD by maya's click. */
const createShop = async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const session = checkoutSession({ client_reference_id: await merchant.click() })
  const checkout = stripeEvent('checkout.session.completed', session)
  const { id } = merchant.workspace
  return {
    ...stripe,
    merchant,
    session,
    checkout,
    /** The number of stored events, and the ledger. */
    kept: async () => {
      const [row] = await database.query<{
        received: number
        sales: number
        earned: number[] | null
      }>(
        `select (select count(*) from processor_events where workspace_id = $1)::int as received,
                (select count(*) from events where workspace_id = $1)::int as sales,
                (select array_agg(amount_cents::float8 order by amount_cents desc) from commissions
                 where workspace_id = $1) as earned`,
        [id],
      )
      return row
    },
    outcomes: () =>
      database.query(
        'select type, outcome, event_id is not null as sold from processor_events where workspace_id = $1 order by id',
        [id],
      ),
  }
}

const RECEIVED = { status: 200, body: { received: true } }
const NOTHING = { received: 0, sales: 0, earned: null }
const ONE_SALE = { received: 1, sales: 1, earned: [980] }

/**
 * Delivers an event as Stripe does, again until it is accepted. Concurrent events of one purchase
 * may get 503.
 */
const deliverUntilTaken = async ({ deliver }: StripeAccount, event: TestEvent): Promise<void> => {
  for (let round = 0; round < 10; round++) {
    const { status } = await deliver(event)
    if (status === 200) return
    expect(status).toBe(503)
    await pause(50 * (round + 1))
  }
  throw new Error(`${event.type} was never taken.`)
}

describe('a delivery that Stripe did not sign for this workspace changes nothing', () => {
  const MINUTE = 60_000
  const from = (ms: number) => new Date(Date.now() + ms)
  type Attempt = (
    shop: Awaited<ReturnType<typeof createShop>>,
  ) => Promise<Parameters<typeof shop.deliver>[1]>

  const sign = (body: string, secret: string, at: Date) =>
    signedHeaders(body, secret, { at }).then((headers) => headers['Stripe-Signature'] ?? '')
  const header = (value: string) => ({ headers: { 'Stripe-Signature': value } })

  test.each<{ case: string; attempt: Attempt }>([
    { case: 'signed with a made-up secret', attempt: async () => ({ secret: signingSecret() }) },
    { case: 'signed with nothing', attempt: async () => ({ secret: 'whsec_' }) },
    {
      case: 'signed with the secret of another workspace',
      attempt: async () => ({ secret: (await useStripe(await createMerchant())).secret }),
    },
    {
      case: 'signed for this workspace, and sent to another',
      attempt: async () => {
        const other = await createMerchant()
        await useStripe(other)
        return { to: other.workspace.slug }
      },
    },
    {
      case: 'sent to a workspace that takes no webhooks',
      attempt: async () => ({ to: (await createMerchant()).workspace.slug }),
    },
    { case: 'sent to an unknown workspace', attempt: async () => ({ to: 'no-such-workspace' }) },
    { case: 'sent to an unknown id', attempt: async () => ({ to: crypto.randomUUID() }) },
    { case: 'sent to an undecodable address', attempt: async () => ({ to: '%00' }) },
    { case: 'six minutes old', attempt: async () => ({ at: from(-6 * MINUTE) }) },
    { case: 'dated six minutes ahead', attempt: async () => ({ at: from(6 * MINUTE) }) },
    { case: 'of 1970', attempt: async () => ({ at: new Date(1_000) }) },
    { case: 'with an empty header', attempt: async () => header('') },
    { case: 'with a header that says nothing', attempt: async () => header('Bearer whsec_1') },
    { case: 'with a date alone', attempt: async () => header(`t=${seconds()}`) },
    { case: 'with an empty signature', attempt: async () => header(`t=${seconds()},v1=`) },
    {
      case: 'with a signature without a date',
      attempt: async ({ checkout, secret }) =>
        header((await sign(JSON.stringify(checkout), secret, from(0))).replace(/t=\d+,/, '')),
    },
    {
      case: 'with a signature of another scheme',
      attempt: async ({ checkout, secret }) =>
        header((await sign(JSON.stringify(checkout), secret, from(0))).replace('v1=', 'v0=')),
    },
    {
      case: 'signed long ago, with a date of today before the real one',
      attempt: async ({ checkout, secret }) =>
        header(`t=${seconds()},${await sign(JSON.stringify(checkout), secret, from(-6 * MINUTE))}`),
    },
    {
      case: 'signed long ago, with a date of today behind the real one',
      attempt: async ({ checkout, secret }) =>
        header(`${await sign(JSON.stringify(checkout), secret, from(-6 * MINUTE))},t=${seconds()}`),
    },
    {
      case: 'signed for a date ahead, with a date of today before it',
      attempt: async ({ checkout, secret }) =>
        header(`t=${seconds()},${await sign(JSON.stringify(checkout), secret, from(6 * MINUTE))}`),
    },
    {
      case: 'with a header of endless parts',
      attempt: async () => header(`t=${seconds()}${',v1=ab'.repeat(2_000)}`),
    },
    {
      case: 'cut short',
      attempt: async ({ checkout }) => ({ arrives: JSON.stringify(checkout).slice(0, -2) }),
    },
    { case: 'with an empty body', attempt: async () => ({ arrives: '' }) },
    {
      case: 'of which one byte was changed',
      attempt: async ({ checkout }) => ({
        arrives: JSON.stringify(checkout).replace('"amount_total":4900', '"amount_total":9900'),
      }),
    },
    {
      case: 'with a reformatted body',
      attempt: async ({ checkout }) => ({ arrives: JSON.stringify(checkout, null, 2) }),
    },
    {
      case: 'to which a byte order mark was added',
      attempt: async ({ checkout }) => ({ arrives: `\uFEFF${JSON.stringify(checkout)}` }),
    },
    {
      case: 'of bytes that are no text',
      attempt: async () => ({ arrives: new Uint8Array([0xff, 0xfe, 0x00, 0x80]) }),
    },
  ])('$case', async ({ attempt }) => {
    const shop = await createShop()
    const delivery = await attempt(shop)
    const { status, body } = await shop.deliver(shop.checkout, delivery)
    expect({ status, body }).toEqual({ status: 400, body: errorShape('invalid_signature') })
    expect(await shop.kept()).toEqual(NOTHING)
    if (!delivery?.to) return
    const [elsewhere] = await database.query(
      'select from processor_events e join workspaces w on w.id = e.workspace_id where w.slug = $1',
      [delivery.to.replace('%00', '')],
    )
    expect(elsewhere).toBeUndefined()
  })

  test('not signed at all', async () => {
    const { checkout, kept, merchant } = await createShop()
    const { id, slug } = merchant.workspace
    const answer = await send(`${inject('baseUrl')}/api/webhooks/stripe/${slug}`, {
      body: checkout,
      headers: { 'CF-Connecting-IP': id },
    })
    expect(answer).toMatchObject({ status: 400, body: errorShape('invalid_signature') })
    expect(await kept()).toEqual(NOTHING)
  })

  test('a body that differs in bytes that no text has is another body', async () => {
    // Decoded, both are the same text: U+FFFD stands for what is not UTF-8.
    const { deliver, kept } = await createShop()
    const event = stripeEvent('customer.created', { name: '\uFFFD' })
    const bytes = Buffer.from(JSON.stringify(event))
    const at = bytes.indexOf(Buffer.from('\uFFFD'))
    const arrives = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from([0xff]),
      bytes.subarray(at + 3),
    ])
    expect((await deliver(event, { arrives })).status).toBe(400)
    expect(await kept()).toEqual(NOTHING)
  })
})

describe('a signed event', () => {
  test('is accepted by the workspace’s id or slug, and within five minutes either way', async () => {
    const { deliver, merchant, checkout, kept } = await createShop()
    const at = (ms: number) => ({ at: new Date(Date.now() + ms) })
    expect(await deliver(checkout, { to: merchant.workspace.id })).toMatchObject(RECEIVED)
    expect(await deliver(checkout, at(-290_000))).toMatchObject(RECEIVED)
    expect(await deliver(checkout, at(290_000))).toMatchObject(RECEIVED)
    expect(await kept()).toEqual(ONE_SALE)
  })

  test('is accepted with two signatures in its header, as during the rotation of a secret', async () => {
    const { deliver, secret, checkout, kept } = await createShop()
    const body = JSON.stringify(checkout)
    const [ours, other] = await Promise.all(
      [secret, signingSecret()].map(
        async (each) => (await signedHeaders(body, each))['Stripe-Signature'],
      ),
    )
    const header = `${other},${ours?.replace(/t=\d+,/, '')}`
    expect(await deliver(checkout, { headers: { 'Stripe-Signature': header } })).toMatchObject(
      RECEIVED,
    )
    expect(await kept()).toEqual(ONE_SALE)
  })

  test('is accepted with any Content-Type', async () => {
    const { deliver, checkout } = await createShop()
    expect(await deliver(checkout, { headers: { 'Content-Type': 'text/plain' } })).toMatchObject(
      RECEIVED,
    )
  })

  test('may be half a megabyte large', async () => {
    const { deliver, checkout, kept } = await createShop()
    const large = { ...checkout, padding: 'ä'.repeat(250_000) }
    expect(await deliver(large)).toMatchObject(RECEIVED)
    expect(await kept()).toEqual(ONE_SALE)
  })

  test('is refused, unread, when it is larger than any event', async () => {
    const { deliver, checkout, kept } = await createShop()
    const { status, body } = await deliver({ ...checkout, padding: 'x'.repeat(1024 * 1024) })
    expect({ status, body }).toEqual({ status: 413, body: errorShape('body_too_large') })
    expect(await kept()).toEqual(NOTHING)
  })

  test.each([
    { case: 'no JSON', body: 'received' },
    { case: 'null', body: 'null' },
    { case: 'a number', body: '1' },
    { case: 'a list', body: '[]' },
    { case: 'nested without end', body: `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}` },
    {
      case: 'without an id',
      body: '{"object":"event","type":"a","created":1,"data":{"object":{}}}',
    },
    {
      case: 'with an id that can’t be stored',
      body: '{"id":"evt_\\u0000","type":"a","created":1}',
    },
  ])('is refused when it is not an event: $case', async ({ body }) => {
    const { deliver, kept } = await createShop()
    expect(await deliver(body)).toMatchObject({ status: 400, body: errorShape('invalid_body') })
    expect(await kept()).toEqual(NOTHING)
  })

  test('is stored if it is the first one, and later only if its type is used', async () => {
    const { deliver, checkout, outcomes } = await createShop()
    const ignored = () =>
      stripeEvent('customer.created', { id: stripeId('cus'), object: 'customer' })
    expect(await deliver(ignored())).toMatchObject(RECEIVED)
    expect(await deliver(ignored())).toMatchObject(RECEIVED)
    expect(await deliver(checkout)).toMatchObject(RECEIVED)
    expect(await deliver(ignored())).toMatchObject(RECEIVED)
    expect(await outcomes()).toMatchObject([
      { type: 'customer.created', outcome: { code: 'ignored' }, sold: false },
      { type: 'checkout.session.completed', outcome: { code: 'sale_credited' }, sold: true },
    ])
  })

  test('is only posted', async () => {
    const { merchant } = await createShop()
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const url = `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`
      expect(await send(url, { method })).toMatchObject({
        status: 404,
        body: errorShape('not_found'),
      })
    }
  })
})

describe('the secrets of a workspace', () => {
  test('are valid at the same time, until one is removed', async () => {
    const { deliver, merchant, secret: old, checkout, kept } = await createShop()
    const { seed, workspace } = merchant
    const secret = signingSecret()
    expect((await deliver(checkout, { secret })).status).toBe(400)
    await seed.addStripeSecret(workspace.id, secret, SECRETS_KEY, 2)
    expect(await deliver(checkout, { secret })).toMatchObject(RECEIVED)
    expect(await deliver(checkout, { secret: old })).toMatchObject(RECEIVED)

    await database.query('delete from stripe_secrets where workspace_id = $1 and slot = 1', [
      workspace.id,
    ])
    expect((await deliver(checkout, { secret: old })).status).toBe(400)
    expect(await deliver(checkout, { secret })).toMatchObject(RECEIVED)
    expect(await kept()).toEqual(ONE_SALE)
  })

  test.each([
    {
      case: 'encrypted under another key',
      spoil: (ciphertext: string) => ciphertext,
      key: 'another key of 32 characters and more',
    },
    { case: 'cut short', spoil: (ciphertext: string) => ciphertext.slice(0, 12), key: SECRETS_KEY },
    { case: 'empty', spoil: () => '', key: SECRETS_KEY },
    { case: 'of other characters than base64 has', spoil: () => '§'.repeat(40), key: SECRETS_KEY },
  ])('work when the other one is $case', async ({ spoil, key }) => {
    const { deliver, merchant, checkout, kept } = await createShop()
    const { seed, workspace } = merchant
    const secret = signingSecret()
    await seed.addStripeSecret(workspace.id, secret, key, 2)
    const [row] = await database.query<{ id: string; ciphertext: string }>(
      'select id, ciphertext from stripe_secrets where workspace_id = $1 and slot = 2',
      [workspace.id],
    )
    await database.query('update stripe_secrets set ciphertext = $2 where id = $1', [
      row?.id,
      spoil(row?.ciphertext ?? ''),
    ])
    expect((await deliver(checkout, { secret })).status).toBe(400)
    expect(await deliver(checkout)).toMatchObject(RECEIVED)
    expect(await kept()).toEqual(ONE_SALE)
  })

  test('cannot be decrypted in another workspace’s row', async () => {
    const { secret, merchant, checkout } = await createShop()
    const other = await createShop()
    await database.query(
      'update stripe_secrets set ciphertext = (select ciphertext from stripe_secrets where workspace_id = $1) where workspace_id = $2',
      [merchant.workspace.id, other.merchant.workspace.id],
    )
    expect((await other.deliver(checkout, { secret })).status).toBe(400)
    expect(await other.kept()).toEqual(NOTHING)
  })
})

describe('repetition and concurrency', () => {
  test('twenty concurrent copies of an event make one sale', async () => {
    const shop = await createShop()
    await Promise.all(Array.from({ length: 20 }, () => deliverUntilTaken(shop, shop.checkout)))
    expect(await shop.kept()).toEqual(ONE_SALE)
    expect(await shop.outcomes()).toMatchObject([
      { sold: true, outcome: { code: 'sale_credited' } },
    ])
  })

  test('twenty concurrent events of one purchase make one sale, and earn what was not refunded', async () => {
    const shop = await createShop()
    const customer = stripeId('cus')
    const { id, payment_intent: paymentIntent } = oldInvoice()
    const names = { invoice: id, customer }
    const payment = { charge: stripeId('ch'), payment_intent: paymentIntent }
    const refunds = Array.from({ length: 5 }, () => refund({ ...payment, amount: 490 }))
    const contested = dispute({ ...payment, amount: 490 })
    const session = { ...shop.session, ...names, mode: 'subscription', payment_intent: null }
    const refunded = {
      ...charge(),
      id: payment.charge,
      payment_intent: paymentIntent,
      amount_refunded: 2_450,
    }
    const events = [
      stripeEvent('checkout.session.completed', session),
      stripeEvent('checkout.session.completed', session),
      stripeEvent('invoice.paid', invoice({ id, customer })),
      stripeEvent('invoice.paid', oldInvoice({ id, customer, ...payment })),
      stripeEvent('invoice_payment.paid', invoicePayment(`${id}`, `${paymentIntent}`)),
      stripeEvent('charge.refunded', refunded),
      ...refunds.map((object) => stripeEvent('refund.created', object)),
      ...refunds.map((object) => stripeEvent('charge.refund.updated', object)),
      stripeEvent('charge.dispute.created', contested),
      stripeEvent('charge.dispute.funds_withdrawn', contested),
      stripeEvent(
        'charge.dispute.closed',
        { ...contested, status: 'won' },
        { created: seconds() + 5 },
      ),
      stripeEvent(
        'charge.dispute.funds_reinstated',
        { ...contested, status: 'won' },
        { created: seconds() + 5 },
      ),
    ]
    expect(events).toHaveLength(20)
    await Promise.all(events.map((event) => deliverUntilTaken(shop, event)))

    const { received, sales, earned } = (await shop.kept()) ?? {}
    expect({ received, sales, sum: earned?.reduce((sum, amount) => sum + amount, 0) }).toEqual({
      received: 20,
      sales: 1,
      sum: 490,
    })
    expect(Math.max(...(earned ?? []))).toBe(980)
  })

  test.each(everyNth(3, [1, 2, 3]))(
    'a checkout and five renewals of its customer at once are six sales, all credited (%i)',
    { tags: 'sampled' },
    async () => {
      const shop = await createShop()
      const customer = stripeId('cus')
      const bills = Array.from({ length: 6 }, (_, month) =>
        invoice({ customer, status_transitions: { paid_at: seconds() + 10 + month } }),
      )
      const session = {
        ...shop.session,
        customer,
        mode: 'subscription',
        payment_intent: null,
        invoice: bills[0]?.id,
      }
      const events = [
        ...bills.map((bill) => stripeEvent('invoice.paid', bill)),
        stripeEvent('checkout.session.completed', session),
      ]
      await Promise.all(events.map((event) => deliverUntilTaken(shop, event)))
      expect(await shop.kept()).toEqual({
        received: 7,
        sales: 6,
        earned: Array<number>(6).fill(980),
      })
    },
  )

  test('concurrent reports of a sale by Stripe and the merchant make one sale', async () => {
    const shop = await createShop()
    const { merchant, session, checkout } = shop
    const report = {
      externalId: session.payment_intent,
      clickId: session.client_reference_id,
      amountCents: 4_900,
    }
    const reports = Array.from({ length: 5 }, () => merchant.sale(report))
    const [answers] = await Promise.all([Promise.all(reports), deliverUntilTaken(shop, checkout)])
    const again = await merchant.sale(report)
    expect(again.body).toMatchObject({ attributed: true })
    for (const { status, body } of answers) if (status !== 503) expect(body).toEqual(again.body)
    expect(await shop.kept()).toEqual(ONE_SALE)
  })

  test('one event under two ids, as two endpoints of one account receive it, makes one sale', async () => {
    const shop = await createShop()
    const twins = [shop.checkout, { ...shop.checkout, id: stripeId('evt') }]
    await Promise.all(twins.map((event) => deliverUntilTaken(shop, event)))
    expect(await shop.kept()).toEqual({ ...ONE_SALE, received: 2 })
  })
})

const FUZZ_RUNS = timesOver({ quick: 30, thorough: 300, exhaustive: 5_000 })

/** A valid event of each type, about one purchase. */
const soundEvents = (clickId: string, purchase: string): TestEvent[] => {
  const [id, customer] = [`in_${purchase}`, `cus_${purchase}`]
  const payment = { payment_intent: `pi_${purchase}`, charge: `ch_${purchase}` }
  const reference = { client_reference_id: clickId, customer }
  const subscription = { mode: 'subscription', invoice: id, payment_intent: null }
  const refunds = { data: [refund({ amount: 100 })] }
  return [
    stripeEvent('checkout.session.completed', checkoutSession({ ...reference, ...subscription })),
    stripeEvent('checkout.session.completed', checkoutSession({ ...reference, ...payment })),
    stripeEvent('invoice.paid', invoice({ id, customer, payments: { data: [{ payment }] } })),
    stripeEvent(
      'invoice.paid',
      oldInvoice({ id, customer, ...payment, total_tax_amounts: [{ amount: 100 }] }),
    ),
    stripeEvent('invoice_payment.paid', invoicePayment(id, payment.payment_intent)),
    stripeEvent(
      'charge.refunded',
      charge({ ...payment, id: payment.charge, amount_refunded: 100, refunds }),
    ),
    stripeEvent('refund.updated', refund(payment)),
    stripeEvent('charge.dispute.created', dispute(payment)),
  ]
}

/** Invalid values of the right type. */
const STRANGE_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  '😀'.repeat(200),
  'clk_x',
  'cus_1',
  'zzz',
  'XXX',
  'x'.repeat(10_000),
]
const STRANGE_NUMBERS = [
  0,
  -1,
  -0,
  0.5,
  1,
  1e15,
  -1e15,
  1e300,
  Number.MAX_SAFE_INTEGER,
  99_999_999_999_999,
  -99_999_999_999_999,
  253_402_300_799,
  253_402_300_800,
]
const strangeText = fc.oneof(fc.constantFrom(...STRANGE_TEXTS), fc.string({ unit: 'binary' }))
const strangeNumber = fc.oneof(
  fc.constantFrom(...STRANGE_NUMBERS),
  fc.integer(),
  fc.double({ noNaN: true }),
)
const strangeValue = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    true,
    {},
    [],
    [null],
    { id: 'x' },
    { data: null },
    { data: [{}] },
    [{ coupon: null }],
  ),
  fc.jsonValue(),
  strangeText,
  strangeNumber,
)

/** Invalid values, more often of the right type than of another. */
const strange = (value: unknown) => {
  if (typeof value === 'string')
    return fc.oneof({ weight: 2, arbitrary: strangeText }, strangeValue)
  if (typeof value === 'number')
    return fc.oneof({ weight: 2, arbitrary: strangeNumber }, strangeValue)
  return strangeValue
}

type Part = { path: string[]; value: unknown }

/** Every value in an object, with its path. */
const partsOf = (value: unknown, path: string[] = []): Part[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, child]) => {
        const part = { path: [...path, key], value: child }
        return [part, ...partsOf(child, part.path)]
      })
    : []

const replaceAt = (value: unknown, [key, ...rest]: string[], by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((part, index) => (`${index}` === key ? replaceAt(part, rest, by) : part))
  if (typeof value !== 'object' || value === null) return value
  return { ...value, [key]: replaceAt(value[key as keyof typeof value], rest, by) }
}

/** A valid event with up to three invalid values. */
const strangeEvent = (clickId: string) =>
  // Some purchases have many events, some have one.
  fc
    .oneof(fc.constantFrom('1', '2', '3'), fc.uuid())
    .chain((purchase) => fc.constantFrom(...soundEvents(clickId, purchase)))
    .chain((event) => {
      const change = fc
        .constantFrom(
          ...partsOf(event.data, ['data']),
          { path: ['type'], value: '' },
          { path: ['created'], value: 0 },
        )
        .chain(({ path, value }) => fc.tuple(fc.constant(path), strange(value)))
      return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) =>
        changes.reduce<unknown>((changed, [path, by]) => replaceAt(changed, path, by), {
          ...event,
          id: stripeId('evt'),
        }),
      )
    })

test('any signed event gets 200, 400 or 422, and a valid one after it still counts', {
  tags: 'sampled',
  timeout: 120_000,
}, async () => {
  const { deliver, merchant, checkout, kept } = await createShop()
  await fc.assert(
    fc.asyncProperty(strangeEvent(await merchant.click()), async (event) => {
      const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
      const { status, body } = await deliver(JSON.stringify(event), { headers })
      expect([
        { status: 200 },
        { status: 400, code: 'invalid_body' },
        { status: 422, code: 'unreadable_event' },
      ]).toContainEqual({ status, code: body.error?.code })
    }),
    { seed: SEEDS[0], numRuns: FUZZ_RUNS },
  )
  const before = await kept()
  expect(await deliver(checkout)).toMatchObject(RECEIVED)
  expect((await kept())?.sales).toBe((before?.sales ?? 0) + 1)
})
