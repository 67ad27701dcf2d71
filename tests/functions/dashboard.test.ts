import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { askAs } from '../support/in-process.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, formsOf, openPages } from '../support/pages.ts'
import { signIn } from '../support/people.ts'

const database = useDatabase()

/** Rows of a merchant by the names that stand for them in paths. */
const idsOf = async (merchant: Merchant): Promise<Record<string, string>> => {
  await merchant.manager()
  const [row] = await database.query<Record<string, string>>(
    `select (select id from members where workspace_id = $1 limit 1) as member,
            (select id from api_keys where workspace_id = $1 limit 1) as key,
            (select id from programs where workspace_id = $1 limit 1) as program,
            (select id from groups where workspace_id = $1 limit 1) as group`,
    [merchant.workspace.id],
  )
  return row ?? {}
}

const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/:(\w+)/, (_, name) => ids[name] ?? '')

describe('access to pages', () => {
  const PAGES = [
    { path: '', member: 200 },
    { path: '/search', member: 200 },
    { path: '/programs', member: 200 },
    { path: '/programs/new', member: 403 },
    { path: '/programs/:program', member: 200 },
    { path: '/programs/:program/groups/new', member: 403 },
    { path: '/groups/:group', member: 200 },
    { path: '/programs/:program/reward', member: 403 },
    { path: '/programs/:program/tiers', member: 403 },
    { path: '/programs/:program/bonuses', member: 403 },
    { path: '/groups/:group/reward', member: 403 },
    { path: '/groups/:group/lead-reward', member: 403 },
    { path: '/partners/new', member: 403 },
    { path: '/applications', member: 200 },
    { path: '/applications/invite', member: 403 },
    { path: '/programs/:program/applications', member: 403 },
    { path: '/api-keys', member: 403 },
    { path: '/api-keys/:key/rotate', member: 403 },
    { path: '/api-keys/:key/revoke', member: 403 },
    { path: '/members', member: 403 },
    { path: '/members/:member', member: 403 },
    { path: '/members/:member/remove', member: 403 },
    { path: '/settings', member: 403 },
    { path: '/mails/preview', member: 403 },
    { path: '/mails/preview/welcome', member: 403 },
  ]

  test.each(PAGES)(
    '/app/:workspace$path: members $member, strangers 404, others to sign in',
    async ({ path, member }) => {
      const [merchant, other] = await Promise.all([
        createMerchant({ group: {} }),
        createMerchant({ group: {} }),
      ])
      const own = fill(path, await idsOf(merchant))
      const manager = await openPages(merchant)
      const shown = await manager.get(own)
      expect(shown.status).toBe(200)
      expect(shown.html).toMatch(/^<!doctype html>/)
      expect(shown.headers.get('Content-Security-Policy')).toContain("form-action 'self'")
      expect(shown.headers.get('Cache-Control')).toBe('no-store')

      const seen = await (await openPages(merchant, 'member')).get(own)
      expect(seen.status).toBe(member)
      // The one that signs out is the only form with which somebody who only looks changes
      // anything.
      if (member === 200) expect(formsOf(seen.html)).toHaveLength(1)

      expect((await (await openPages(merchant, 'stranger')).get(own)).status).toBe(404)
      const away = await browse(null).get(`/${merchant.workspace.slug}${own}?done=x`)
      expect(away).toMatchObject({
        status: 303,
        location: `/sign-in?next=${encodeURIComponent(`/app/${merchant.workspace.slug}${own}?done=x`)}`,
      })
      if (path.includes(':')) {
        const theirs = fill(path, await idsOf(other))
        for (const unknown of [theirs, fill(path, { ...anyId }), path.replace(/:\w+/, '%00')]) {
          expect((await manager.get(unknown)).status).toBe(404)
        }
      }
    },
  )

  const anyId = { program: newId(), group: newId(), key: newId(), member: newId() }

  const FORMS = [
    '/programs/new',
    '/programs/:program',
    '/programs/:program/what-if',
    '/programs/:program/branding',
    '/programs/:program/groups/new',
    '/groups/:group',
    '/groups/:group/what-if',
    '/programs/:program/reward',
    '/programs/:program/tiers',
    '/programs/:program/tiers/edit',
    '/programs/:program/bonuses',
    '/programs/:program/bonuses/edit',
    '/programs/:program/reward/edit',
    '/groups/:group/reward',
    '/groups/:group/reward/what-if',
    '/groups/:group/lead-reward',
    '/groups/:group/lead-reward/edit',
    '/groups/:group/lead-reward/what-if',
    '/api-keys',
    '/api-keys/:key/rotate',
    '/api-keys/:key/revoke',
    '/members',
    '/members/:member',
    '/members/:member/remove',
  ]

  test.each(FORMS)(
    'a form sent to /app/:workspace%s is for managers, from this site',
    async (path) => {
      const [merchant, other] = await Promise.all([
        createMerchant({ group: {} }),
        createMerchant({ group: {} }),
      ])
      const own = fill(path, await idsOf(merchant))
      const fields = { name: 'Hacked', email: 'x@x.example', role: 'member' }
      const manager = await openPages(merchant)

      expect((await (await openPages(merchant, 'member')).post(own, fields)).status).toBe(403)
      expect((await (await openPages(merchant, 'stranger')).post(own, fields)).status).toBe(404)
      expect((await browse(null).post(`/${merchant.workspace.slug}${own}`, fields)).status).toBe(
        303,
      )
      for (const headers of [
        { Origin: 'https://evil.example' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        const refused = await manager.post(own, fields, headers)
        expect(refused.status).toBe(403)
        expect(refused.html).toContain('another site')
      }
      if (path.includes(':'))
        expect((await manager.post(fill(path, await idsOf(other)), fields)).status).toBe(404)
      expect(await database.audit(merchant)).toEqual([])
      expect(await database.audit(other)).toEqual([])
    },
  )

  test('an unknown path gives an error page', async () => {
    const merchant = await createMerchant()
    const answer = await (await openPages(merchant)).get('/no-such-page')
    expect(answer.status).toBe(404)
    expect(answer.html).toContain('<h1>Not found</h1>')
  })

  test.each([
    {
      case: 'a list that can’t be filtered so',
      path: '/partners?status=king',
      title: 'Error: Partners',
    },
    { case: 'an error', path: '/programs/none', title: 'Error: Not found' },
    { case: 'nothing wrong', path: '/partners?status=banned', title: 'Partners' },
  ])('the title of a page with $case says so', async ({ path, title }) => {
    const merchant = await createMerchant()
    const { html } = await (await openPages(merchant)).get(path)
    expect(html).toContain(`<title>${title} · `)
  })

  test.each([
    { case: 'no form', type: 'application/json', body: '{"name": "x"}', status: 415 },
    {
      case: 'too much',
      type: 'application/x-www-form-urlencoded',
      body: `name=${'x'.repeat(70_000)}`,
      status: 413,
    },
  ])('$case is refused', async ({ type, body, status }) => {
    const merchant = await createMerchant()
    const answer = await fetch(`${inject('baseUrl')}/app/${merchant.workspace.slug}/api-keys`, {
      method: 'POST',
      headers: { 'Content-Type': type, Cookie: await merchant.manager() },
      body,
    })
    expect(answer.status).toBe(status)
  })
})

describe('/app', () => {
  const newcomer = async () => browse(await signIn(`${newId()}@shop.example`))

  test('creates a workspace, and redirects to its checklist', async () => {
    const pages = await newcomer()
    expect((await pages.get('')).html).toContain('You are not a member of any workspace yet.')
    const slug = `shop-${newId().slice(-12)}`
    expect(await pages.post('', { name: 'Ann & Bob', slug })).toMatchObject({
      status: 303,
      location: `/app/${slug}?done=created`,
    })
    const { html } = await pages.get(`/${slug}?done=created`)
    expect(html).toContain('Ann &amp; Bob')
    expect(html).toContain('Workspace created.')
    expect(html.match(/To do/g)).toHaveLength(5)
    expect((await pages.get('')).html).toContain(`<a href="/app/${slug}">Ann &amp; Bob</a>`)
  })

  test('shows an invalid form again with its values and errors', async () => {
    const { workspace } = await createMerchant()
    const pages = await newcomer()
    const taken = await pages.post('', { name: '"><script>', slug: workspace.slug })
    expect(taken.status).toBe(409)
    expect(taken.html).toContain('<title>Error: Workspaces')
    expect(taken.html).toContain('role="alert"')
    expect(taken.html).toContain('<a href="#slug">Slug: The slug')
    expect(taken.html).not.toContain('<script>')
    expect(fieldsOf(taken.html)).toEqual({ name: '"><script>', slug: workspace.slug, mode: 'live' })

    for (const fields of [
      {},
      { name: ' ' },
      { name: 'Ann', slug: 'a--b' },
      { name: 'Ann\u0000', slug: 'ann' },
    ]) {
      expect((await pages.post('', fields)).status).toBe(400)
    }
  })

  test('has and accepts no form when sign-up is closed', async () => {
    const closed = (init?: RequestInit) =>
      askAs('dashboard', 'ann@shop.example', '/app', init, { ALLOW_SIGNUP: 'false' })
    const html = await (await closed()).text()
    expect(html).toContain('Sign-up is closed on this installation.')
    expect(html).not.toContain('name="slug"')
    const refused = await closed({ method: 'POST', body: new URLSearchParams({ name: 'Ann' }) })
    expect(refused.status).toBe(403)
  })
})

describe('the overview', () => {
  test('shows the checklist and the figures', async () => {
    const merchant = await createMerchant()
    const overview = async () => (await (await openPages(merchant)).get('')).html
    expect((await overview()).match(/To do/g)).toHaveLength(2)

    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'inv_1', clickId })
    await merchant.sale({ externalId: 'inv_2', clickId, currency: 'JPY' })
    const html = await overview()
    expect(html).not.toContain('To do')
    expect(html).toContain('<strong>9.80 USD</strong>')
    expect(html).toContain('<strong>980 JPY</strong>')
    for (const [figure, value] of [
      ['Revenue in USD', '49.00 USD'],
      ['Commissions in JPY', '980 JPY'],
      ['Sales', '2'],
      ['New customers', '1'],
      ['Conversion', '100%'],
    ])
      expect(html).toContain(`<dt>${figure}</dt><dd class="value">${value}</dd>`)
    expect(html).toMatch(/<strong>1<\/strong><a [^>]*>Partners/)

    await database.age(merchant, '31 days')
    const aged = await overview()
    expect(aged).toContain('9.80 USD is due to partners who can’t be paid yet')
    expect(aged).toContain(
      '<dt>Sales</dt><dd class="value">0</dd><dd class="change"><span data-change="down">-100%</span> before: 2',
    )
    const year = (await (await openPages(merchant)).get('?days=365')).html
    expect(year).toContain('<dt>Sales</dt><dd class="value">2</dd>')
  })

  test('lists eight sites that visitors came from, "Direct" among them, and all others as one', async () => {
    const merchant = await createMerchant()
    const rows = async () => {
      const { html } = await (await openPages(merchant)).get('')
      const [, table = ''] = html.match(/<h2>Referrers<\/h2>(.*?)<\/section>/s) ?? []
      return [
        ...table.matchAll(
          /<tr><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><\/tr>/gs,
        ),
      ].map((cells) => cells.slice(1).map((cell) => cell.replace(/<[^>]+>/g, '')))
    }
    expect(await rows()).toEqual([])
    await database.query(
      `insert into clicks (id, workspace_id, partner_id, referrer, created_at, expires_at)
       select 'r' || n || '-' || i, $1, $2, case when n <> 5 then 'https://www.site-' || n || '.example/' end, now(), now() + interval '90 days'
       from generate_series(1, 10) n, generate_series(1, 12 - n) i`,
      [merchant.workspace.id, merchant.partnerId],
    )
    await merchant.sale({ clickId: 'r2-1' })
    await merchant.sale({ externalId: 'inv_2' })
    expect(await rows()).toEqual([
      ['site-1.example', '11', '0'],
      ['site-2.example', '10', '1'],
      ['site-3.example', '9', '0'],
      ['site-4.example', '8', '0'],
      ['Direct', '7', '0'],
      ['site-6.example', '6', '0'],
      ['site-7.example', '5', '0'],
      ['site-8.example', '4', '0'],
      ['Other, or no click', '5', '1'],
    ])
  })

  test.each(['unknown', 'constructor', '<b>'])(
    'shows no notice for the unknown code %s',
    async (code) => {
      const merchant = await createMerchant()
      const { html } = await (await openPages(merchant)).get(`?done=${encodeURIComponent(code)}`)
      expect(html).not.toContain('class="done"')
    },
  )
})

test('without the database, a page says what to do', async () => {
  const nowhere = { SQL_ENDPOINT: 'http://127.0.0.1:9/sql' }
  const answer = await askAs('dashboard', 'ann@shop.example', '/app/shop/programs', {}, nowhere)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('Retry-After')).toBe('1')
  expect(await answer.text()).toContain('<h1>Something went wrong</h1>')
})
