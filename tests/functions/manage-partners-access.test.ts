import { expect, inject, test } from 'vitest'
import { createMerchant, errorShape, type Merchant, send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/** A merchant with a manager who has signed in, and the id of its partner "ann". */
const createTeam = async () => {
  const merchant = await createMerchant()
  const id = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'ann' })
  return { merchant, manager: merchant.as(await merchant.manager()), id }
}

const audit = async ({ workspace }: Merchant) =>
  database.query('select action from audit_entries where workspace_id = $1', [workspace.id])

/** Every endpoint, with a body where it takes one. `id` stands for a partner of the workspace. */
const READS = ['/partners', '/partners/id', '/partners/id/coupons', '/commissions', '/customers', '/events']
const CHANGES: [method: 'patch' | 'post' | 'delete' | 'get', path: string, body?: unknown][] = [
  ['patch', '/partners/id', { status: 'banned' }],
  ['post', '/partners/id/coupons', { couponId: 'SUMMER' }],
  ['delete', '/partners/id/coupons/SPRING'],
  ['post', '/mails/id/retry'],
]
const MANAGERS_ONLY: typeof CHANGES = [...CHANGES, ['get', '/audit'], ['get', '/mails']]

test.each(READS)('GET %s is for members and keys of the workspace, and for nobody else', async (path) => {
  const [{ merchant, id }, other] = await Promise.all([createTeam(), createMerchant()])
  const url = `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}${path.replace('id', id)}`
  const by = async (headers: Record<string, string>) => {
    const { status, body } = await send(url, { headers })
    return [status, body.error?.code]
  }
  expect(await by({ Authorization: `Bearer ${merchant.apiKey}` })).toEqual([200, undefined])
  expect(await by({ Cookie: await merchant.member() })).toEqual([200, undefined])
  expect(await by({})).toEqual([401, 'invalid_api_key'])
  expect(await by({ Cookie: 'tributary.session=forged' })).toEqual([401, 'not_signed_in'])
  expect(await by({ Authorization: 'Bearer trib_live_x' })).toEqual([401, 'invalid_api_key'])
  expect(await by({ Authorization: `Bearer ${other.apiKey}` })).toEqual([404, 'not_found'])
  expect(await by({ Cookie: await merchant.stranger() })).toEqual([404, 'not_found'])
})

test.each(MANAGERS_ONLY)('%s %s is for managers only', async (method, path, body) => {
  const { merchant, id } = await createTeam()
  const by = async (headers: Record<string, string>) => {
    const url = `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}${path.replace('id', id)}`
    const answer = await send(url, { method: method.toUpperCase(), body, headers })
    return [answer.status, answer.body.error?.code]
  }
  expect(await by({})).toEqual([401, 'not_signed_in'])
  expect(await by({ Authorization: `Bearer ${merchant.apiKey}` })).toEqual([401, 'not_signed_in'])
  expect(await by({ Cookie: await merchant.member() })).toEqual([403, 'manager_required'])
  expect(await by({ Cookie: await merchant.stranger() })).toEqual([404, 'not_found'])
  expect(await audit(merchant)).toEqual([])
})

test.each(CHANGES)('%s %s refuses what a page of another site sends', async (method, path, body) => {
  const { merchant, id } = await createTeam()
  const url = `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}${path.replace('id', id)}`
  const cookie = { Cookie: await merchant.manager() }
  for (const from of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    const answer = await send(url, { method: method.toUpperCase(), body, headers: { ...cookie, ...from } })
    expect([answer.status, answer.body.error?.code]).toEqual([403, 'cross_site_request'])
  }
  expect(await audit(merchant)).toEqual([])
})

test('a partner of another workspace is found by nobody, and stays as it is', async () => {
  const [{ merchant, manager }, theirs] = await Promise.all([createTeam(), createTeam()])
  await theirs.manager.post(`/partners/${theirs.id}/coupons`, { couponId: 'THEIRS' })
  for (const id of [theirs.id, crypto.randomUUID(), 'maya', '%00', '..%2f']) {
    const answers = await Promise.all([
      manager.get(`/partners/${id}`),
      manager.patch(`/partners/${id}`, { status: 'banned' }),
      manager.get(`/partners/${id}/coupons`),
      manager.post(`/partners/${id}/coupons`, { couponId: 'OURS' }),
      manager.delete(`/partners/${id}/coupons/THEIRS`),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toEqual(errorShape('not_found'))
    }
  }
  expect((await theirs.manager.get(`/partners/${theirs.id}`)).body).toMatchObject({
    status: 'approved',
    coupons: [{ couponId: 'THEIRS', couponLabel: null }],
  })
  expect(await audit(merchant)).toEqual([])
})

/** What clumsy and hostile callers put into a query. */
const HOSTILE = [
  '%00',
  '%ED%A0%80',
  '%',
  '',
  '%20',
  'x'.repeat(4_000),
  "' or 1=1--",
  '🦊',
  '%F0%9F',
  '[]',
  '{}',
]

test.each(['partners', 'commissions', 'customers', 'events'])(
  'hostile values in the query of /%s are answered, and never break it',
  async (resource) => {
    const merchant = await createMerchant()
    const names = ['programId', 'email', 'slug', 'groupId', 'status', 'query', 'cursor', 'limit', 'partnerId']
    names.push('customerExternalId', 'eventId', 'kind', 'externalId', 'attributed')
    for (const name of names) {
      const answers = await Promise.all(HOSTILE.map((value) => merchant.get(`/${resource}?${name}=${value}`)))
      for (const { status, body } of answers) {
        expect([200, 400]).toContain(status)
        if (status === 400) expect(body.error?.code).toBe('invalid_query')
      }
    }
  },
)
