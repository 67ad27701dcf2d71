/** A session that somebody left open, or that was stolen: it must not move money, nor let others in. */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { cookieOf, fromSomewhere, mailsTo, newestLink, press, submit, whoIs } from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`

const age = (email: string, interval: string) =>
  database.query(
    `update sign_in.sessions set created_at = created_at - $1::interval
     where user_id = (select id from sign_in.users where email = $2)`,
    [interval, email],
  )

/** A merchant whose manager signed in 13 hours ago. */
const openOffice = async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const email = `manager@${merchant.workspace.slug}.example`
  await age(email, '13 hours')
  return { merchant, cookie, email, base: `/app/${merchant.workspace.slug}` }
}

const id = newId()
const CALLS: { method: 'post' | 'put' | 'patch' | 'delete'; path: string; body?: object }[] = [
  { method: 'post', path: '/payouts/run', body: { method: 'stripe' } },
  { method: 'post', path: `/payouts/${id}/cancel` },
  { method: 'post', path: `/payouts/${id}/release` },
  { method: 'post', path: `/payouts/${id}/resolve`, body: { outcome: 'sent', reason: 'x' } },
  { method: 'post', path: `/payouts/${id}/return`, body: { reason: 'x' } },
  { method: 'post', path: `/payout-runs/${id}/approve` },
  { method: 'post', path: `/payout-runs/${id}/decline` },
  { method: 'post', path: `/payout-runs/${id}/send` },
  { method: 'post', path: `/settings/limit-requests/${id}/approve` },
  { method: 'post', path: `/settings/limit-requests/${id}/decline` },
  { method: 'post', path: `/payout-runs/${id}/resolve`, body: { outcome: 'sent', reason: 'x' } },
  { method: 'patch', path: `/payout-runs/${id}`, body: { status: 'paid' } },
  { method: 'post', path: '/api-keys', body: { name: 'mine' } },
  { method: 'post', path: `/api-keys/${id}/rotate`, body: {} },
  { method: 'delete', path: `/api-keys/${id}` },
  { method: 'post', path: '/members', body: { email: 'eve@evil.example', role: 'manager' } },
  { method: 'patch', path: `/members/${id}`, body: { role: 'manager' } },
  { method: 'delete', path: `/members/${id}` },
  { method: 'put', path: '/stripe/key', body: { key: 'rk_live_x' } },
  { method: 'delete', path: '/stripe/key' },
  { method: 'post', path: '/stripe/secrets', body: { secret: 'whsec_x' } },
  { method: 'delete', path: `/stripe/secrets/${id}` },
]

const FORMS: { path: string; fields: Record<string, string> }[] = [
  { path: '/payouts/new', fields: { method: 'stripe' } },
  ...['send', 'approve', 'decline'].map((end) => ({ path: `/payouts/runs/${id}/${end}`, fields: {} })),
  { path: `/payouts/runs/${id}`, fields: { status: 'paid' } },
  ...['approve', 'decline'].map((end) => ({ path: `/settings/limit-requests/${id}/${end}`, fields: {} })),
  { path: `/payouts/runs/${id}/export`, fields: { format: 'sepa', currency: 'EUR' } },
  ...['cancel', 'release', 'resolve', 'return'].map((end) => ({ path: `/payouts/${id}/${end}`, fields: {} })),
  { path: '/api-keys', fields: { name: 'mine' } },
  { path: `/api-keys/${id}/rotate`, fields: { overlapHours: '24' } },
  { path: `/api-keys/${id}/revoke`, fields: {} },
  { path: '/members', fields: { email: 'eve@evil.example', role: 'manager' } },
  { path: `/members/${id}`, fields: { role: 'manager' } },
  { path: `/members/${id}/remove`, fields: {} },
  { path: '/members/hand-over', fields: { email: 'eve@evil.example' } },
  { path: '/leave', fields: {} },
  { path: '/deletion', fields: { slug: 'x' } },
  { path: '/address', fields: { email: 'eve@evil.example' } },
  { path: '/stripe', fields: { secret: 'whsec_typed' } },
  { path: '/stripe/key', fields: { key: 'rk_live_typed' } },
  { path: '/stripe/key/remove', fields: {} },
  { path: `/stripe/secrets/${id}/remove`, fields: {} },
]

describe('with a session of 13 hours ago', () => {
  test('every call that pays, or changes keys or members, is refused, and reads are not', async () => {
    const { merchant, cookie } = await openOffice()
    const caller = merchant.as(cookie)
    for (const { method, path, body } of CALLS) {
      const answer = await caller[method](path, body)
      expect({ method, path, status: answer.status, body: answer.body }).toEqual({
        ...{ method, path, status: 403 },
        body: errorShape('fresh_sign_in_required'),
      })
    }
    expect((await caller.post('/payouts/run', { dryRun: true })).status).toBe(200)
    expect((await caller.get('/payouts')).status).toBe(200)
    expect((await caller.get('/api-keys')).status).toBe(200)
  })

  test('every form that does so asks to confirm, changes nothing and shows no secret again', async () => {
    const { merchant, cookie, email, base } = await openOffice()
    for (const { path, fields } of FORMS) {
      const answer = await submit(url(`${base}${path}`), fields, { Cookie: cookie })
      const page = await answer.text()
      expect({ path, status: answer.status, asks: page.includes('Confirm it’s you') }).toEqual({
        path,
        status: 403,
        asks: true,
      })
      expect(page).not.toMatch(/whsec_typed|rk_live_typed/)
    }
    // However many forms are tried, the mailbox has five links at most.
    expect(await mailsTo(email)).toHaveLength(5)
    const rows = await database.query('select 1 from audit_entries where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect(rows).toEqual([])
  })

  test('opening the link in the same browser goes on with what was typed', async () => {
    const { cookie, email, base, merchant } = await openOffice()
    const form = url(`${base}/api-keys`)
    const typed = { name: 'My "shop" <key>', track: 'on' }
    const asked = await submit(form, typed, { Cookie: cookie, Referer: form })
    const page = await asked.text()
    expect(page).toContain(`action="${base}/api-keys"`)
    expect(page).toContain('name="name" value="My &quot;shop&quot; &lt;key&gt;"')

    const confirmed = await press(await newestLink(email), { ...fromSomewhere(), Cookie: cookie })
    expect(confirmed.headers.get('Location')).toBe(`${base}/api-keys`)
    expect(await whoIs(cookie)).toBeNull()
    const again = await submit(form, typed, { Cookie: cookieOf(confirmed) })
    expect(again.status).toBe(200)
    const [key] = await database.query<{ name: string }>(
      'select name from api_keys where workspace_id = $1 order by id desc',
      [merchant.workspace.id],
    )
    expect(key?.name).toBe('My "shop" <key>')
  })

  test('somebody who is no manager gets no mail by it', async () => {
    const merchant = await createMerchant()
    const cookie = await merchant.member()
    const email = `member@${merchant.workspace.slug}.example`
    await age(email, '13 hours')
    const answer = await submit(
      url(`/app/${merchant.workspace.slug}/api-keys`),
      { name: 'x' },
      { Cookie: cookie },
    )
    expect(answer.status).toBe(403)
    expect(await mailsTo(email)).toEqual([])
  })
})

test('a session ends after 90 days, however often it is used', async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const email = `manager@${merchant.workspace.slug}.example`
  await age(email, '89 days')
  expect(await whoIs(cookie)).toBe(email)
  await age(email, '1 day')
  expect(await whoIs(cookie)).toBeNull()
  expect((await merchant.as(cookie).get('/payouts')).status).toBe(401)
})
