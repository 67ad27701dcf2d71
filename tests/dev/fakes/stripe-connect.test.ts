import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STRIPE_PATH, type StripeFake, startStripe } from '../../../dev/fakes/stripe.ts'
import { listen } from '../../../dev/runtime/ports.ts'

type Json = { [key: string]: unknown }

let now = new Date('2026-11-02T10:00:00Z')
const later = (hours: number) => {
  now = new Date(now.getTime() + hours * 60 * 60 * 1_000)
}

let fake: StripeFake
beforeAll(async () => {
  fake = await startStripe({ now: () => now })
})
afterAll(() => fake.stop())

/** The official client, with a key of its own. */
const newKey = () => `sk_test_${crypto.randomUUID().replaceAll('-', '')}`
const clientOf = (key = newKey(), config: Stripe.StripeConfig = {}) => {
  const { hostname: host, port } = new URL(fake.url)
  return new Stripe(key, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    ...config,
  })
}

/** The parameters with which Tributary creates accounts. */
const RECIPIENT = {
  contact_email: 'maya@example.com',
  display_name: 'Maya',
  dashboard: 'express',
  identity: { country: 'us' },
  defaults: {
    responsibilities: { fees_collector: 'application', losses_collector: 'application' },
  },
  configuration: {
    recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
  },
  include: ['configuration.recipient', 'requirements', 'identity', 'defaults'],
} as const satisfies Stripe.V2.Core.AccountCreateParams
const newAccount = (stripe: Stripe) =>
  stripe.v2.core.accounts.create({ ...RECIPIENT, include: [...RECIPIENT.include] })

/** A merchant with an onboarded account. */
const startMerchant = async () => {
  const key = newKey()
  const stripe = clientOf(key)
  const { id } = await newAccount(stripe)
  fake.onboard(id)
  return { key, stripe, id }
}

/** Calls the API without the client, which would retry and generate idempotency keys. */
const call = async (key: string, path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${fake.url}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${key}`, ...init.headers },
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
}
const send = (key: string, params: Record<string, string>, idempotencyKey?: string) =>
  call(key, '/v1/transfers', {
    method: 'POST',
    body: new URLSearchParams({ amount: '1000', currency: 'usd', ...params }),
    headers: idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {},
  })
const VERSION = { 'Stripe-Version': Stripe.API_VERSION, 'Content-Type': 'application/json' }
const postJson = (key: string, path: string, body: object, headers: Record<string, string> = {}) =>
  call(key, path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...VERSION, ...headers },
  })

const includes = { include: ['configuration.recipient', 'requirements'] } as const
const statusOf = async (stripe: Stripe, id: string) => {
  const { configuration, requirements } = await stripe.v2.core.accounts.retrieve(id, {
    include: [...includes.include],
  })
  const transfers = configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers
  return {
    status: transfers?.status,
    codes: transfers?.status_details.map(({ code }) => code),
    due: requirements?.entries?.length,
  }
}

describe('a connected account', () => {
  test('is new, half onboarded, onboarded, restricted, restored and closed', async () => {
    const stripe = clientOf()
    const account = await newAccount(stripe)
    expect(account).toMatchObject({
      id: expect.stringMatching(/^acct_\w{16}$/),
      object: 'v2.core.account',
      applied_configurations: ['recipient'],
      contact_email: 'maya@example.com',
      created: now.toISOString(),
      identity: { country: 'US' },
      defaults: { responsibilities: { requirements_collector: 'stripe' } },
      future_requirements: null,
    })
    const { id } = account
    const started = { status: 'restricted', codes: ['requirements_past_due'] }
    expect(await statusOf(stripe, id)).toEqual({ ...started, due: 5 })
    fake.leaveOnboarding(id)
    expect(await statusOf(stripe, id)).toEqual({ ...started, due: 2 })
    fake.onboard(id)
    expect(await statusOf(stripe, id)).toEqual({ status: 'active', codes: [], due: 0 })
    fake.restrictAccount(id)
    expect(await statusOf(stripe, id)).toEqual({ ...started, due: 1 })
    fake.restoreAccount(id)
    expect(await statusOf(stripe, id)).toMatchObject({ status: 'active' })
    fake.rejectAccount(id)
    expect(await statusOf(stripe, id)).toEqual({
      status: 'rejected',
      codes: ['rejected_other'],
      due: 0,
    })
    expect(await stripe.v2.core.accounts.close(id)).toMatchObject({
      id,
      closed: true,
      contact_email: null,
    })
    expect(await stripe.v2.core.accounts.retrieve(id, { include: ['identity'] })).toMatchObject({
      closed: true,
      identity: null,
    })
    expect(() => fake.restoreAccount(id)).toThrow('is closed')
  })

  test('omits parts that are not included, and is available in v1 too', async () => {
    const { stripe, id } = await startMerchant()
    expect(await stripe.v2.core.accounts.retrieve(id)).toMatchObject({
      configuration: null,
      defaults: null,
      identity: null,
      requirements: null,
    })
    const older = await stripe.accounts.retrieve(id)
    expect(older).toMatchObject({
      object: 'account',
      email: 'maya@example.com',
      capabilities: { transfers: 'active' },
      country: 'US',
      details_submitted: true,
      payouts_enabled: true,
      requirements: { currently_due: [], disabled_reason: null },
    })
    fake.closeAccount(id)
    await expect(stripe.accounts.retrieve(id)).rejects.toMatchObject({
      statusCode: 403,
      code: 'account_invalid',
    })
  })

  const { contact_email: _email, ...withoutEmail } = RECIPIENT
  test.each([
    {
      case: 'an unknown field',
      params: { ...RECIPIENT, colour: 'red' },
      says: /Unrecognized field: colour/,
    },
    {
      case: 'a service agreement, which only API v1 has',
      params: { ...RECIPIENT, tos_acceptance: { service_agreement: 'recipient' } },
      says: /Unrecognized field: tos_acceptance/,
    },
    {
      case: 'an unknown field within another',
      params: { ...RECIPIENT, identity: { country: 'us', shoe_size: 43 } },
      says: /identity\.shoe_size/,
    },
    {
      case: 'no email address',
      params: withoutEmail,
      says: /Missing required field: contact_email/,
    },
    {
      case: 'an invalid email address',
      params: { ...RECIPIENT, contact_email: 'maya' },
      says: /contact_email/,
    },
    {
      case: 'an unknown country',
      params: { ...RECIPIENT, identity: { country: 'xx' } },
      says: /identity\.country/,
    },
    {
      case: 'an unknown include',
      params: { ...RECIPIENT, include: ['everything'] },
      says: /include\.0/,
    },
  ])('is refused with $case', async ({ params, says }) => {
    expect(await postJson(newKey(), '/v2/core/accounts', params)).toMatchObject({
      status: 400,
      body: {
        error: {
          type: 'invalid_request_error',
          code: 'invalid_fields',
          message: expect.stringMatching(says),
        },
      },
    })
  })

  test('is refused without a version, and in anything but JSON', async () => {
    const key = newKey()
    for (const [headers, body] of [
      [{}, '{}'],
      [VERSION, 'contact_email=maya'],
    ] as const) {
      const answer = await call(key, '/v2/core/accounts', { method: 'POST', body, headers })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_fields' } } })
    }
  })

  test('is visible to all keys of its platform, and to no other platform', async () => {
    const { key, stripe, id } = await startMerchant()
    expect(fake.accounts(key).map((account) => account.id)).toEqual([id])
    const other = clientOf()
    await expect(other.v2.core.accounts.retrieve(id)).rejects.toMatchObject({
      statusCode: 404,
      code: 'not_found',
    })
    await expect(
      other.transfers.create({ amount: 1, currency: 'usd', destination: id }),
    ).rejects.toThrow(`No such destination: '${id}'`)
    const rolled = clientOf(`${key}_rolled`)
    expect(await rolled.v2.core.accounts.retrieve(id)).toMatchObject({ id })
    expect(await rolled.accounts.retrieveCurrent()).toEqual(await stripe.accounts.retrieveCurrent())
  })
})

describe('a key', () => {
  test('identifies its account, until it is revoked', async () => {
    const key = newKey()
    expect(await clientOf(key).accounts.retrieveCurrent()).toMatchObject({
      id: expect.stringMatching(/^acct_\w{16}$/),
      type: 'standard',
    })
    fake.revokeKey(key)
    await expect(clientOf(key).accounts.retrieveCurrent()).rejects.toMatchObject({
      statusCode: 401,
      code: 'api_key_expired',
    })
    await expect(clientOf('sk_live_1').accounts.retrieveCurrent()).rejects.toMatchObject({
      statusCode: 401,
    })
  })

  test('that is restricted cannot use Connect', async () => {
    const { key, id } = await startMerchant()
    const stripe = clientOf(`${key.replace('sk_', 'rk_')}_noconnect`)
    for (const doing of [
      () => stripe.accounts.retrieveCurrent(),
      () => stripe.v2.core.accounts.retrieve(id),
      () => stripe.transfers.create({ amount: 1, currency: 'usd', destination: id }),
      () => stripe.balance.retrieve(),
    ]) {
      await expect(doing()).rejects.toMatchObject({
        type: 'StripePermissionError',
        statusCode: 403,
      })
    }
    expect((await stripe.customers.list()).data).toBeInstanceOf(Array)
  })
})

describe('a transfer', () => {
  test('is created, found by its group, and deducted from the balance', async () => {
    const { key, stripe, id } = await startMerchant()
    fake.setBalance('eur', 5_000, key)
    const made: Stripe.Transfer[] = []
    for (const group of ['payout_1', 'payout_2', 'payout_3']) {
      made.unshift(
        await stripe.transfers.create({
          amount: 1_500,
          currency: 'EUR',
          destination: id,
          transfer_group: group,
          metadata: { payout_id: group },
        }),
      )
    }
    const [third, second, first] = made
    expect(first).toMatchObject({
      currency: 'eur',
      destination: id,
      metadata: { payout_id: 'payout_1' },
    })
    const found = await stripe.transfers.list({ transfer_group: 'payout_2' })
    expect(found.data.map((one) => one.id)).toEqual([second?.id])
    expect((await stripe.transfers.list({ destination: id, limit: 2 })).has_more).toBe(true)
    const rest = await stripe.transfers.list({ starting_after: second?.id ?? '' })
    expect(rest.data.map((one) => one.id)).toEqual([first?.id])
    expect(await stripe.transfers.list({ created: { gt: third?.created ?? 0 } })).toMatchObject({
      data: [],
    })
    expect(await stripe.transfers.retrieve(third?.id ?? '')).toEqual(third)
    expect((await clientOf().transfers.list()).data).toEqual([])
    const { available } = await stripe.balance.retrieve()
    expect(available.find(({ currency }) => currency === 'eur')?.amount).toBe(500)
    expect(fake.transfers(key).map((one) => one.id)).toEqual([first?.id, second?.id, third?.id])
  })

  test.each([
    { case: 'of 0', params: { amount: '0' }, error: { code: 'parameter_invalid_integer' } },
    { case: 'of a fraction of a cent', params: { amount: '1.5' }, error: { param: 'amount' } },
    { case: 'in an unknown currency', params: { currency: 'xyz' }, error: { param: 'currency' } },
    {
      case: 'to an unknown account',
      params: { destination: 'acct_1' },
      error: { code: 'resource_missing', message: "No such destination: 'acct_1'" },
    },
    {
      case: 'with an unknown parameter',
      params: { speed: 'high' },
      error: { code: 'parameter_unknown' },
    },
  ])('$case is refused', async ({ params, error }) => {
    const { key, id } = await startMerchant()
    expect(await send(key, { destination: id, ...params })).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  test('is reversed in part, then in full, with an event each', async () => {
    const { key, stripe, id } = await startMerchant()
    fake.setBalance('usd', 5_000, key)
    const { id: transfer } = await stripe.transfers.create({
      amount: 1_500,
      currency: 'usd',
      destination: id,
      metadata: { payout_id: 'p' },
    })
    const reversal = await stripe.transfers.createReversal(transfer, { amount: 500 })
    expect(reversal).toMatchObject({ object: 'transfer_reversal', amount: 500, transfer })
    expect(await stripe.transfers.retrieve(transfer)).toMatchObject({
      amount_reversed: 500,
      reversed: false,
      reversals: { data: [{ id: reversal.id }] },
    })
    await expect(
      stripe.transfers.createReversal(transfer, { amount: 1_001 }),
    ).rejects.toMatchObject({
      statusCode: 400,
      param: 'amount',
    })
    expect(fake.reverse(transfer)).toMatchObject({ amount: 1_000 })
    expect(await stripe.transfers.retrieve(transfer)).toMatchObject({
      amount_reversed: 1_500,
      reversed: true,
    })
    await expect(stripe.transfers.createReversal(transfer)).rejects.toThrow(
      'already fully reversed',
    )
    await expect(clientOf().transfers.createReversal(transfer)).rejects.toMatchObject({
      statusCode: 404,
    })

    const { available } = await stripe.balance.retrieve()
    expect(available.find(({ currency }) => currency === 'usd')?.amount).toBe(5_000)
    const events = fake.connectEvents().filter(({ type }) => type === 'transfer.reversed')
    expect(events).toMatchObject([
      { data: { object: { id: transfer, amount_reversed: 500, metadata: { payout_id: 'p' } } } },
      { data: { object: { id: transfer, amount_reversed: 1_500, reversed: true } } },
    ])
    for (const event of events) expect(event).not.toHaveProperty('account')
  })

  test('requires a destination that can receive transfers', async () => {
    const { stripe, id } = await startMerchant()
    const own = await stripe.accounts.retrieveCurrent()
    const pay = (destination: string) =>
      stripe.transfers.create({ amount: 100, currency: 'usd', destination })
    const incapable = { statusCode: 400, code: 'insufficient_capabilities_for_transfer' }
    await expect(pay(own.id)).rejects.toMatchObject({ statusCode: 400, param: 'destination' })
    await expect(pay((await newAccount(stripe)).id)).rejects.toMatchObject(incapable)
    fake.restrictAccount(id)
    await expect(pay(id)).rejects.toMatchObject(incapable)
    fake.restoreAccount(id)
    await pay(id)
    fake.closeAccount(id)
    await expect(pay(id)).rejects.toMatchObject({ statusCode: 403, code: 'account_invalid' })
  })
})

describe('an idempotency key', () => {
  const error = (answer: { body: Json }) => answer.body.error

  test('replays a response, an error too, and refuses other parameters', async () => {
    const { key, id } = await startMerchant()
    const first = await send(key, { destination: id }, 'payout_1_1')
    const again = await send(key, { destination: id }, 'payout_1_1')
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await send(key, { destination: id, amount: '1001' }, 'payout_1_1')).toMatchObject({
      status: 400,
      body: { error: { type: 'idempotency_error' } },
    })
    // Another merchant's key is independent.
    const other = await startMerchant()
    expect((await send(other.key, { destination: other.id }, 'payout_1_1')).status).toBe(200)

    fake.setBalance('usd', 999, key)
    const poor = await send(key, { destination: id }, 'payout_2_1')
    expect(error(poor)).toMatchObject({ code: 'balance_insufficient' })
    fake.setBalance('usd', 1_000, key)
    const repeated = await send(key, { destination: id }, 'payout_2_1')
    expect(error(repeated)).toEqual(error(poor))
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await send(key, { destination: id }, 'payout_2_2')).status).toBe(200)
    expect(fake.transfers(key)).toHaveLength(2)
  })

  test('stores nothing for requests that never began', async () => {
    const { key, id } = await startMerchant()
    expect((await send(key, { destination: id, amount: '0' }, 'a')).status).toBe(400)
    fake.planTransfersOf(key, { status: 429, code: 'rate_limit' }, { status: 503 })
    expect((await send(key, { destination: id }, 'a')).status).toBe(429)
    expect((await send(key, { destination: id }, 'a')).status).toBe(503)
    const done = await send(key, { destination: id }, 'a')
    expect(done.status).toBe(200)
    expect(done.headers.get('Idempotent-Replayed')).toBeNull()
  })

  test('expires after a day', async () => {
    const { key, id } = await startMerchant()
    const first = await send(key, { destination: id }, 'b')
    later(23.9)
    expect((await send(key, { destination: id }, 'b')).body.id).toBe(first.body.id)
    later(0.2)
    expect((await send(key, { destination: id }, 'b')).body.id).not.toBe(first.body.id)
    expect(fake.transfers(key)).toHaveLength(2)
  })

  test('is in use while its request is in progress', async () => {
    const { key, id } = await startMerchant()
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    fake.hooks.onCall = () => {
      begun.resolve()
      return held.promise
    }
    const first = send(key, { destination: id }, 'c')
    await begun.promise
    expect(await send(key, { destination: id }, 'c')).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_key_in_use' } },
    })
    fake.hooks.onCall = undefined
    held.resolve()
    expect((await send(key, { destination: id }, 'c')).body).toEqual((await first).body)
  })

  test('of v2 expires after 30 days, and repeats failed requests', async () => {
    const key = newKey()
    const key1 = { 'Idempotency-Key': 'account_1' }
    const make = (params: object, keys = key1) => postJson(key, '/v2/core/accounts', params, keys)
    const { contact_email, ...rest } = RECIPIENT
    expect((await make(rest)).status).toBe(400)
    const made = await make({ ...rest, contact_email })
    later(29 * 24)
    expect((await make(RECIPIENT)).status).toBe(400)
    expect((await make({ ...rest, contact_email })).body.id).toBe(made.body.id)
    expect(fake.accounts(key)).toHaveLength(1)
    later(2 * 24)
    expect((await make({ ...rest, contact_email })).body.id).not.toBe(made.body.id)
  })
})

describe('failure', () => {
  test('can leave a transfer done without a response', async () => {
    const { key, stripe, id } = await startMerchant()
    fake.planTransfersOf(
      key,
      'cut_after',
      null,
      { status: 500, kept: 'done' },
      { status: 500, kept: 'undone' },
    )
    await expect(send(key, { destination: id }, 'd')).rejects.toThrow()
    const again = await send(key, { destination: id }, 'd')
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    // Reads are not affected.
    expect((await stripe.transfers.list()).data).toHaveLength(1)

    expect((await send(key, { destination: id, transfer_group: 'e' }, 'e')).status).toBe(500)
    expect((await send(key, { destination: id, transfer_group: 'f' }, 'f')).status).toBe(500)
    expect((await send(key, { destination: id, transfer_group: 'e' }, 'e')).status).toBe(500)
    expect((await send(key, { destination: id, transfer_group: 'f' }, 'f')).status).toBe(500)
    expect((await stripe.transfers.list({ transfer_group: 'e' })).data).toHaveLength(1)
    expect((await stripe.transfers.list({ transfer_group: 'f' })).data).toHaveLength(0)
  })

  test.each([
    ['silence', 0],
    ['silence_after', 1],
    ['cut_before', 0],
  ] as const)('may be %s', async (failure, done) => {
    const { key, stripe, id } = await startMerchant()
    const impatient = clientOf(key, { timeout: 300 })
    // The client retries after a lost connection.
    fake.planTransfersOf(key, failure, failure)
    await expect(
      impatient.transfers.create({ amount: 1, currency: 'usd', destination: id }),
    ).rejects.toMatchObject({ type: 'StripeConnectionError' })
    expect((await stripe.transfers.list()).data).toHaveLength(done)
  })

  test('hooks run before a call and after it', async () => {
    const { key, id } = await startMerchant()
    const seen: string[] = []
    fake.hooks.onCall = (method, path) =>
      void seen.push(`${method} ${path}: ${fake.transfers(key).length}`)
    fake.hooks.afterCall = (_method, path) =>
      void seen.push(`${path}: ${fake.transfers(key).length}`)
    await send(key, { destination: id })
    fake.hooks.onCall = undefined
    fake.hooks.afterCall = undefined
    expect(seen).toEqual(['POST /v1/transfers: 0', '/v1/transfers: 1'])
  })
})

describe('events', () => {
  /** An endpoint, and the events that it received. */
  const receive = async (events: string[], key?: string) => {
    const received: { body: string; signature: string }[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(request, 'end')
      const signature = String(request.headers['stripe-signature'])
      received.push({ body: Buffer.concat(chunks).toString(), signature })
      response.end()
    })
    const { url, stop } = await listen(server)
    const endpoint = fake.addEndpoint({ url, events, ...(key && { key }) })
    return { received, stop, secret: endpoint.secret ?? '' }
  }
  const CAPABILITY = 'v2.core.account[configuration.recipient].capability_status_updated'

  test('report a platform’s accounts, as snapshot and thin events', async () => {
    const { key, stripe, id } = await startMerchant()
    const whole = await receive(['account.updated'], key)
    const thin = await receive([CAPABILITY, 'v2.core.account.closed'], key)
    const all = await receive(['*'], key)
    const other = await receive(['*', CAPABILITY], newKey())
    fake.restrictAccount(id)
    fake.closeAccount(id)
    await fake.settled()

    const [updated] = whole.received
    const event = await stripe.webhooks.constructEventAsync(
      updated?.body ?? '',
      updated?.signature ?? '',
      whole.secret,
    )
    expect(event).toMatchObject({
      type: 'account.updated',
      account: id,
      data: { object: { object: 'account', id, capabilities: { transfers: 'inactive' } } },
    })
    expect(thin.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      CAPABILITY,
      'v2.core.account.closed',
    ])
    const [named] = thin.received
    const notification = await stripe.parseEventNotificationAsync(
      named?.body ?? '',
      named?.signature ?? '',
      thin.secret,
    )
    expect(JSON.parse(named?.body ?? '')).toMatchObject({
      object: 'v2.core.event',
      related_object: { id, type: 'v2.core.account', url: `/v2/core/accounts/${id}` },
    })
    expect(JSON.parse(named?.body ?? '')).not.toHaveProperty('data')
    expect(await notification.fetchEvent()).toMatchObject({
      data: { updated_capability: 'stripe_balance.stripe_transfers' },
    })
    expect(all.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      'account.updated',
      'account.updated',
    ])
    expect(other.received).toEqual([])
    expect((await stripe.events.list({ type: 'account.updated' })).data).toEqual([])
    await Promise.all([whole, thin, all, other].map(({ stop }) => stop()))
  })
})

describe('the pages', () => {
  const form = (path: string, fields: Record<string, string> = {}) =>
    fetch(`${fake.url}${STRIPE_PATH}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { Origin: fake.url },
      redirect: 'manual',
    })
  const visit = (url: string) => fetch(new URL(url, fake.url), { redirect: 'manual' })
  const RETURN = 'https://tributary.example/portal/return'
  const REFRESH = 'https://tributary.example/portal/refresh'
  const newLink = (stripe: Stripe, account: string) =>
    stripe.v2.core.accountLinks.create({
      account,
      use_case: {
        type: 'account_onboarding',
        account_onboarding: { refresh_url: REFRESH, return_url: RETURN },
      },
    })

  test('let an owner leave half-way and continue by another link', async () => {
    const stripe = clientOf()
    const { id } = await newAccount(stripe)
    for (const { step, due } of [
      { step: 'leave', due: 2 },
      { step: 'finish', due: 0 },
    ]) {
      const link = await newLink(stripe, id)
      expect(link).toMatchObject({
        object: 'v2.core.account_link',
        account: id,
        expires_at: new Date(now.getTime() + 600_000).toISOString(),
      })
      const page = (await visit(link.url)).headers.get('Location') ?? ''
      expect(page).toMatch(/^\/dev\/stripe\/connect\/visit_/)
      // A link allows one visit, whose page can be reloaded.
      expect((await visit(link.url)).headers.get('Location')).toBe(REFRESH)
      const shown = await visit(page)
      expect(shown.headers.get('Content-Security-Policy')).toContain(
        "form-action 'self' https://tributary.example",
      )
      expect(await shown.text()).toContain('maya@example.com')
      const left = await form(`${page.replace(STRIPE_PATH, '')}/${step}`)
      expect({ status: left.status, to: left.headers.get('Location') }).toEqual({
        status: 303,
        to: RETURN,
      })
      expect(await statusOf(stripe, id)).toMatchObject({ due })
    }
    expect(await statusOf(stripe, id)).toMatchObject({ status: 'active' })
  })

  test('redirect an expired link to its refresh URL', async () => {
    const { stripe, id } = await startMerchant()
    const link = await newLink(stripe, id)
    later(0.2)
    expect((await visit(link.url)).headers.get('Location')).toBe(REFRESH)
    expect((await visit(`${STRIPE_PATH}/connect/alu_none`)).status).toBe(404)
    expect((await visit(`${STRIPE_PATH}/connect/visit_none`)).status).toBe(410)
    expect((await form('/connect/visit_none/finish')).status).toBe(410)
    fake.closeAccount(id)
    await expect(newLink(stripe, id)).rejects.toThrow('is closed')
    await expect(newLink(stripe, 'acct_1')).rejects.toMatchObject({
      statusCode: 404,
      code: 'not_found',
    })
  })

  test.each([
    { version: '2026-08-26.dahlia', given: { configurations: ['recipient'] }, status: 200 },
    { version: '2026-08-26.dahlia', given: {}, status: 400 },
    { version: '2026-09-30.endive', given: { configurations: ['recipient'] }, status: 400 },
    { version: '2026-10-28.endive', given: {}, status: 200 },
  ])(
    'take configurations $given for a link in $version: $status',
    async ({ version, given, status }) => {
      const { key, id } = await startMerchant()
      const use_case = {
        type: 'account_onboarding',
        account_onboarding: { refresh_url: REFRESH, return_url: RETURN, ...given },
      }
      const headers = { 'Stripe-Version': version }
      const made = await postJson(key, '/v2/core/account_links', { account: id, use_case }, headers)
      expect(made.status).toBe(status)
    },
  )

  test('offer the test controls as forms too', async () => {
    const { key, stripe, id } = await startMerchant()
    expect((await form('/balance', { currency: 'usd', amount: '1000', key })).status).toBe(303)
    expect((await form('/failures', { transfers: '429, pass', key })).status).toBe(303)
    expect((await send(key, { destination: id })).status).toBe(429)
    expect((await send(key, { destination: id })).status).toBe(200)
    expect((await send(key, { destination: id })).body.error).toMatchObject({
      code: 'balance_insufficient',
    })
    expect((await form(`/accounts/${id}/restrict`)).status).toBe(303)
    expect(await statusOf(stripe, id)).toMatchObject({ status: 'restricted' })
    const page = await (await visit(STRIPE_PATH)).text()
    const [transfer] = fake.transfers(key)
    expect((await form(`/transfers/${transfer?.id}/reverse`)).status).toBe(303)
    expect(await (await visit(STRIPE_PATH)).text()).toContain('10.00 USD reversed')
    expect((await form('/transfers/tr_none/reverse')).status).toBe(400)
    for (const text of [
      'Connected accounts',
      id,
      '10.00 USD to Maya',
      'Restore: Maya',
      '0.00 USD',
    ]) {
      expect(page).toContain(text)
    }
    expect((await form(`/accounts/${id}/close`)).status).toBe(303)
    expect((await form(`/accounts/${id}/restore`)).status).toBe(400)
    expect((await form(`/accounts/${id}/praise`)).status).toBe(404)
    expect((await form('/accounts/acct_none/close')).status).toBe(400)
    expect((await form('/balance', { currency: 'usd', amount: '-1' })).status).toBe(400)
    expect((await form('/failures', { transfers: 'rain' })).status).toBe(400)
    expect((await form('/keys/revoke', { key })).status).toBe(303)
    expect((await send(key, { destination: id })).status).toBe(401)
  })
})

describe('each object has the shape of Stripe’s', () => {
  /** Fields about cards, Bacs and invoices in the samples, which recipient accounts lack. */
  const LEFT_OUT = new Set([
    'settings.bacs_debit_payments',
    'settings.invoices',
    'settings.payouts',
  ])
  LEFT_OUT.add('settings.sepa_debit_payments')

  const isObject = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  /** Fields of a sample that ours lacks. */
  const missing = (ours: unknown, sample: unknown, path = ''): string[] => {
    if (!isObject(ours) || !isObject(sample)) return []
    return Object.entries(sample)
      .filter(
        ([name]) => !LEFT_OUT.has(path + name) && !['capabilities.', 'metadata.'].includes(path),
      )
      .flatMap(([name, value]) =>
        name in ours ? missing(ours[name], value, `${path}${name}.`) : [path + name],
      )
  }
  const sampleOf = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../fixtures/stripe/${name}.json`, import.meta.url), 'utf8'))

  test('as in its published samples', async () => {
    const { key, id } = await startMerchant()
    const { body: sent } = await send(key, { destination: id })
    const paths = ['account', `accounts/${id}`, `transfers/${sent.id}`, 'balance']
    for (const path of paths) {
      const { body } = await call(key, `/v1/${path}`)
      expect({ path, missing: missing(body, sampleOf(String(body.object))) }).toEqual({
        path,
        missing: [],
      })
    }
  })
})
