import { describe, expect, test } from 'vitest'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

test('a key is returned once, works immediately, and is stored as a hash', async () => {
  const merchant = await createMerchant()
  const keys = await merchant.asManager()
  const { status, body } = await keys.post('/api-keys', { name: ' Checkout ' })

  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Checkout',
    last4: String(body.key).slice(-4),
    scopes: ['track', 'read'],
    createdAt: expect.any(String),
    expiresAt: null,
    // The workspaces of tests are for tests.
    key: expect.stringMatching(/^trib_test_\w{38}$/),
  })
  const sale = await merchant.sale({}, { Authorization: `Bearer ${body.key}` })
  expect(sale.status).toBe(200)

  const list = await keys.get('/api-keys')
  const [listed] = (list.body as unknown as { data: unknown[] }).data
  const { id, key, ...created } = body
  expect(listed).toEqual({
    id,
    ...created,
    lastUsedAt: expect.toBeOneOf([null, expect.any(String)]),
    revokedAt: null,
    replacedBy: null,
  })
  expect(JSON.stringify(list.body)).not.toContain('trib_test_')
  const rows = await database.query('select * from api_keys where id = $1', [id])
  expect(JSON.stringify(rows)).not.toContain(body.key)
})

test('a revoked key is refused immediately, stays listed, and revoking is idempotent', async () => {
  const merchant = await createMerchant()
  const keys = await merchant.asManager()
  const { body } = await keys.post('/api-keys', { name: 'Checkout' })
  const report = () => merchant.sale({}, { Authorization: `Bearer ${body.key}` })
  expect((await report()).status).toBe(200)

  expect((await keys.delete(`/api-keys/${body.id}`)).status).toBe(204)
  expect(await report()).toMatchObject({ status: 401, body: errorShape('invalid_api_key') })
  const list = async () => (await keys.get('/api-keys')).body
  // The last use is saved after the response to the report.
  const used = { id: body.id, revokedAt: expect.any(String), lastUsedAt: expect.any(String) }
  await expect.poll(list).toMatchObject({ data: [used, {}] })
  const after = await list()

  expect((await keys.delete(`/api-keys/${body.id}`)).status).toBe(204)
  expect(await list()).toEqual(after)
  const entry = {
    actor: `manager@${merchant.workspace.slug}.example`,
    subject_id: body.id,
    details: { name: 'Checkout' },
  }
  expect(await database.audit(merchant)).toEqual([
    {
      action: 'api_key.created',
      ...entry,
      details: { name: 'Checkout', scopes: ['track', 'read'], expiresAt: null },
    },
    { action: 'api_key.revoked', ...entry },
  ])
})

test.each([
  {},
  { name: '' },
  { name: 7 },
  { name: 'x'.repeat(256) },
  { name: 'a', key: 'trib_live_mine' },
  { name: 'a', scopes: [] },
  { name: 'a', scopes: ['admin'] },
  { name: 'a', scopes: 'track' },
  { name: 'a', expiresAt: '2020-01-01T00:00:00Z' },
  { name: 'a', expiresAt: 'tomorrow' },
  [],
])('a new key with %j is refused', async (body) => {
  const merchant = await createMerchant()
  const keys = await merchant.asManager()
  expect(await keys.post('/api-keys', body)).toMatchObject({ status: 400 })
})

describe('rotating a key', () => {
  const HOUR_MS = 3_600_000
  type Key = { id: string; key: string; expiresAt: string | null; scopes: string[]; last4: string }
  const createKey = async (more: object = {}) => {
    const merchant = await createMerchant()
    const keys = await merchant.asManager()
    const { body } = await keys.post('/api-keys', { name: 'Checkout', scopes: ['track'], ...more })
    const former = body as unknown as Key
    const rotate = async (id = former.id, request: object = {}) => {
      const { status, body: answer } = await keys.post(`/api-keys/${id}/rotate`, request)
      return { status, body: answer as unknown as Key & { error?: { code: string } } }
    }
    const report = async (key: string) =>
      (await merchant.sale({}, { Authorization: `Bearer ${key}` })).status
    const listed = async () =>
      await database.query<{ id: string; expires_at: Date | null; replaced_by: string | null }>(
        'select id, expires_at, replaced_by from api_keys where workspace_id = $1 and name = $2 order by id',
        [merchant.workspace.id, 'Checkout'],
      )
    return { merchant, keys, former, rotate, report, listed }
  }

  test('makes one of the same name and scopes, and the former one works for a day more', async () => {
    const { former, rotate, report, listed, merchant } = await createKey()
    const { status, body: fresh } = await rotate()
    expect(status).toBe(201)
    expect(fresh).toMatchObject({
      name: 'Checkout',
      scopes: ['track'],
      expiresAt: null,
      last4: fresh.key.slice(-4),
    })
    expect([await report(former.key), await report(fresh.key)]).toEqual([200, 200])
    const [first, second] = await listed()
    expect(first?.replaced_by).toBe(second?.id)
    expect((Number(first?.expires_at) - Date.now()) / HOUR_MS).toBeCloseTo(24, 1)
    expect((await database.audit(merchant)).at(-1)).toMatchObject({
      action: 'api_key.rotated',
      subject_id: former.id,
      details: { name: 'Checkout', overlapHours: 24, replacedBy: fresh.id },
    })
  })

  test('ends the former one at once without an overlap', async () => {
    const { former, rotate, report } = await createKey()
    const { body: fresh } = await rotate(former.id, { overlapHours: 0 })
    expect([await report(former.key), await report(fresh.key)]).toEqual([401, 200])
  })

  test('keeps a key’s lifetime, and never extends the former one', async () => {
    const days = (expiresAt: unknown) =>
      (new Date(String(expiresAt)).getTime() - Date.now()) / (24 * HOUR_MS)
    const { former, rotate, listed } = await createKey({
      expiresAt: new Date(Date.now() + 3 * 24 * HOUR_MS).toISOString(),
    })
    await database.query(
      `update api_keys set created_at = created_at - interval '60 hours', expires_at = expires_at - interval '60 hours' where id = $1`,
      [former.id],
    )
    const { body: fresh } = await rotate(former.id, { overlapHours: 168 })
    expect(days(fresh.expiresAt)).toBeCloseTo(3, 1)
    expect(days((await listed())[0]?.expires_at?.toISOString())).toBeCloseTo(0.5, 1)
  })

  test('8 times at once makes one new key', async () => {
    const { rotate, listed } = await createKey()
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect(await listed()).toHaveLength(2)
  })

  test('is refused once it has ended, and for nobody else’s key', async () => {
    const { former, rotate, keys } = await createKey()
    expect((await rotate()).status).toBe(201)
    expect(await rotate()).toMatchObject({ status: 409, body: errorShape('conflict') })
    const { body } = await keys.post('/api-keys', { name: 'Other' })
    await keys.delete(`/api-keys/${body.id}`)
    expect((await rotate(String(body.id))).status).toBe(409)
    const stranger = await createKey()
    expect((await stranger.rotate(former.id)).status).toBe(404)
    expect((await rotate('x')).status).toBe(404)
    for (const overlapHours of [-1, 169, 1.5, '24', null]) {
      expect((await rotate(former.id, { overlapHours })).status).toBe(400)
    }
  })
})
