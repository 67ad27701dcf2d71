import { describe, expect, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { createShop, press, visit } from '../support/partner-pages.ts'

const database = useDatabase()

const PAGES = ['/partners', '/partners/ann', '/events', '/events/sale', '/commissions', '/customers']
const MANAGER_PAGES = ['/audit', '/mails']

describe.each([...PAGES, ...MANAGER_PAGES])('the page %s', (path) => {
  test('is for those who may see it, and shows forms to managers only', async () => {
    const [{ merchant, cookie, ann, eventId }, theirs] = await Promise.all([createShop(), createShop()])
    const at = path.replace('ann', ann).replace('sale', eventId ?? '')

    const nobody = await visit(merchant, null, at)
    expect(nobody.status).toBe(303)
    expect(nobody.location).toBe(
      `/sign-in?next=${encodeURIComponent(`/app/${merchant.workspace.slug}${at}`)}`,
    )
    expect((await visit(merchant, await merchant.stranger(), at)).status).toBe(404)
    expect((await visit(merchant, theirs.cookie, at)).status).toBe(404)
    if (at !== path) expect((await visit(theirs.merchant, theirs.cookie, at)).status).toBe(404)
    expect((await visit(merchant, cookie, at)).status).toBe(200)

    const member = await visit(merchant, await merchant.member(), at)
    expect(member.status).toBe(MANAGER_PAGES.includes(path) ? 403 : 200)
    // The one form that a member has is the one to sign out.
    expect(member.html.match(/method="post"/g)).toHaveLength(1)
  })

  test('answers whatever stands in its address', async () => {
    const { merchant, cookie, ann, eventId } = await createShop()
    const at = path.replace('ann', ann).replace('sale', eventId ?? '')
    for (const value of ['%00', '%ED%A0%80', '%', 'x'.repeat(3_000), "'", '%3Cscript%3E', '__proto__']) {
      const names = ['query', 'status', 'cursor', 'externalId', 'email', 'kind', 'partnerId', 'limit', 'done']
      const shown = await Promise.all(names.map((name) => visit(merchant, cookie, `${at}?${name}=${value}`)))
      for (const { status, html } of shown) {
        expect([200, 400]).toContain(status)
        expect(html).not.toContain('<script>')
      }
    }
  })
})

/** Every form, with fields that it takes. */
const FORMS: [path: string, fields: Record<string, string>][] = [
  ['', { name: 'Ben' }],
  ['/status', { status: 'banned' }],
  ['/coupons', { couponId: 'C1' }],
  ['/coupons/remove', { couponId: 'C1' }],
]

test.each(FORMS)(
  'the form to /partners/:id%s is for managers of the workspace, on its page',
  async (path, fields) => {
    const [{ merchant, cookie, ann }, theirs] = await Promise.all([createShop(), createShop()])
    const at = `/partners/${ann}${path}`
    expect((await press(merchant, await merchant.member(), at, fields)).status).toBe(403)
    expect((await press(merchant, await merchant.stranger(), at, fields)).status).toBe(404)
    expect((await press(theirs.merchant, theirs.cookie, at, fields)).status).toBe(404)
    for (const from of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      expect((await press(merchant, cookie, at, fields, from)).status).toBe(403)
    }
    const log = await database.query('select from audit_entries where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect(log).toEqual([])
  },
)

test('a partner’s page shows what it is, and runs nothing of it', async () => {
  const { merchant, cookie, ann } = await createShop()
  const { html, text } = await visit(merchant, cookie, `/partners/${ann}`)
  expect(text).toContain('https://shop.example/?via=ann')
  expect(html).toContain('Ann &amp; &lt;b&gt;Co&lt;/b&gt;')
  expect(html).not.toContain('<b>Co')
  expect(html).not.toContain('inv_<i>')
  expect(text).toContain('Coupon aliases')
  // Pending, payable, and together.
  expect(text).toContain('USD 9.80 USD 0.00 USD 9.80 USD')
  expect(text).toContain('“ann” earned 9.80 USD, payable from')
})

test('a manager changes, bans and lets in a partner, and is told what was done', async () => {
  const { merchant, cookie, ann } = await createShop()
  const { workspace, programId, seed } = merchant
  const group = await seed.addGroup(workspace.id, programId, { name: 'Silver' })
  const path = `/partners/${ann}`
  const here = `/app/${workspace.slug}${path}`

  const saved = await press(merchant, cookie, path, { name: ' Annie ', groupId: group })
  expect([saved.status, saved.location]).toEqual([303, `${here}?done=saved`])
  const shown = await visit(merchant, cookie, `${path}?done=saved`)
  expect(shown.text).toContain('The partner was saved.')
  expect(shown.text).toContain('Annie')
  expect(shown.html).toContain(`<option value="${group}" selected="">Silver</option>`)

  expect((await press(merchant, cookie, path, { name: '', groupId: '' })).status).toBe(303)
  expect((await visit(merchant, cookie, path)).text).toContain('ann@partner.example Status')

  const banned = await press(merchant, cookie, `${path}/status`, { status: 'banned' })
  expect(banned.location).toBe(`${here}?done=banned`)
  const after = await visit(merchant, cookie, `${path}?done=banned`)
  expect(after.text).toContain('its link counts no more')
  expect(after.text).toContain('Let this partner in again')
  expect((await press(merchant, cookie, `${path}/status`, { status: 'approved' })).location).toBe(
    `${here}?done=approved`,
  )
})

test('a form that can’t be is shown again, with what was typed and what is wrong', async () => {
  const { merchant, cookie, ann } = await createShop()
  const long = 'x'.repeat(256)
  const name = await press(merchant, cookie, `/partners/${ann}`, { name: long })
  expect(name.status).toBe(400)
  expect(name.html).toContain('Must have at most 255 characters.')
  expect(name.html).toContain(`value="${long}"`)
  expect(name.html).toContain('<title>Error: ')

  const coupon = await press(merchant, cookie, `/partners/${ann}/coupons`, { couponLabel: 'ANN20' })
  expect(coupon.status).toBe(400)
  expect(coupon.html).toContain('Must not be blank.')
  expect(coupon.html).toContain('value="ANN20"')
  // The other form keeps what is saved.
  expect(coupon.html).toContain('value="Ann &amp; &lt;b&gt;Co&lt;/b&gt;"')

  for (const groupId of ['Gold', crypto.randomUUID()]) {
    expect((await press(merchant, cookie, `/partners/${ann}`, { groupId })).status).toBeLessThan(500)
  }
  expect((await press(merchant, cookie, `/partners/${ann}/status`, { status: 'king' })).status).toBe(400)
})

test('coupons are added and removed on the page, and one that is taken tells by whom', async () => {
  const { merchant, cookie, ann } = await createShop()
  const ben = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'ben' })
  const coupon = { couponId: 'a/b"><script>', couponLabel: 'ANN20' }
  const added = await press(merchant, cookie, `/partners/${ann}/coupons`, coupon)
  expect(added.location).toMatch(/\?done=added$/)
  expect((await press(merchant, cookie, `/partners/${ann}/coupons`, coupon)).location).toMatch(
    /\?done=there_already$/,
  )
  const page = await visit(merchant, cookie, `/partners/${ann}`)
  expect(page.text).toContain('ANN20')
  expect(page.html).not.toContain('<script>')

  const taken = await press(merchant, cookie, `/partners/${ben}/coupons`, coupon)
  expect(taken.status).toBe(409)
  expect(taken.html).toContain('Another partner has this coupon.')
  expect(taken.html).toContain(`/partners/${ann}#coupon-aliases`)

  const removed = await press(merchant, cookie, `/partners/${ann}/coupons/remove`, coupon)
  expect(removed.location).toMatch(/\?done=removed$/)
  expect((await press(merchant, cookie, `/partners/${ben}/coupons`, coupon)).status).toBe(303)
})

test('what stands behind ?done= is said only when it is known', async () => {
  const { merchant, cookie, ann } = await createShop()
  for (const code of ['nonsense', 'constructor', '<b>']) {
    const { html } = await visit(merchant, cookie, `/partners/${ann}?done=${code}`)
    expect(html).not.toContain('role="status"')
  }
})
