/**
 * What holds for every endpoint: keys, bodies, errors, tenants, headers. Spec, sections 5, 7 and 8.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createMerchant, errorShape, type Merchant, send } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const TRACKING = ['/api/track/sale', '/api/track/lead'] as const
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString()
const SALE = { externalId: 'inv_1', customerExternalId: 'user_1', amountCents: 4_900 }
const LEAD = { externalId: 'lead_1' }
const url = (path: string) => `${inject('baseUrl')}${path}`

/** For whatever is refused, and so leaves nothing behind. */
let merchant: Merchant
beforeAll(async () => {
  merchant = await createMerchant()
})

describe('spec 7: 401 Unauthorized on both tracking endpoints, with a bad API key', () => {
  test.each([
    { case: 'missing', header: () => undefined },
    { case: 'empty', header: () => '' },
    { case: 'without a scheme', header: (key: string) => key },
    { case: 'of another scheme', header: (key: string) => `Basic ${btoa(`${key}:`)}` },
    { case: 'a scheme without a key', header: () => 'Bearer ' },
    { case: 'malformed', header: () => 'Bearer hello' },
    {
      case: 'of another prefix',
      header: (key: string) => `Bearer ${key.replace('_test_', '_beta_')}`,
    },
    {
      case: 'mistyped by one letter',
      header: (key: string) =>
        `Bearer ${key.slice(0, 12)}${key[12] === 'a' ? 'b' : 'a'}${key.slice(13)}`,
    },
    { case: 'cut short', header: (key: string) => `Bearer ${key.slice(0, -1)}` },
    { case: 'followed by another', header: (key: string) => `Bearer ${key} ${key}` },
    { case: 'as long as a header may be', header: (key: string) => `Bearer ${key.repeat(200)}` },
  ])('$case', async ({ header }) => {
    for (const path of [...TRACKING, '/api/workspaces/x/events', '/api/workspaces/x/events/1']) {
      const value = header(merchant.apiKey)
      const answer = await send(url(path), {
        ...(path.includes('track') && { body: SALE }),
        headers: value === undefined ? {} : { Authorization: value },
      })
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual(errorShape('invalid_api_key'))
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer')
    }
  })

  test.each(['unknown', 'revoked'])('%s', async (which) => {
    const { createApiKey } = await import('../../lib/auth/keys/api-keys.ts')
    const key =
      which === 'unknown'
        ? (await createApiKey({ mode: 'live' })).key
        : await merchant.seed.addApiKey(merchant.workspace.id, { revokedAt: new Date() })
    const headers = { Authorization: `Bearer ${key}` }
    const answers = await Promise.all([
      send(url('/api/track/sale'), { body: SALE, headers }),
      send(url('/api/track/lead'), { body: LEAD, headers }),
      send(url(`/api/workspaces/${merchant.workspace.slug}/events`), { headers }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual(errorShape('invalid_api_key'))
    }
  })

  test('the scheme’s name may be in any case, as HTTP says', async () => {
    const { apiKey } = await createMerchant()
    expect(
      (
        await send(url('/api/track/sale'), {
          body: SALE,
          headers: { Authorization: `bearer ${apiKey}` },
        })
      ).status,
    ).toBe(200)
  })
})

const tooDeep = () => {
  let value: unknown = 1
  for (let level = 0; level < 33; level++) value = [value]
  return { deep: value }
}

/** Valid JSON but for its encoding: each `~` becomes a byte that UTF-8 never has. */
const notUtf8 = (body: object): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(JSON.stringify(body)).map((byte) => (byte === 0x7e ? 0xff : byte)))

describe('spec 7: 400 Bad Request for an invalid body, on both, and on a sale when amountCents is below 1', () => {
  const wrongTypes = [1, true, [], {}]
  const cases: { case: string; body: unknown; path?: string }[] = [
    { case: 'nothing', body: '' },
    { case: 'not JSON', body: '{"externalId": ' },
    { case: 'JSON and more', body: '{}{}' },
    { case: 'null', body: 'null' },
    { case: 'an array', body: [SALE] },
    { case: 'a string', body: '"inv_1"' },
    { case: 'a number', body: '1' },
    { case: 'UTF-8 that breaks off', body: new Uint8Array([0x7b, 0x22, 0xc3, 0x22, 0x7d]) },
    {
      case: 'a string with a byte that is not UTF-8',
      body: notUtf8({ ...SALE, ...LEAD, externalId: 'a~b' }),
    },
    { case: 'a hundred thousand brackets', body: '['.repeat(30_000) + ']'.repeat(30_000) },
    { case: 'a NUL in an id', body: { ...SALE, ...LEAD, externalId: 'a\0b' }, path: 'externalId' },
    {
      case: 'half a surrogate pair',
      body: { ...SALE, ...LEAD, externalId: '\ud800' },
      path: 'externalId',
    },
    {
      case: 'a NUL deep in the metadata',
      body: { ...SALE, ...LEAD, metadata: { a: [{ b: '\0' }] } },
      path: 'metadata.a.0.b',
    },
    {
      case: 'a NUL in a key of the metadata',
      body: { ...SALE, ...LEAD, metadata: { 'a\0': 1 } },
      path: 'metadata',
    },
    { case: 'metadata of 33 levels', body: { ...SALE, ...LEAD, metadata: tooDeep() } },
    {
      case: 'metadata over 16 KiB',
      body: { ...SALE, ...LEAD, metadata: { text: 'x'.repeat(16 * 1024) } },
      path: 'metadata',
    },
    {
      case: 'a number too large to keep',
      body: '{"externalId":"a","metadata":{"n":1e400}}',
      path: 'metadata.n',
    },
    {
      case: 'metadata that is no object',
      body: { ...SALE, ...LEAD, metadata: [] },
      path: 'metadata',
    },
    { case: 'no externalId', body: { ...SALE, externalId: undefined }, path: 'externalId' },
    { case: 'an empty externalId', body: { ...SALE, externalId: '' }, path: 'externalId' },
    {
      case: 'an externalId of 256 characters',
      body: { ...SALE, externalId: 'x'.repeat(256) },
      path: 'externalId',
    },
    { case: 'an externalId of null', body: { ...SALE, externalId: null }, path: 'externalId' },
    { case: 'a NUL in a clickId', body: { ...SALE, ...LEAD, clickId: 'clk_\0' }, path: 'clickId' },
    {
      case: 'half a surrogate pair in a clickId',
      body: { ...SALE, ...LEAD, clickId: '\udfff' },
      path: 'clickId',
    },
    ...[
      { case: 'is in the future', occurredAt: new Date(Date.now() + 6 * 60_000).toISOString() },
      { case: 'is 401 days old', occurredAt: daysAgo(401) },
      { case: 'has no offset', occurredAt: '2026-11-22T09:30:00' },
      { case: 'is a day', occurredAt: '2026-11-22' },
      { case: 'does not exist', occurredAt: '2026-02-30T00:00:00Z' },
      { case: 'is a number', occurredAt: 1_795_000_000 },
    ].map(({ case: name, occurredAt }) => ({
      case: `an occurredAt that ${name}`,
      body: { ...SALE, ...LEAD, occurredAt },
      path: 'occurredAt',
    })),
    ...['externalId', 'clickId', 'eventName'].flatMap((path) =>
      wrongTypes.map((value) => ({
        case: `${path} of ${JSON.stringify(value)}`,
        body: { ...SALE, [path]: value },
        path,
      })),
    ),
  ]
  test.each(cases)('both endpoints: $case', async ({ body, path }) => {
    for (const endpoint of TRACKING) {
      const answer = await merchant.post(endpoint, body)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({
        error: { ...errorShape('invalid_body').error, details: expect.any(Array) },
      })
      if (path) expect(answer.body.error?.details?.map((detail) => detail.path)).toContain(path)
    }
  })

  test.each([
    { case: 'amountCents below 1', amountCents: 0 },
    { case: 'a negative amount', amountCents: -4_900 },
    { case: 'a fraction of a cent', amountCents: 49.5 },
    { case: 'an amount in words', amountCents: '4900' },
    { case: 'more than the largest amount', amountCents: 100_000_000_000_000 },
    { case: 'beyond what a number can count', amountCents: 1e300 },
    { case: 'no amount', amountCents: undefined },
    { case: 'an amount of null', amountCents: null },
    { case: 'a currency that is gone', currency: 'DEM' },
    { case: 'a currency that never was', currency: 'dollars' },
    { case: 'an empty currency', currency: '' },
    { case: 'a letter that becomes that of a currency in upper case', currency: 'u\u017fd' },
    { case: 'no customer', customerExternalId: undefined },
    { case: 'an empty customer', customerExternalId: '' },
  ])('a sale with $case', async ({ case: _, ...changes }) => {
    const { status, body } = await merchant.sale(changes)
    expect(status).toBe(400)
    expect(body.error?.details?.[0]?.path).toBe(Object.keys(changes)[0])
  })

  test.each([
    { case: 'a customerEmail of 321 characters', customerEmail: 'x'.repeat(321) },
    { case: 'a customerEmail that is a number', customerEmail: 1 },
    { case: 'a customerName of 256 characters', customerName: 'x'.repeat(256) },
    { case: 'an empty customerExternalId', customerExternalId: '' },
  ])('a lead with $case', async ({ case: _, ...changes }) => {
    expect((await merchant.lead(changes)).status).toBe(400)
  })

  test.each([
    { case: 'no programId', body: { slug: 'maya' } },
    { case: 'a programId that is no UUID', body: { programId: 'x', slug: 'maya' } },
    { case: 'no slug', body: { programId: crypto.randomUUID() } },
    { case: 'an empty slug', body: { programId: crypto.randomUUID(), slug: '' } },
    {
      case: 'a slug of 256 characters',
      body: { programId: crypto.randomUUID(), slug: 'x'.repeat(256) },
    },
    { case: 'a NUL in the slug', body: { programId: crypto.randomUUID(), slug: 'ma\0ya' } },
  ])('a click with $case', async ({ body }) => {
    expect((await send(url('/api/track/click'), { body })).status).toBe(400)
  })
})

test('spec 7: reposting an existing externalId is not an error', async () => {
  const merchant = await createMerchant()
  for (const kind of ['sale', 'lead'] as const) {
    expect((await merchant[kind]({ externalId: 'again' })).status).toBe(200)
    expect((await merchant[kind]({ externalId: 'again' })).status).toBe(200)
  }
})

describe('spec 4.1 and 4.2: a clickId that leads to no click loses the attribution, not the event', () => {
  const longest = 'x'.repeat(255)
  const TEXTS = [
    { case: 'a cookie that was not there', clickId: '', step: { code: 'no_click', facts: {} } },
    { case: 'white space', clickId: ' \t\n\u00a0', step: { code: 'no_click', facts: {} } },
    { case: 'null', clickId: null, step: { code: 'no_click', facts: {} } },
    { case: 'the word undefined', clickId: 'undefined' },
    { case: 'characters that click ids do not have', clickId: "clk_' or 1=1; 🦊 \u202e" },
    { case: 'an id of 256 characters', clickId: `${longest}y`, copy: `${longest}…` },
    {
      case: 'a long id whose copy ends in the middle of a character',
      clickId: `${longest.slice(1)}🦊🦊`,
      copy: `${longest.slice(1)}\ufffd…`,
    },
    { case: 'as much as the body can hold', clickId: 'x'.repeat(60_000), copy: `${longest}…` },
  ]
  test.each(TEXTS)('$case', async ({ clickId, copy = clickId, step }) => {
    const merchant = await createMerchant()
    for (const kind of ['sale', 'lead'] as const) {
      const { status, body } = await merchant[kind]({ externalId: 'first', clickId })
      expect({ status, body }).toEqual({ status: 200, body: { eventId: null, attributed: false } })
      const event = await merchant.explainReport(kind, 'first')
      expect(event?.steps).toEqual([
        {
          text: expect.any(String),
          ...(step ?? { code: 'unknown_click', facts: { clickId: copy } }),
        },
      ])
    }
  })

  test('a click id with stray white space is found', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.sale({ clickId: ` ${await merchant.click()}\r\n` })
    expect(body.attributed).toBe(true)
  })

  test('a blank clickId and none are one report when it is repeated', async () => {
    const merchant = await createMerchant()
    await merchant.sale({ clickId: '' })
    const { status, headers } = await merchant.sale({})
    expect({ status, mismatch: headers.get('Idempotency-Mismatch') }).toEqual({
      status: 200,
      mismatch: null,
    })
  })
})

describe('spec 8: limits', () => {
  test('amountCents minimum is 1', async () => {
    const merchant = await createMerchant()
    expect((await merchant.sale({ amountCents: 1 })).status).toBe(200)
    expect((await merchant.sale({ amountCents: 0, externalId: 'inv_2' })).status).toBe(400)
  })

  test('everything at its limit is taken, and comes back whole', async () => {
    const merchant = await createMerchant()
    const metadata = { text: '𝒳'.repeat(4_000), list: JSON.parse('['.repeat(30) + ']'.repeat(30)) }
    const externalId = '€'.repeat(255)
    const sale = await merchant.sale({
      externalId,
      customerExternalId: '客'.repeat(255),
      eventName: 'é'.repeat(255),
      amountCents: 99_999_999_999_999,
      clickId: await merchant.click(),
      metadata,
    })
    expect(sale.status).toBe(200)
    expect(await merchant.explain(sale.body.eventId)).toMatchObject({
      externalId,
      amountCents: 99_999_999_999_999,
      metadata,
      commission: { amountCents: 20_000_000_000_000 },
    })
  })

  test('a body over 64 KiB, or 256 KiB of a sale, is 413, announced or not', async () => {
    for (const [path, limit] of [
      ['/api/track/sale', 256],
      ['/api/track/lead', 64],
      ['/api/track/click', 64],
    ] as const) {
      const body = JSON.stringify({ ...SALE, padding: 'x'.repeat(limit * 1024) })
      const answer = await merchant.post(path, body)
      expect({ status: answer.status, code: answer.body.error?.code }).toEqual({
        status: 413,
        code: 'body_too_large',
      })
      const streamed = await fetch(url(path), {
        method: 'POST',
        headers: { Authorization: `Bearer ${merchant.apiKey}`, 'Content-Type': 'application/json' },
        body: new Blob([body]).stream(),
        duplex: 'half',
      })
      expect(streamed.status).toBe(413)
    }
  })

  test('a Content-Type other than JSON is 415', async () => {
    const merchant = await createMerchant()
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      '',
    ]) {
      const { status, body } = await merchant.sale({}, { 'Content-Type': type })
      expect({ type, status, code: body.error?.code }).toEqual({
        type,
        status: 415,
        code: 'unsupported_media_type',
      })
    }
    expect(
      (await merchant.sale({}, { 'Content-Type': 'Application/JSON; charset=utf-8' })).status,
    ).toBe(200)
  })
})

describe('any generated input', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.double(),
    fc.bigInt().map(Number),
    fc.constant(null),
    fc.boolean(),
  )
  const field = fc.oneof(scalar, fc.jsonValue({ maxDepth: 5 }))
  const body = fc.record(
    {
      externalId: fc.oneof(field, fc.string({ minLength: 1, maxLength: 40 })),
      customerExternalId: field,
      amountCents: fc.oneof(field, fc.integer()),
      currency: fc.oneof(field, fc.constantFrom('usd', 'JPY')),
      clickId: field,
      eventName: field,
      metadata: fc.oneof(field, fc.object()),
      customerEmail: field,
      customerName: field,
      programId: fc.oneof(field, fc.uuid()),
      slug: field,
      url: field,
      referrer: field,
    },
    { requiredKeys: [] },
  )
  test.each(['/api/track/sale', '/api/track/lead', '/api/track/click'])(
    'to %s is answered below 500',
    { tags: 'sampled' },
    async (path) => {
      const merchant = await createMerchant()
      const input = fc.oneof(
        body.map((value) => JSON.stringify(value)),
        fc.json(),
        fc.string({ unit: 'binary' }),
      )
      await fc.assert(
        fc.asyncProperty(input, async (text) => {
          const { status } = await merchant.post(path, text, {
            'CF-Connecting-IP': crypto.randomUUID(),
          })
          expect(status).toBeLessThan(500)
        }),
        { seed: SEEDS[0], numRuns: timesOver({ quick: 30, thorough: 300, exhaustive: 5_000 }) },
      )
    },
  )

  test('in an address is answered below 500', { tags: 'sampled' }, async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('\0', 'a\0b', '%', '..', '\ud800'),
    )
    await fc.assert(
      fc.asyncProperty(text, text, async (generated, workspace) => {
        const part = encodeURIComponent(generated.toWellFormed())
        const paths = [
          `/api/workspaces/${encodeURIComponent(workspace.toWellFormed())}/events`,
          ...[
            `/${part}`,
            `?externalId=${part}`,
            `?cursor=${part}`,
            `?partnerId=${part}`,
            `?limit=${part}`,
          ].map((rest) => `/api/workspaces/${merchant.workspace.slug}/events${rest}`),
        ]
        const headers = { Authorization: `Bearer ${merchant.apiKey}` }
        const answers = await Promise.all(paths.map((path) => send(url(path), { headers })))
        for (const [index, { status }] of answers.entries())
          expect(status, paths[index]).toBeLessThan(500)
      }),
      { seed: SEEDS[0], numRuns: timesOver({ quick: 12, thorough: 100, exhaustive: 1_000 }) },
    )
  })
})
