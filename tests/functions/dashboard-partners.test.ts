import { describe, expect, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'

const database = useDatabase()

/** What a person sees at a path of the workspace. Entities are read as what they stand for. */
const visit = async ({ workspace }: Merchant, cookie: string | null, path: string) => {
  const shown = await browse(cookie).get(`/${workspace.slug}${path}`)
  const text = shown.html
    .replace(/<(head|nav|header)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
  return { ...shown, text }
}

/** Sends a form of a page of the workspace. */
const press = (
  { workspace }: Merchant,
  cookie: string,
  path: string,
  fields: Record<string, string>,
  headers?: Record<string, string>,
) => browse(cookie).post(`/${workspace.slug}${path}`, fields, headers)

/** A merchant with a partner "ann", its manager's cookie, an event that counted and one that didn't. */
const createShop = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId, seed } = merchant
  const ann = await seed.addPartner(workspace.id, programId, { slug: 'ann', name: 'Ann & <b>Co</b>' })
  const cookie = await merchant.manager()
  const clickId = await merchant.click('ann')
  const metadata = { note: '</code><script>alert(1)</script>' }
  const sale = await merchant.sale({ externalId: 'inv_<i>', clickId, metadata })
  await merchant.sale({ externalId: 'lost' })
  return { merchant, cookie, ann, eventId: sale.body.eventId }
}

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
      for (const name of names) {
        const { status, html } = await visit(merchant, cookie, `${at}?${name}=${value}`)
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
  expect(text).toContain('9.80 USD')
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

test('an event’s page says why it counted, or why not', async () => {
  const { merchant, cookie, eventId } = await createShop()
  const counted = await visit(merchant, cookie, `/events/${eventId}`)
  expect(counted.text).toContain('Why it was credited')
  expect(counted.text).toContain('The program’s reward applies: 20% of the sale.')
  expect(counted.html).not.toContain('<script>alert')

  const list = await visit(merchant, cookie, '/events?attributed=false')
  expect(list.text).toContain('Not credited')
  expect(list.text).not.toContain('inv_')
  const [, lost] = /\/events\/([\w-]{36})"/.exec(list.html) ?? []
  const missed = await visit(merchant, cookie, `/events/${lost}`)
  expect(missed.text).toContain('Why it was not credited')
  expect(missed.text).toContain('The report carried no click id')
  expect(missed.text).toContain('This event earned no commission.')
})

test.each([
  ['/partners?query=ann', 'ann@partner.example', 'maya@'],
  ['/partners?status=banned', 'No partner is like that.', 'ann@'],
  ['/partners?query=&status=&groupId=', 'maya@partner.example', 'No partner'],
  ['/events?externalId=lost', 'Not credited', 'Earned'],
  ['/events?kind=lead', 'No event is like that.', 'Earned'],
  ['/commissions?status=payable', 'No commission is like that.', '9.80 USD'],
  ['/commissions?status=pending', '9.80 USD', 'No commission'],
  ['/customers?externalId=user_1', 'Ann & <b>Co</b>', 'No customer'],
  ['/customers?email=nobody@x.example', 'No customer is like that.', 'user_1'],
])('%s shows what it is asked for', async (path, there, notThere) => {
  const { merchant, cookie } = await createShop()
  const { text } = await visit(merchant, cookie, path)
  expect(text.replace(/&lt;/g, '<').replace(/&gt;/g, '>')).toContain(there)
  expect(text).not.toContain(notThere)
})

test('an empty list of partners leads to the import, for those who may import', async () => {
  const merchant = await createMerchant()
  await database.query('delete from partners where workspace_id = $1', [merchant.workspace.id])
  const manager = await visit(merchant, await merchant.manager(), '/partners')
  expect(manager.text).toContain('Import them from another platform')
  const member = await visit(merchant, await merchant.member(), '/partners')
  expect(member.text).toContain('There are no partners yet.')
  expect(member.html).not.toContain('/import')
})

test('a long list goes on on the next page, with its filters', async () => {
  const merchant = await createMerchant()
  const { cookie, partners } = await importer(merchant)
  await partners(Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@x.example` })))
  const first = await visit(merchant, cookie, '/partners?query=x.example')
  const [, next] = /rel="next" href="[^"]*(\/partners\?[^"]*)"/.exec(first.html.replace(/&amp;/g, '&')) ?? []
  expect(next).toContain('query=x.example')
  const second = await visit(merchant, cookie, next ?? '')
  const emails = [first, second].flatMap(({ text }) => text.match(/p\d+@x\.example/g) ?? [])
  expect(new Set(emails).size).toBe(60)
  expect(second.html).not.toContain('rel="next"')
})

test('the audit log tells in words who did what', async () => {
  const { merchant, cookie, ann } = await createShop()
  const imports = await importer(merchant)
  await imports.partners([{ email: 'new@x.example' }, { email: 'ann@partner.example' }, { email: 'bad' }], {
    sendWelcomeEmail: true,
  })
  await imports.customers([{ customerExternalId: 'cus_1', partnerEmail: 'new@x.example' }])
  await press(merchant, cookie, `/partners/${ann}/status`, { status: 'banned' })
  await press(merchant, cookie, `/partners/${ann}/coupons`, { couponId: 'C1' })
  const { text } = await visit(merchant, cookie, '/audit')
  const actor = `manager@${merchant.workspace.slug}.example`
  for (const words of [
    `${actor} imported 3 partners: 1 new, 1 already there, 1 with errors; mails were sent`,
    `${actor} imported 1 customer: 1 new`,
    `${actor} changed the partner ann@partner.example: status from approved to banned`,
    `${actor} gave the coupon “C1” to ann@partner.example`,
  ]) {
    expect(text).toContain(words)
  }
})

test('a mail that failed stands on top, and is sent again', async () => {
  const merchant = await createMerchant()
  const { cookie, partners } = await importer(merchant)
  await partners([{ email: 'lost@x.example' }, { email: 'fine@x.example' }], { sendWelcomeEmail: true })
  await database.query(
    `update mails set failed_at = now(), sent_at = null, last_error = 'No such <mailbox>.'
     where workspace_id = $1 and recipient = 'lost@x.example'`,
    [merchant.workspace.id],
  )
  const before = await visit(merchant, cookie, '/mails')
  expect(before.text).toContain('Could not be delivered')
  expect(before.html).toContain('No such &lt;mailbox&gt;.')
  const [, retry] = /action="[^"]*(\/mails\/[\w-]+\/retry)"/.exec(before.html) ?? []

  expect((await press(merchant, await merchant.member(), retry ?? '', {})).status).toBe(403)
  expect((await press(merchant, cookie, retry ?? '', {}, { Origin: 'null' })).status).toBe(403)
  const sent = await press(merchant, cookie, retry ?? '', {})
  expect([sent.status, sent.location]).toEqual([303, `/app/${merchant.workspace.slug}/mails?done=queued`])
  const after = await visit(merchant, cookie, '/mails?done=queued')
  expect(after.text).toContain('The mail will be sent again')
  expect(after.text).not.toContain('Could not be delivered')
})
