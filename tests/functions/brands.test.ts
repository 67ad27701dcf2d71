/** The branding of programs: the API, the form, and the pages that show it. */
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, formsOf, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

const BRAND = {
  logoUrl: 'https://cdn.pine-notes.com/logo.png',
  accentColor: '#ffd400',
  supportEmail: 'help@pine-notes.com',
}
const NONE = { logoUrl: null, accentColor: null, supportEmail: null }

const start = async () => {
  const merchant = await createMerchant()
  const api = merchant.as(await merchant.manager())
  const path = `/programs/${merchant.programId}/brand`
  return { merchant, api, path }
}

const addPartner = ({ seed, workspace, programId }: Merchant, email: string) =>
  seed.addPartner(workspace.id, programId, { slug: 'nina', email })

/** The content security policy of a page. */
const policyOf = ({ headers }: { headers: Headers }) => headers.get('Content-Security-Policy') ?? ''

describe('the API', () => {
  test('changes the branding, which is in the audit log', async () => {
    const { merchant, api, path } = await start()
    expect((await api.get(path)).body).toEqual({ ...NONE, supportEmailVerified: false, version: 0 })
    expect(await api.put(path, { ...BRAND, version: 0 })).toMatchObject({
      status: 200,
      body: { ...BRAND, version: 1 },
    })
    expect((await api.get(path)).body).toEqual({
      ...BRAND,
      supportEmailVerified: false,
      version: 1,
    })
    expect((await api.put(path, { ...BRAND, logoUrl: null, version: 1 })).body).toMatchObject({
      version: 2,
    })
    expect(
      (await database.audit(merchant)).map(({ action, details }) => [action, details]),
    ).toEqual([
      [
        'brand.changed',
        {
          logoUrl: { from: null, to: BRAND.logoUrl },
          accentColor: { from: null, to: BRAND.accentColor },
          supportEmail: { from: null, to: BRAND.supportEmail },
        },
      ],
      ['brand.changed', { logoUrl: { from: BRAND.logoUrl, to: null } }],
    ])
  })

  test('changes nothing, and logs nothing, when nothing differs', async () => {
    const { merchant, api, path } = await start()
    expect((await api.put(path, { ...NONE, version: 0 })).body).toMatchObject({ version: 0 })
    expect(await database.audit(merchant)).toEqual([])
  })

  test('of two managers who change it, the second is refused, also at the same time', async () => {
    const { merchant, api, path } = await start()
    const answers = await Promise.all(
      ['#111111', '#222222', '#333333'].map((accentColor) =>
        api.put(path, { ...BRAND, accentColor, version: 0 }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await api.put(path, { ...BRAND, version: 0 })).toMatchObject({
      status: 409,
      body: errorShape('conflict'),
    })
    const { body } = await api.get(path)
    expect((await api.put(path, { ...body, version: 0 })).status).toBe(409)
    // What was read can be sent back, and confirms no address.
    const sent = { ...body, supportEmailVerified: true }
    expect((await api.put(path, sent)).body).toEqual(body)
    expect(await database.audit(merchant)).toHaveLength(1)
  })

  test.each([
    { logoUrl: 'javascript:alert(1)' },
    { logoUrl: 'https://a.com;sandbox.com/x.png' },
    { accentColor: '#000000}body{display:none' },
    { supportEmail: 'help@shop.com\r\nBcc: all@x.com' },
  ])('refuses %j, and so does the database what could change a page', async (wrong) => {
    const { merchant, api, path } = await start()
    expect(await api.put(path, { ...BRAND, ...wrong, version: 0 })).toMatchObject({
      status: 400,
      body: errorShape('invalid_body'),
    })
    const { logoUrl, accentColor, supportEmail } = { ...BRAND, ...wrong }
    const insert = database.query(
      `insert into brands (program_id, workspace_id, logo_url, accent_color, support_email, version, change_id)
       values ($1, $2, $3, $4, $5, 1, uuidv7())`,
      [merchant.programId, merchant.workspace.id, logoUrl, accentColor, supportEmail],
    )
    if (!('supportEmail' in wrong))
      await expect(insert).rejects.toThrow('violates check constraint')
    else await insert
  })

  test('finds no program of another workspace', async () => {
    const [{ api }, other] = await Promise.all([start(), start()])
    expect((await api.get(other.path)).status).toBe(404)
    expect((await api.put(other.path, { ...BRAND, version: 0 })).status).toBe(404)
    expect((await other.api.get(other.path)).body).toEqual({
      ...NONE,
      supportEmailVerified: false,
      version: 0,
    })
  })
})

/** The fields of the form on a program's page. */
const brandFields = (html: string) =>
  formsOf(html).find(({ action }) => action.endsWith('/branding'))?.fields

describe('the form', () => {
  const save = async (merchant: Merchant, fields: Record<string, string>) =>
    (await openPages(merchant)).post(`/programs/${merchant.programId}/branding`, fields)

  test('saves, shows a preview, and is emptied again', async () => {
    const { merchant } = await start()
    const pages = await openPages(merchant)
    const path = `/programs/${merchant.programId}`
    const before = await pages.get(path)
    expect(before.text).toContain('No branding yet')
    expect(policyOf(before)).toContain("img-src 'self' data:;")
    expect(policyOf(before)).not.toContain('nonce')
    expect(await save(merchant, { ...brandFields(before.html), ...BRAND })).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}${path}?done=branded#branding`,
    })

    const shown = await pages.get(`${path}?done=branded`)
    expect(shown.text).toContain('Branding saved.')
    expect(shown.html).toContain(`<img src="${BRAND.logoUrl}" alt=`)
    expect(policyOf(shown)).toContain("img-src 'self' data: https://cdn.pine-notes.com;")
    expect(brandFields(shown.html)).toMatchObject({ ...BRAND, brandVersion: '1' })

    expect((await save(merchant, { brandVersion: '1' })).status).toBe(303)
    expect((await pages.get(path)).text).toContain('No branding yet')
  })

  test('names what is wrong, keeps what was typed, and leaves the terms of the program alone', async () => {
    const { merchant } = await start()
    const wrong = {
      brandVersion: '0',
      logoUrl: 'http://x.com/"><script>',
      accentColor: 'red',
      supportEmail: 'x',
    }
    const refused = await save(merchant, wrong)
    expect(refused.status).toBe(400)
    for (const field of ['logoUrl', 'accentColor', 'supportEmail'])
      expect(refused.html).toContain(`href="#${field}"`)
    expect(refused.html).not.toContain('"><script>')
    expect(brandFields(refused.html)).toMatchObject({ accentColor: 'red' })
    expect(await database.audit(merchant)).toEqual([])
  })

  test('says so when another manager was faster', async () => {
    const { merchant } = await start()
    await save(merchant, { ...BRAND, brandVersion: '0' })
    const late = await save(merchant, { accentColor: '#123456', brandVersion: '0' })
    expect(late.status).toBe(409)
    expect(late.text).toContain('Another manager has changed the branding')
  })

  test('is for managers; members see the preview', async () => {
    const { merchant } = await start()
    await save(merchant, { ...BRAND, brandVersion: '0' })
    const member = await openPages(merchant, 'member')
    const page = await member.get(`/programs/${merchant.programId}`)
    expect(page.text).toContain('help@pine-notes.com')
    expect(page.html).not.toContain('Save branding')
  })
})

describe('the pages for partners', () => {
  const brand = async ({ api, path }: Awaited<ReturnType<typeof start>>) =>
    expect((await api.put(path, { ...BRAND, version: 0 })).status).toBe(200)

  test('the page on which people apply shows it, under exactly this policy', async () => {
    const started = await start()
    const { merchant } = started
    await brand(started)
    await (await openPages(merchant)).post(`/programs/${merchant.programId}/applications`, {
      isOpen: 'on',
    })
    const page = await browse(null, inject('baseUrl'), `/join/${merchant.programId}`).get('')
    const nonce = /<style nonce="([0-9a-f-]{36})">/.exec(page.html)?.[1]
    expect(policyOf(page)).toBe(
      [
        "default-src 'none'",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data: https://cdn.pine-notes.com",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ].join('; '),
    )
    expect(page.html).toContain('class="accent-ffd400"')
    expect(page.html).toContain('.accent-ffd400{--accent:light-dark(')
    expect(page.html).not.toMatch(/<[^>]+ style=/)
    expect(page.text).toContain('Questions? Write to help@pine-notes.com .')
    const again = await browse(null, inject('baseUrl'), `/join/${merchant.programId}`).get('')
    expect(policyOf(again)).not.toBe(policyOf(page))
  })

  test('the portal shows the brand of each program, and those of other people’s programs nowhere', async () => {
    const [one, other] = await Promise.all([start(), start()])
    await Promise.all([
      brand(one),
      other.api.put(other.path, { ...NONE, accentColor: '#010203', version: 0 }),
    ])
    const emailAt = ({ workspace }: Merchant) => `nina@${workspace.slug}.example`
    const [maya, ben] = [emailAt(one.merchant), emailAt(other.merchant)]
    await addPartner(one.merchant, maya)
    await addPartner(other.merchant, ben)
    await (await openPages(one.merchant)).post(`/programs/${one.merchant.programId}/applications`, {
      agreement: 'No spam.',
    })
    const portal = browse(await openSession(maya), inject('baseUrl'), '/portal')
    for (const path of ['', '/links', '/terms']) {
      const page = await portal.get(path)
      expect([path, page.status]).toEqual([path, 200])
      expect(page.html).toContain(BRAND.logoUrl)
      expect(page.html).toContain('accent-ffd400')
      expect(page.text).toContain(BRAND.supportEmail)
      expect(page.html).not.toContain('010203')
      expect(policyOf(page)).toContain(`img-src 'self' data: https://cdn.pine-notes.com;`)
    }
    const bens = await browse(await openSession(ben), inject('baseUrl'), '/portal').get('')
    expect(bens.html).toContain('accent-010203')
    expect(policyOf(bens)).toContain("img-src 'self' data:;")
  })
})
