import { beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { createShop } from '../support/shop.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const PAGES = [
  '/partners',
  '/partners/ann',
  '/events',
  '/events/sale',
  '/commissions',
  '/customers',
]
const MANAGER_PAGES = ['/audit', '/mails']

const FILTERS = [
  'query',
  'status',
  'cursor',
  'externalId',
  'email',
  'kind',
  'partnerId',
  'limit',
  'done',
]
const HOSTILE = ['%00', '%ED%A0%80', '%', 'x'.repeat(3_000), "'", '%3Cscript%3E', '__proto__']

type Shop = Awaited<ReturnType<typeof createShop>>

describe('access', () => {
  // Nothing here changes them, so two shops do for all.
  let shop: Shop
  let theirs: Shop
  beforeAll(async () => {
    ;[shop, theirs] = await Promise.all([createShop(), createShop()])
  })

  /** The pages of the shop, as the manager of the other one sees them. */
  const asTheirs = async () => {
    const { get, post } = browse(await theirs.merchant.manager())
    const base = `/${shop.merchant.workspace.slug}`
    return {
      get: (path: string) => get(base + path),
      post: (path: string, fields: Record<string, string>) => post(base + path, fields),
    }
  }

  describe.each([...PAGES, ...MANAGER_PAGES])('the page %s', (path) => {
    const place = () => path.replace('ann', shop.ann).replace('sale', shop.eventId)

    test('is accessible to its role, and shows forms to managers only', async () => {
      const { merchant, pages } = shop
      const at = place()
      const nobody = await browse(null).get(`/${merchant.workspace.slug}${at}`)
      expect(nobody.status).toBe(303)
      expect(nobody.location).toBe(
        `/sign-in?next=${encodeURIComponent(`/app/${merchant.workspace.slug}${at}`)}`,
      )
      expect((await (await openPages(merchant, 'stranger')).get(at)).status).toBe(404)
      expect((await (await asTheirs()).get(at)).status).toBe(404)
      if (at !== path) expect((await theirs.pages.get(at)).status).toBe(404)
      expect((await pages.get(at)).status).toBe(200)

      const member = await (await openPages(merchant, 'member')).get(at)
      expect(member.status).toBe(MANAGER_PAGES.includes(path) ? 403 : 200)
      // The one form that a member has is the one to sign out.
      expect(member.html.match(/method="post"/g)).toHaveLength(1)
    })

    test('handles any query', { tags: 'sampled' }, async () => {
      const at = place()
      // The page of one thing reads nothing else.
      const names = at === path ? FILTERS : ['done']
      const queries = names.flatMap((name) => HOSTILE.map((value) => `${name}=${value}`))
      // Each filter, and each value in two of them.
      for (const query of at === path ? everyNth(4, queries) : queries) {
        const { status, html } = await shop.pages.get(`${at}?${query}`)
        expect([200, 400]).toContain(status)
        expect(html).not.toContain('<script>')
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
      const { merchant, pages, ann } = shop
      const at = `/partners/${ann}${path}`
      expect((await (await openPages(merchant, 'member')).post(at, fields)).status).toBe(403)
      expect((await (await openPages(merchant, 'stranger')).post(at, fields)).status).toBe(404)
      expect((await theirs.pages.post(at, fields)).status).toBe(404)
      expect((await (await asTheirs()).post(at, fields)).status).toBe(404)
      for (const from of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
        expect((await pages.post(at, fields, from)).status).toBe(403)
      }
      expect(await database.audit(merchant)).toEqual([])
      expect(await database.audit(theirs.merchant)).toEqual([])
    },
  )
})

test('a partner’s page escapes the partner’s data', async () => {
  const { pages, ann } = await createShop()
  const { html, text } = await pages.get(`/partners/${ann}`)
  expect(text).toContain('https://shop.example/?via=ann')
  expect(html).toContain('Ann &amp; &lt;b&gt;Co&lt;/b&gt;')
  expect(html).not.toContain('<b>Co')
  expect(html).not.toContain('inv_<i>')
  expect(text).toContain('Coupon aliases')
  // Pending, payable, on its way, and paid.
  expect(text).toContain('USD $9.80 $0.00 $0.00 $0.00')
  expect(text).toContain('“ann” earned $9.80, payable from')
})

test('a manager changes, bans and reinstates a partner, with notices', async () => {
  const { merchant, pages, ann } = await createShop()
  const { workspace, programId, seed } = merchant
  const group = await seed.addGroup(workspace.id, programId, { name: 'Silver' })
  const path = `/partners/${ann}`
  const here = `/app/${workspace.slug}${path}`

  const saved = await pages.post(path, { name: ' Annie ', groupId: group })
  expect([saved.status, saved.location]).toEqual([303, `${here}?done=saved`])
  const shown = await pages.get(`${path}?done=saved`)
  expect(shown.text).toContain('Partner saved.')
  expect(shown.text).toContain('Annie')
  expect(shown.html).toContain(`<option value="${group}" selected="">Silver</option>`)

  expect((await pages.post(path, { name: '', groupId: '' })).status).toBe(303)
  expect((await pages.get(path)).text).toContain('ann@partner.example Status')

  const banned = await pages.post(`${path}/status`, { status: 'banned' })
  expect(banned.location).toBe(`${here}?done=banned`)
  const after = await pages.get(`${path}?done=banned`)
  expect(after.text).toContain('Its links no longer work')
  expect(after.text).toContain('Reinstate this partner')
  expect((await pages.post(`${path}/status`, { status: 'approved' })).location).toBe(
    `${here}?done=approved`,
  )
})

test('a partner’s own minimum is set on its page, and left blank it is the program’s', async () => {
  const { merchant, pages, ann } = await createShop()
  const path = `/partners/${ann}`
  const minimum = async () => (await merchant.get(`/partners/${ann}`)).body.minimumPayoutCents
  expect((await pages.get(path)).text).toContain('Blank is the program’s: 0.00.')
  expect((await pages.post(path, { name: 'Ann', minimumPayoutCents: '25.50' })).status).toBe(303)
  expect(await minimum()).toBe(2_550)
  expect((await pages.get(path)).html).toContain('value="25.50"')
  expect((await pages.get('/audit')).text).toContain('minimum payout from none to 2550')
  const wrong = await pages.post(path, { name: 'Ann', minimumPayoutCents: '-1' })
  expect([
    wrong.status,
    wrong.text.includes('Enter an amount such as 50.00, or leave it blank.'),
  ]).toEqual([400, true])
  expect((await pages.post(path, { name: 'Ann' })).status).toBe(303)
  expect(await minimum()).toBeNull()
  const manager = await merchant.asManager()
  expect((await manager.patch(path, { minimumPayoutCents: 1.5 })).status).toBe(400)
  expect((await manager.patch(path, { minimumPayoutCents: 100 })).body.minimumPayoutCents).toBe(100)
})

test('an invalid form is shown again with its values and errors', async () => {
  const { pages, ann } = await createShop()
  const long = 'x'.repeat(256)
  const name = await pages.post(`/partners/${ann}`, { name: long })
  expect(name.status).toBe(400)
  expect(name.html).toContain('Must have at most 255 characters.')
  expect(name.html).toContain(`value="${long}"`)
  expect(name.html).toContain('<title>Error: ')

  const coupon = await pages.post(`/partners/${ann}/coupons`, { couponLabel: 'ANN20' })
  expect(coupon.status).toBe(400)
  expect(coupon.html).toContain('Must not be blank.')
  expect(coupon.html).toContain('value="ANN20"')
  // The other form keeps what is saved.
  expect(coupon.html).toContain('value="Ann &amp; &lt;b&gt;Co&lt;/b&gt;"')

  for (const groupId of ['Gold', crypto.randomUUID()]) {
    expect((await pages.post(`/partners/${ann}`, { groupId })).status).toBeLessThan(500)
  }
  expect((await pages.post(`/partners/${ann}/status`, { status: 'king' })).status).toBe(400)
})

test('coupons are added and removed, and a taken one names its partner', async () => {
  const { merchant, pages, ann } = await createShop()
  const ben = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'ben',
  })
  const coupon = { couponId: 'a/b"><script>', couponLabel: 'ANN20' }
  const added = await pages.post(`/partners/${ann}/coupons`, coupon)
  expect(added.location).toMatch(/\?done=added$/)
  expect((await pages.post(`/partners/${ann}/coupons`, coupon)).location).toMatch(
    /\?done=already_added$/,
  )
  const page = await pages.get(`/partners/${ann}`)
  expect(page.text).toContain('ANN20')
  expect(page.html).not.toContain('<script>')

  const taken = await pages.post(`/partners/${ben}/coupons`, coupon)
  expect(taken.status).toBe(409)
  expect(taken.html).toContain('Another partner has this coupon.')
  expect(taken.html).toContain(`/partners/${ann}#coupon-aliases`)

  const removed = await pages.post(`/partners/${ann}/coupons/remove`, coupon)
  expect(removed.location).toMatch(/\?done=removed$/)
  expect((await pages.post(`/partners/${ben}/coupons`, coupon)).status).toBe(303)
})

test('only known codes in ?done= show a notice', async () => {
  const { pages, ann } = await createShop()
  for (const code of ['nonsense', 'constructor', '<b>']) {
    const { html } = await pages.get(`/partners/${ann}?done=${code}`)
    expect(html).not.toContain('role="status"')
  }
})
