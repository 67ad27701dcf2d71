import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/data/ids.ts'
import { createMerchant, errorShape, send } from '../support/merchant.ts'

const program = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  reward: { kind: 'percent', percent: 20 },
  rewardInterval: 'recurring',
}

/** Every endpoint that sets a workspace up, with a body that it takes. `:id` is a row of the workspace. */
const ENDPOINTS = [
  { method: 'GET', path: '/members', who: 'managers' },
  { method: 'POST', path: '/members', body: { email: 'new@shop.example', role: 'member' }, who: 'managers' },
  { method: 'PATCH', path: '/members/:member', body: { role: 'member' }, who: 'managers' },
  { method: 'DELETE', path: '/members/:member', who: 'managers' },
  { method: 'GET', path: '/api-keys', who: 'managers' },
  { method: 'POST', path: '/api-keys', body: { name: 'Checkout' }, who: 'managers' },
  { method: 'DELETE', path: '/api-keys/:key', who: 'managers' },
  { method: 'GET', path: '/programs', who: 'readers' },
  { method: 'POST', path: '/programs', body: program, who: 'managers' },
  { method: 'GET', path: '/programs/:program', who: 'readers' },
  { method: 'PATCH', path: '/programs/:program', body: { name: 'Winter' }, who: 'managers' },
  { method: 'GET', path: '/programs/:program/groups', who: 'readers' },
  { method: 'POST', path: '/programs/:program/groups', body: { name: 'Silver' }, who: 'managers' },
  { method: 'GET', path: '/groups/:group', who: 'readers' },
  { method: 'PATCH', path: '/groups/:group', body: { name: 'Silver' }, who: 'managers' },
] as const

type Endpoint = (typeof ENDPOINTS)[number]

/** A merchant with a row of each kind, and a way to call an endpoint with these rows in its path. */
const createStaffed = async () => {
  const merchant = await createMerchant({ group: {} })
  const as = merchant.as(await merchant.manager())
  const first = async (path: string) => {
    const { body } = await as.get(path)
    return (body as unknown as { data: { id: string }[] }).data[0]?.id ?? ''
  }
  const ids = {
    member: await first('/members'),
    key: await first('/api-keys'),
    program: merchant.programId,
    group: await first(`/programs/${merchant.programId}/groups`),
  }
  return { ...merchant, ids }
}

type Ids = Awaited<ReturnType<typeof createStaffed>>['ids']

const withIds = (path: string, ids: Ids | string): string =>
  path.replace(/:(\w+)/, (_, name: keyof Ids) => (typeof ids === 'string' ? ids : ids[name]))

const call = (endpoint: Endpoint, workspace: string, ids: Ids | string, headers: Record<string, string>) =>
  send(`${inject('baseUrl')}/api/workspaces/${workspace}${withIds(endpoint.path, ids)}`, {
    method: endpoint.method,
    ...('body' in endpoint && { body: endpoint.body }),
    headers,
  })

describe.each(ENDPOINTS)('$method /api/workspaces/:workspace$path', (endpoint) => {
  test('is for those who may: no session 401, a stranger 404, and an id of another workspace 404', async () => {
    const [merchant, other] = await Promise.all([createStaffed(), createStaffed()])
    const [manager, stranger] = [await merchant.manager(), await merchant.stranger()]
    const own = merchant.workspace.slug

    expect(await call(endpoint, own, merchant.ids, {})).toMatchObject({
      status: 401,
      body: errorShape(endpoint.who === 'readers' ? 'invalid_api_key' : 'not_signed_in'),
    })
    expect(await call(endpoint, own, merchant.ids, { Cookie: 'tributary.session=forged' })).toMatchObject({
      status: 401,
      body: errorShape('not_signed_in'),
    })
    const hidden = [
      await call(endpoint, own, merchant.ids, { Cookie: stranger }),
      await call(endpoint, other.workspace.slug, other.ids, { Cookie: manager }),
      await call(endpoint, 'no-such-workspace', merchant.ids, { Cookie: manager }),
      ...(endpoint.path.includes(':')
        ? [
            await call(endpoint, own, other.ids, { Cookie: manager }),
            await call(endpoint, own, newId(), { Cookie: manager }),
            await call(endpoint, own, 'x', { Cookie: manager }),
            await call(endpoint, own, '%00', { Cookie: manager }),
          ]
        : []),
    ]
    for (const answer of hidden) expect(answer).toMatchObject({ status: 404, body: errorShape('not_found') })
  })

  test(`is for ${endpoint.who}`, async () => {
    const merchant = await createStaffed()
    const member = await merchant.member()
    const byMember = await call(endpoint, merchant.workspace.slug, merchant.ids, { Cookie: member })
    const byKey = await call(endpoint, merchant.workspace.id, merchant.ids, {
      Authorization: `Bearer ${merchant.apiKey}`,
    })
    if (endpoint.who === 'readers') {
      expect([byMember.status, byKey.status]).toEqual([200, 200])
    } else {
      expect(byMember).toMatchObject({ status: 403, body: errorShape('manager_required') })
      expect(byKey).toMatchObject({ status: 401, body: errorShape('not_signed_in') })
    }
  })

  if (endpoint.method !== 'GET') {
    test.each([
      { case: 'by its origin', headers: { Origin: 'https://evil.example' } },
      { case: 'by what the browser says', headers: { 'Sec-Fetch-Site': 'same-site' } },
      { case: 'by an origin that hides', headers: { Origin: 'null' } },
    ])('refuses a call from another site, $case', async ({ headers }) => {
      const merchant = await createStaffed()
      const cookie = await merchant.manager()
      const answer = await call(endpoint, merchant.workspace.slug, merchant.ids, {
        ...headers,
        Cookie: cookie,
      })
      expect(answer).toMatchObject({ status: 403, body: errorShape('cross_site_request') })
    })
  }
})
