import { expect, test } from 'vitest'
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
    key: expect.stringMatching(/^trib_live_\w{38}$/),
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
  })
  expect(JSON.stringify(list.body)).not.toContain('trib_live_')
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
  const after = await list()
  expect(after).toMatchObject({ data: [{ id: body.id, revokedAt: expect.any(String) }, {}] })

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
