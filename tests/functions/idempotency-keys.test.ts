import { describe, expect, test } from 'vitest'
import { openapi } from '../../api/openapi.ts'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { signingSecret } from '../support/secrets.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const reward = { kind: 'percent', percent: 20 }
const program = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  reward,
  rewardInterval: 'recurring',
}
const PATH = '/api/workspaces/{workspace}'

/** What a workspace needs so that each of the requests succeeds. */
const createShop = async () => {
  const merchant = await createMerchant({ group: {} })
  const [row] = await database.query<Record<string, string>>(
    `select (select id from api_keys where workspace_id = $1) as key,
            (select id from partners where workspace_id = $1 limit 1) as partner`,
    [merchant.workspace.id],
  )
  await database.query('update workspaces set manual_payouts = true where id = $1', [
    merchant.workspace.id,
  ])
  const [endpoint, commission] = [newId(), newId()]
  await database.query(
    `insert into webhook_endpoints (id, workspace_id, url, types, ciphertext, created_at)
     values ($2, $1, 'https://shop.example/hook', '{lead.created}', 'x', now())`,
    [merchant.workspace.id, endpoint],
  )
  await database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select $2, $1, program_id, id, 'opening_balance', 500, 'USD', now(), now() from partners where id = $3`,
    [merchant.workspace.id, commission, row?.partner],
  )
  return {
    merchant,
    ids: { ...row, program: merchant.programId, endpoint, commission } as Record<string, string>,
  }
}
type Shop = Awaited<ReturnType<typeof createShop>>

/** The number of rows of everything that can be created. */
const rowsOf = async ({ merchant }: Shop) => {
  const tables = [
    'programs',
    'groups',
    'partners',
    'rewards',
    'coupon_aliases',
    'partner_notes',
    'applications',
    'commissions',
    'adjustments',
    'members',
    'mails',
    'api_keys',
  ]
  tables.push(
    'stripe_secrets',
    'webhook_endpoints',
    'webhook_events',
    'webhook_deliveries',
    'payouts',
    'payout_runs',
    'audit_entries',
  )
  const [row] = await database.query(
    `select ${tables.map((name) => `(select count(*) from ${name} where workspace_id = $1)::int as ${name}`)}`,
    [merchant.workspace.id],
  )
  return row
}

/** Every POST that takes an Idempotency-Key, with a body, and how a second one differs. */
const CREATIONS: {
  path: string
  of?: string
  body?: (ids: Record<string, string>) => object
  other?: object
}[] = [
  { path: '/programs', body: () => program, other: { name: 'Winter' } },
  {
    path: '/programs/{id}/groups',
    of: 'program',
    body: () => ({
      name: 'Gold',
      saleReward: reward,
      leadReward: { kind: 'flat', amountCents: 500, currency: 'USD' },
    }),
    other: { name: 'Silver' },
  },
  {
    path: '/partners',
    body: ({ program }) => ({
      programId: program,
      email: 'new@partner.example',
      couponId: 'NEW',
      sendWelcomeEmail: true,
    }),
    other: { email: 'other@partner.example' },
  },
  {
    path: '/partners/{id}/links',
    of: 'partner',
    body: () => ({ slug: 'spring' }),
    other: { slug: 'fall' },
  },
  {
    path: '/partners/{id}/coupons',
    of: 'partner',
    body: () => ({ couponId: 'SPRING' }),
    other: { couponId: 'FALL' },
  },
  {
    path: '/partners/{id}/notes',
    of: 'partner',
    body: () => ({ content: 'Called.' }),
    other: { content: 'Called again.' },
  },
  {
    path: '/invitations',
    body: ({ program }) => ({ programId: program, emails: ['ida@x.example', 'bob@x.example'] }),
    other: { emails: ['eve@x.example'] },
  },
  {
    path: '/commissions',
    body: ({ partner }) => ({
      partnerId: partner,
      amountCents: 100,
      currency: 'USD',
      reason: 'Bonus',
      externalId: 'a1',
    }),
    other: { externalId: 'a2' },
  },
  {
    path: '/commissions/bulk',
    body: ({ partner }) => ({
      partnerIds: [partner],
      amountCents: 100,
      currency: 'USD',
      reason: 'Bonus',
      externalId: 'b1',
    }),
    other: { externalId: 'b2' },
  },
  {
    path: '/commissions/{id}/reverse',
    of: 'commission',
    body: () => ({ reason: 'Ours' }),
    other: { reason: 'Theirs' },
  },
  {
    path: '/members',
    body: () => ({ email: 'new@x.example', role: 'member' }),
    other: { role: 'manager' },
  },
  { path: '/api-keys', body: () => ({ name: 'Checkout' }), other: { name: 'Shop' } },
  {
    path: '/api-keys/{id}/rotate',
    of: 'key',
    body: () => ({ overlapHours: 1 }),
    other: { overlapHours: 2 },
  },
  { path: '/stripe/secrets', body: () => ({ secret: SECRET }), other: { secret: signingSecret() } },
  {
    path: '/webhook-endpoints',
    body: () => ({ url: 'https://example.com/new', types: ['lead.created'] }),
    other: { types: ['sale.created'] },
  },
  {
    path: '/webhook-endpoints/{id}/rotate-secret',
    of: 'endpoint',
    body: () => ({ overlapHours: 1 }),
    other: { overlapHours: 2 },
  },
  { path: '/webhook-endpoints/{id}/test', of: 'endpoint' },
  { path: '/payouts/run', body: () => ({ method: 'manual' }), other: { dryRun: true } },
]
const SECRET = signingSecret()

/** POST of OpenAPI that need no Idempotency-Key. */
const REPEATABLE_OTHERWISE: Record<string, string> = {
  '/api/track/click': 'a click that is not used earns nothing',
  '/api/track/lead': 'externalId',
  '/api/track/sale': 'externalId',
  '/api/track/refund': 'externalId',
  '/api/track/batch': 'the externalId of each report',
  '/api/webhooks/stripe/{workspace}': 'the id of Stripe’s event',
  '/api/webhooks/resend': 'the id of Resend’s message',
  [`${PATH}/events/{id}/credit`]: 'an event has one credit: the second request finds it',
  [`${PATH}/commissions/{id}/hold`]: 'a commission is held once',
  [`${PATH}/commissions/{id}/release`]: 'changes a status',
  [`${PATH}/commissions/{id}/reject`]: 'changes a status',
  [`${PATH}/applications/{id}/approve`]: 'changes a status',
  [`${PATH}/applications/{id}/reject`]: 'changes a status',
  [`${PATH}/customers/{id}/erase`]: 'erases',
  [`${PATH}/partners/{id}/erase`]: 'erases',
  ...Object.fromEntries(
    ['release', 'cancel', 'resolve', 'return'].map((action) => [
      `${PATH}/payouts/{id}/${action}`,
      'changes a status',
    ]),
  ),
  ...Object.fromEntries(
    ['approve', 'decline', 'send', 'resolve'].map((action) => [
      `${PATH}/payout-runs/{id}/${action}`,
      'changes a status',
    ]),
  ),
  [`${PATH}/settings/limit-requests/{id}/approve`]: 'a request is decided once',
  [`${PATH}/settings/limit-requests/{id}/decline`]: 'a request is decided once',
  [`${PATH}/possible-merges/{id}/merge`]: 'a pair is decided once',
  [`${PATH}/possible-merges/{id}/dismiss`]: 'a pair is decided once',
  [`${PATH}/payout-runs/{id}/wise-template`]: 'returns a file',
  [`${PATH}/programs/{id}/what-if`]: 'changes nothing',
  [`${PATH}/groups/{id}/what-if`]: 'changes nothing',
  [`${PATH}/programs/{id}/shadow/commissions`]:
    'the platform’s id of each commission, or its content',
  [`${PATH}/programs/{id}/shadow/compare`]: 'compares what is left',
  [`${PATH}/programs/{id}/cut-over`]: 'a shadow run ends once, and a repeat gets what was done',
  [`${PATH}/webhook-endpoints/{id}/resend`]: 'sends the same events, with the same ids',
  [`${PATH}/webhook-deliveries/{id}/resend`]: 'sends the same event, with the same id',
  [`${PATH}/mails/{id}/retry`]: 'sends the same mail',
  [`${PATH}/import-sources`]: 'a program is read once at a time: the second request finds it',
  [`${PATH}/partners/import`]: 'a partner’s address',
  [`${PATH}/customers/import`]: 'a customer’s id',
  [`${PATH}/imports/{id}/undo`]: 'what was taken back stays so',
}

test('each POST of the API takes an Idempotency-Key, or is repeatable otherwise', () => {
  const { paths } = JSON.parse(JSON.stringify(openapi()))
  const posts = Object.entries<{ post?: { parameters?: { name: string }[] } }>(paths).filter(
    ([, { post }]) => post,
  )
  const takesKey = posts
    .filter(([, { post }]) => post?.parameters?.some(({ name }) => name === 'Idempotency-Key'))
    .map(([path]) => path)
  expect(takesKey.sort()).toEqual(
    ['/api/workspaces', ...CREATIONS.map(({ path }) => PATH + path)].sort(),
  )
  expect(
    posts
      .map(([path]) => path)
      .filter((path) => !takesKey.includes(path))
      .sort(),
  ).toEqual(Object.keys(REPEATABLE_OTHERWISE).sort())
})

const send = async (
  { merchant, ids }: Shop,
  { path, of, body }: (typeof CREATIONS)[number],
  key: string,
  more = {},
) => {
  const as = merchant.withHeaders({ Cookie: await merchant.manager(), 'Idempotency-Key': key })
  return as.post(
    path.replace('{id}', ids[of ?? ''] ?? ''),
    body ? { ...body(ids), ...more } : undefined,
  )
}

describe.concurrent.each(CREATIONS)('POST $path', (creation) => {
  test('creates one with a key, whether it is repeated or sent eight times concurrently, and always answers the same', async () => {
    const shop = await createShop()
    const before = await rowsOf(shop)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(shop, creation, 'one')))
    const [first] = answers
    expect(first?.status, JSON.stringify(first?.body)).toBeLessThan(300)
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: first?.status, body: first?.body })
    const after = await rowsOf(shop)
    expect(after).not.toEqual(before)

    const repeat = await send(shop, creation, 'one')
    expect(repeat).toMatchObject({ status: first?.status, body: first?.body })
    expect(repeat.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await rowsOf(shop)).toEqual(after)

    if (creation.other) {
      expect(await send(shop, creation, 'one', creation.other)).toMatchObject({
        status: 409,
        body: { error: { code: 'idempotency_key_reused' } },
      })
      expect(await rowsOf(shop)).toEqual(after)
    }
  })
})

describe.concurrent.each(everyNth(3, CREATIONS))(
  'POST $path whose answer was lost after its commit',
  { tags: 'sampled' },
  (creation) => {
    test('creates nothing more when it is repeated with its key, and answers with the same resource and secret', async () => {
      const shop = await createShop()
      const first = await send(shop, creation, 'one')
      const rows = await rowsOf(shop)
      await database.query(
        'update idempotency_keys set status = null, answer = null where workspace_id = $1',
        [shop.merchant.workspace.id],
      )
      const repeat = await send(shop, creation, 'one')
      expect(repeat.headers.get('Idempotent-Replayed')).toBeNull()
      expect(repeat.status).toBe(first.status)
      const { id, externalId, runId, couponId, slug, key, secret, createdAt, results } = first.body
      const same = Object.entries({
        id,
        externalId,
        runId,
        couponId,
        slug,
        key,
        secret,
        createdAt,
        results,
      }).filter(([, value]) => value !== undefined)
      expect(same.length).toBeGreaterThan(0)
      expect(repeat.body).toMatchObject(Object.fromEntries(same))
      expect(await rowsOf(shop)).toEqual(rows)
    })
  },
)

const KEYED = { 'Idempotency-Key': 'one' }

describe('an Idempotency-Key', () => {
  const group = { name: 'Gold', saleReward: null, leadReward: null }
  const createGroups = async (headers: Record<string, string>) => {
    const merchant = await createMerchant()
    const path = `/programs/${merchant.programId}/groups`
    const as = merchant.withHeaders({ Cookie: await merchant.manager(), ...headers })
    return {
      merchant,
      as,
      path,
      groups: async () => JSON.parse(JSON.stringify((await as.get(path)).body.data)).length,
    }
  }

  test.each([
    { case: 'blank', key: '' },
    { case: 'too long', key: 'x'.repeat(256) },
    { case: 'not ASCII', key: 'Sch\u00fcssel' },
  ])('that is $case is refused before anything is created', async ({ key }) => {
    const { as, path, groups } = await createGroups({ 'Idempotency-Key': key })
    expect(await as.post(path, group)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_idempotency_key' } },
    })
    expect(await groups()).toBe(0)
  })

  test('of 255 characters, with quotes and statements, is a key', async () => {
    const { as, path, groups } = await createGroups({
      'Idempotency-Key': `'; delete from groups; -- ${'"'.repeat(229)}`,
    })
    expect(await as.post(path, group)).toMatchObject({ status: 201 })
    expect(await as.post(path, group)).toMatchObject({ status: 201 })
    expect(await groups()).toBe(1)
  })

  test('counts for one endpoint of one workspace, for managers and API keys alike', async () => {
    const [one, two] = [await createGroups(KEYED), await createGroups(KEYED)]
    const first = await one.as.post(one.path, group)
    expect((await two.as.post(two.path, group)).body.id).not.toBe(first.body.id)
    expect(
      await one.as.post(`/partners/${one.merchant.partnerId}/coupons`, { couponId: 'A' }),
    ).toMatchObject({ status: 201 })
    const key = await one.merchant.seed.addApiKey(one.merchant.workspace.id, { scopes: ['write'] })
    const byKey = one.merchant.withHeaders({ Authorization: `Bearer ${key}`, ...KEYED })
    expect((await byKey.post(one.path, group)).body).toEqual(first.body)
  })

  test('answers nobody who may not call the endpoint', async () => {
    const { merchant, as, path } = await createGroups(KEYED)
    await as.post(path, group)
    for (const cookie of [await merchant.member(), await merchant.stranger()]) {
      expect(
        (await merchant.withHeaders({ Cookie: cookie, ...KEYED }).post(path, group)).body.error,
      ).toBeDefined()
    }
  })

  test('does not count the order of fields', async () => {
    const { as, path, groups } = await createGroups(KEYED)
    const first = await as.post(path, group)
    expect(await as.post(path, Object.fromEntries(Object.entries(group).reverse()))).toMatchObject({
      status: 201,
      body: first.body,
    })
    expect(await groups()).toBe(1)
  })

  test('of a refused request is free for a corrected one', async () => {
    const { merchant, as, path } = await createGroups(KEYED)
    expect(await as.post(`/programs/${newId()}/groups`, group)).toMatchObject({ status: 404 })
    expect(await as.post(path, { ...group, name: 5 })).toMatchObject({ status: 400 })
    expect(
      await as.post('/members', {
        email: `manager@${merchant.workspace.slug}.example`,
        role: 'member',
      }),
    ).toMatchObject({ status: 409 })
    expect(await as.post(path, group)).toMatchObject({ status: 201 })
    expect(await as.post('/members', { email: 'new@x.example', role: 'member' })).toMatchObject({
      status: 201,
    })
  })

  test('is forgotten after 24 hours, also before the cron has removed it', async () => {
    const { merchant, as, path, groups } = await createGroups(KEYED)
    await as.post(path, group)
    const age = (hours: number) =>
      database.query(
        `update idempotency_keys set created_at = now() - $2 * interval '1 hour' where workspace_id = $1`,
        [merchant.workspace.id, hours],
      )
    await age(23.9)
    await as.post(path, group)
    expect(await groups()).toBe(1)
    await age(24.1)
    expect(await as.post(path, { ...group, name: 'Silver' })).toMatchObject({ status: 201 })
    expect(await groups()).toBe(2)
  })

  test('gets the first answer when the resource has changed since', async () => {
    const { as } = await createGroups(KEYED)
    const made = await as.post('/members', { email: 'new@x.example', role: 'member' })
    expect(await as.delete(`/members/${made.body.id}`)).toMatchObject({ status: 204 })
    expect((await as.post('/members', { email: 'new@x.example', role: 'member' })).body).toEqual(
      made.body,
    )
    expect((await as.get('/members')).body.data).toHaveLength(1)
  })

  test('stores no key of a person, and no secret that is returned once', async () => {
    const { merchant, as } = await createGroups({ 'Idempotency-Key': 'ann@x.example' })
    const { body } = await as.post('/api-keys', { name: 'Checkout' })
    const rows = JSON.stringify(
      await database.query('select * from idempotency_keys where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    )
    expect(rows).not.toContain('ann@x.example')
    expect(rows).not.toContain(String(body.key).slice('trib_live_'.length, -4))
    expect(await as.post('/api-keys', { name: 'Checkout' })).toMatchObject({
      body: { key: body.key },
    })
  })

  test('keeps no answer after a person was erased, and still creates nothing more', async () => {
    const { merchant, as, path, groups } = await createGroups(KEYED)
    await as.post(path, group)
    expect(await as.post(`/partners/${merchant.partnerId}/erase`)).toMatchObject({ status: 200 })
    const [{ count } = { count: null }] = await database.query(
      'select count(answer)::int as count from idempotency_keys where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(count).toBe(0)
    expect(await as.post(path, group)).toMatchObject({ status: 201 })
    expect(await groups()).toBe(1)
  })

  test('makes one workspace of a person, and another of another person', async () => {
    const { merchant } = await createGroups({})
    const slug = `shop-${newId().slice(-12)}`
    const create = (cookie: string, body: object) =>
      merchant.withHeaders({ Cookie: cookie, ...KEYED }).post('/../../workspaces', body)
    const [manager, stranger] = [await merchant.manager(), await merchant.stranger()]
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(manager, { name: 'Shop', slug })),
    )
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 201, body: answers[0]?.body })
    expect(await create(stranger, { name: 'Shop', slug: `${slug}-2` })).toMatchObject({
      status: 201,
    })
    expect(await create(manager, { name: 'Other', slug })).toMatchObject({
      status: 409,
      body: { error: { code: 'idempotency_key_reused' } },
    })
  })
})
