import { describe, expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

describe('API keys', () => {
  test('are shown once, and revoked after confirmation', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const made = await pages.post('/api-keys', { name: 'Checkout <1>', track: 'on' })
    expect(made.status).toBe(200)
    const key = /trib_test_\w+/.exec(made.html)?.[0]
    expect(made.html).toContain('shown only once')
    const report = () => merchant.sale({}, { Authorization: `Bearer ${key}` })
    expect((await report()).status).toBe(200)

    const list = await pages.get('/api-keys')
    expect(list.html).toContain('Checkout &lt;1&gt;')
    expect(list.html).not.toContain('trib_test_')
    expect(list.html).toContain(`…${key?.slice(-4)}`)
    const revoke = /\/api-keys\/[^/"]+\/revoke/.exec(list.html)?.[0] ?? ''
    expect((await pages.get(revoke)).html).toContain('cannot be undone')
    expect((await report()).status).toBe(200)

    const done = await pages.post(revoke, {})
    expect(done).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}/api-keys?done=revoked`,
    })
    expect((await report()).status).toBe(401)
    expect((await pages.get('/api-keys?done=revoked')).html).toContain('data-status="revoked"')
  })

  test('are rotated: the page shows the new one once, and the former one ends when chosen', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const keyIn = (html: string) => /trib_test_\w+/.exec(html)?.[0]
    const former = keyIn((await pages.post('/api-keys', { name: 'Checkout', track: 'on' })).html)
    const rotate = /\/api-keys\/[^/"]+\/rotate/.exec((await pages.get('/api-keys')).html)?.[0] ?? ''
    expect((await pages.get(rotate)).html).toContain('After a day')
    expect((await pages.post(rotate, { overlapHours: '' })).status).toBe(400)
    const { status, html } = await pages.post(rotate, { overlapHours: '0' })
    expect(status).toBe(200)
    const report = async (key?: string) =>
      (await merchant.sale({}, { Authorization: `Bearer ${key}` })).status
    expect([await report(former), await report(keyIn(html))]).toEqual([401, 200])
    expect((await pages.get('/api-keys')).html).not.toContain(rotate)
    const again = await pages.post(rotate, { overlapHours: '0' })
    expect(again.status).toBe(409)
    expect(again.html).toContain('create a new key')
  })

  test('need a name', async () => {
    const merchant = await createMerchant()
    const { status, html } = await (await openPages(merchant)).post('/api-keys', {
      name: ' ',
      track: 'on',
    })
    expect(status).toBe(400)
    expect(html).toContain('id="name-error"')
  })

  test('have scopes, and expire at the end of the chosen day', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const fields = { name: 'Reports', read: 'on', expiresAt: '2099-12-31' }
    expect((await pages.post('/api-keys', fields)).status).toBe(200)
    const stored = 'select scopes, expires_at from api_keys where workspace_id = $1 and name = $2'
    expect(await database.query(stored, [merchant.workspace.id, 'Reports'])).toEqual([
      { scopes: ['read'], expires_at: new Date('2099-12-31T23:59:59Z') },
    ])

    const refused = await pages.post('/api-keys', { name: 'Reports', expiresAt: '2020-01-01' })
    expect(refused.status).toBe(400)
    expect(refused.html).toContain('Choose at least one scope.')
    expect(refused.html).toContain('Must be in the future.')
  })
})

describe('members', () => {
  const idOf = async (merchant: Merchant, name: string) => {
    const email = `${name}@${merchant.workspace.slug}.example`
    const [row] = await database.query<{ id: string }>(
      'select id from members where workspace_id = $1 and email = $2',
      [merchant.workspace.id, email],
    )
    return row?.id
  }

  test('are invited, changed and removed', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const email = `ann@${merchant.workspace.slug}.example`
    const invited = await pages.post('/members', { email, role: 'member' })
    expect(invited.location).toBe(`/app/${merchant.workspace.slug}/members?done=invited`)
    expect((await pages.get('/members?done=invited')).html).toContain(email)
    const again = await pages.post('/members', { email, role: 'member' })
    expect(again.status).toBe(409)
    expect(again.html).toContain('is already a member of this workspace')

    const path = `/members/${await idOf(merchant, 'ann')}`
    expect((await pages.post(path, { role: 'manager' })).status).toBe(303)
    expect((await pages.get(path)).html).toContain('<option value="manager" selected')
    expect((await pages.post(path, { role: 'owner' })).status).toBe(400)
    expect((await pages.post(`${path}/remove`, {})).status).toBe(303)
    expect((await pages.get(path)).status).toBe(404)
  })

  test('the last manager cannot be removed, with the reason', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const path = `/members/${await idOf(merchant, 'manager')}`
    for (const refused of [
      await pages.post(path, { role: 'member' }),
      await pages.post(`${path}/remove`, {}),
    ]) {
      expect(refused.status).toBe(409)
      expect(refused.html).toContain('last manager')
    }
  })

  test('a manager who gives up their role is redirected to an accessible page', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const second = `second@${merchant.workspace.slug}.example`
    await merchant.seed.addMember(merchant.workspace.id, second, 'manager')
    await openSession(second)
    const path = `/members/${await idOf(merchant, 'manager')}`
    expect((await pages.post(path, { role: 'member' })).location).toBe(
      `/app/${merchant.workspace.slug}`,
    )
    expect((await pages.get('')).status).toBe(200)
  })
})
