/** A stolen key can do no more than its scopes, and no longer than its expiry. */
import { describe, expect, test } from 'vitest'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const NO_ID = '0192f000-0000-7000-8000-000000000001'

/** A merchant, and requests with a key of its own that has these scopes. */
const stage = async (scopes: string[], expiresAt: string | null = null) => {
  const merchant = await createMerchant()
  const { body } = await (await merchant.asManager()).post('/api-keys', {
    name: 'Stolen',
    scopes,
    expiresAt,
  })
  const headers = { Authorization: `Bearer ${body.key}` }
  return { merchant, id: body.id as string, api: merchant.withHeaders(headers), headers }
}

describe('a key with', () => {
  test.each([
    { scopes: ['track'], track: 200, read: 403, write: 403 },
    { scopes: ['read'], track: 403, read: 200, write: 403 },
    { scopes: ['write'], track: 403, read: 403, write: 200 },
    { scopes: ['write', 'track', 'read', 'read'], track: 200, read: 200, write: 200 },
  ])('the scopes $scopes can do nothing else', async ({ scopes, ...expected }) => {
    const { merchant, api, headers } = await stage(scopes)
    const answers = {
      track: await merchant.sale({}, headers),
      read: await api.get('/partners'),
      write: await api.patch(`/partners/${merchant.partnerId}`, { name: 'Renamed' }),
    }
    for (const [what, { status, body }] of Object.entries(answers)) {
      expect({ what, status }).toEqual({ what, status: expected[what as keyof typeof expected] })
      if (status === 403) expect(body).toMatchObject(errorShape('insufficient_scope'))
    }
  })

  test('the scope track saves no lead either without it', async () => {
    const { merchant, headers } = await stage(['read', 'write'])
    expect((await merchant.lead({}, headers)).status).toBe(403)
    expect(
      await database.query('select 1 from events where workspace_id = $1', [merchant.workspace.id]),
    ).toEqual([])
  })

  test('the scope write makes keys, members, settings and payouts of nobody', async () => {
    const { api } = await stage(['track', 'read', 'write'])
    const refused = [
      await api.post('/api-keys', { name: 'Another' }),
      await api.get('/api-keys'),
      await api.post('/members', { email: 'mallory@evil.example', role: 'manager' }),
      await api.patch('/settings', { manualPayouts: true }),
      await api.post('/payouts/run', {}),
      await api.post('/partners/import', { programId: NO_ID, rows: [] }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401))
  })

  test('the scope write changes nothing of another workspace', async () => {
    const { api } = await stage(['write'])
    const victim = await createMerchant()
    expect((await api.patch(`/partners/${victim.partnerId}`, { status: 'banned' })).status).toBe(
      404,
    )
    const theirs = await database.query('select status from partners where id = $1', [
      victim.partnerId,
    ])
    expect(theirs).toEqual([{ status: 'approved' }])
  })
})

test('a change by a key names the key in the audit log', async () => {
  const { merchant, api } = await stage(['write'])
  await api.patch(`/partners/${merchant.partnerId}`, { name: 'Renamed' })
  const [, entry] = await database.audit(merchant)
  expect(entry).toMatchObject({ action: 'partner.changed', actor: 'API key "Stolen"' })
})

test('a key that has expired is refused like an unknown one', async () => {
  const { merchant, id, api, headers } = await stage(
    ['track', 'read', 'write'],
    '2099-01-01T00:00:00Z',
  )
  expect((await merchant.sale({}, headers)).status).toBe(200)
  await database.query(
    `update api_keys set expires_at = now() - interval '1 second' where id = $1`,
    [id],
  )
  for (const { status, body } of [
    await merchant.sale({}, headers),
    await api.get('/partners'),
    await api.patch(`/partners/${merchant.partnerId}`, { name: 'Renamed' }),
  ]) {
    expect({ status, body }).toMatchObject({ status: 401, body: errorShape('invalid_api_key') })
  }
})

test('the last use of a key is recorded by reports and by reads, and not by what was refused', async () => {
  const lastUse = async (id: string) =>
    (await database.query('select last_used_at from api_keys where id = $1', [id]))[0]?.last_used_at
  const unused = await stage(['read'])
  await unused.merchant.sale({}, unused.headers)
  const [reporter, reader] = [await stage(['track']), await stage(['read'])]
  await reporter.merchant.sale({}, reporter.headers)
  await reader.api.get('/partners')

  await expect.poll(() => lastUse(reporter.id)).toBeInstanceOf(Date)
  await expect.poll(() => lastUse(reader.id)).toBeInstanceOf(Date)
  expect(await lastUse(unused.id)).toBeNull()
})
