import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/data/ids.ts'
import { askAs } from '../support/in-process.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf } from '../support/pages.ts'
import { signIn } from '../support/people.ts'

const database = useDatabase()

const open = async (merchant: Merchant, as: 'manager' | 'member' | 'stranger' = 'manager') => {
  const pages = browse(await merchant[as]())
  const base = `/${merchant.workspace.slug}`
  return {
    get: (path: string) => pages.get(base + path),
    post: (path: string, fields: Record<string, string>, headers?: Record<string, string>) =>
      pages.post(base + path, fields, headers),
  }
}

const audit = ({ workspace }: Merchant) =>
  database.query('select action, details from audit_entries where workspace_id = $1 order by id', [
    workspace.id,
  ])

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

describe('who may see what', () => {
  const PAGES = [
    { path: '', member: 200 },
    { path: '/programs', member: 200 },
    { path: '/programs/new', member: 403 },
    { path: '/programs/:program', member: 200 },
    { path: '/programs/:program/groups/new', member: 403 },
    { path: '/groups/:group', member: 200 },
    { path: '/api-keys', member: 403 },
    { path: '/api-keys/:key/revoke', member: 403 },
    { path: '/members', member: 403 },
    { path: '/members/:member', member: 403 },
    { path: '/members/:member/remove', member: 403 },
  ]

  test.each(PAGES)(
    '/app/:workspace$path: members $member, strangers 404, others to sign in',
    async ({ path, member }) => {
      const [merchant, other] = await Promise.all([
        createMerchant({ group: {} }),
        createMerchant({ group: {} }),
      ])
      const own = fill(path, await idsOf(merchant))
      const manager = await open(merchant)
      const shown = await manager.get(own)
      expect(shown.status).toBe(200)
      expect(shown.html).toMatch(/^<!doctype html>/)
      expect(shown.headers.get('Content-Security-Policy')).toContain("form-action 'self'")
      expect(shown.headers.get('Cache-Control')).toBe('no-store')

      const seen = await (await open(merchant, 'member')).get(own)
      expect(seen.status).toBe(member)
      // What stands in the header, to sign out, is the only form that somebody who only looks has.
      if (member === 200) expect(seen.html.match(/<form/g)).toHaveLength(1)

      expect((await (await open(merchant, 'stranger')).get(own)).status).toBe(404)
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
    '/programs/:program/groups/new',
    '/groups/:group',
    '/api-keys',
    '/api-keys/:key/revoke',
    '/members',
    '/members/:member',
    '/members/:member/remove',
  ]

  test.each(FORMS)('a form sent to /app/:workspace%s is for managers, from this site', async (path) => {
    const [merchant, other] = await Promise.all([
      createMerchant({ group: {} }),
      createMerchant({ group: {} }),
    ])
    const own = fill(path, await idsOf(merchant))
    const fields = { name: 'Hacked', email: 'x@x.example', role: 'member' }
    const manager = await open(merchant)

    expect((await (await open(merchant, 'member')).post(own, fields)).status).toBe(403)
    expect((await (await open(merchant, 'stranger')).post(own, fields)).status).toBe(404)
    expect((await browse(null).post(`/${merchant.workspace.slug}${own}`, fields)).status).toBe(303)
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const refused = await manager.post(own, fields, headers)
      expect(refused.status).toBe(403)
      expect(refused.html).toContain('another site')
    }
    if (path.includes(':'))
      expect((await manager.post(fill(path, await idsOf(other)), fields)).status).toBe(404)
    expect(await audit(merchant)).toEqual([])
    expect(await audit(other)).toEqual([])
  })

  test('a page that isn’t there is a page too', async () => {
    const merchant = await createMerchant()
    const answer = await (await open(merchant)).get('/no-such-page')
    expect(answer.status).toBe(404)
    expect(answer.html).toContain('<h1>Not found</h1>')
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

  test('creates a workspace, and leads to what comes next', async () => {
    const pages = await newcomer()
    expect((await pages.get('')).html).toContain('You are not a member of any workspace yet.')
    const slug = `shop-${newId().slice(-12)}`
    expect(await pages.post('', { name: 'Ann & Bob', slug })).toMatchObject({
      status: 303,
      location: `/app/${slug}?done=created`,
    })
    const { html } = await pages.get(`/${slug}?done=created`)
    expect(html).toContain('Ann &amp; Bob')
    expect(html).toContain('Your workspace is ready.')
    expect(html.match(/To do/g)).toHaveLength(5)
    expect((await pages.get('')).html).toContain(`<a href="/app/${slug}">Ann &amp; Bob</a>`)
  })

  test('shows a form again with what was typed and what is wrong', async () => {
    const { workspace } = await createMerchant()
    const pages = await newcomer()
    const taken = await pages.post('', { name: '"><script>', slug: workspace.slug })
    expect(taken.status).toBe(400)
    expect(taken.html).toContain('<title>Error: ')
    expect(taken.html).toContain('role="alert"')
    expect(taken.html).toContain(`<a href="#slug">Another workspace is called`)
    expect(taken.html).not.toContain('<script>')
    expect(fieldsOf(taken.html)).toEqual({ name: '"><script>', slug: workspace.slug })

    for (const fields of [
      {},
      { name: ' ' },
      { name: 'Ann', slug: 'a--b' },
      { name: 'Ann\u0000', slug: 'ann' },
    ]) {
      expect((await pages.post('', fields)).status).toBe(400)
    }
  })

  test('has no form where nobody may create a workspace, and takes none', async () => {
    const closed = (init?: RequestInit) =>
      askAs('dashboard', 'ann@shop.example', '/app', init, { ALLOW_SIGNUP: 'false' })
    const html = await (await closed()).text()
    expect(html).toContain('New workspaces are not made here.')
    expect(html).not.toContain('name="slug"')
    const refused = await closed({ method: 'POST', body: new URLSearchParams({ name: 'Ann' }) })
    expect(refused.status).toBe(403)
  })
})

describe('the overview', () => {
  test('says what is done, and what has come of it', async () => {
    const merchant = await createMerchant()
    const overview = async () => (await (await open(merchant)).get('')).html
    expect((await overview()).match(/To do/g)).toHaveLength(2)

    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'inv_1', clickId })
    await merchant.sale({ externalId: 'inv_2', clickId, currency: 'JPY' })
    const html = await overview()
    expect(html).not.toContain('To do')
    expect(html).toContain('<strong>9.80 USD</strong>')
    expect(html).toContain('<strong>980 JPY</strong>')
    expect(html).toMatch(/<strong>2<\/strong><a [^>]*>Events/)
    expect(html).toMatch(/<strong>1<\/strong><a [^>]*>Partners/)

    await database.age(merchant, '31 days')
    expect(await overview()).toMatch(/<strong>9.80 USD<\/strong><a [^>]*>Payable/)
  })

  test.each(['unknown', 'constructor', '<b>'])('says nothing to the code %s of an address', async (code) => {
    const merchant = await createMerchant()
    const { html } = await (await open(merchant)).get(`?done=${encodeURIComponent(code)}`)
    expect(html).not.toContain('class="done"')
  })
})

const SUMMER = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  'reward.kind': 'percent',
  'reward.percent': '12.5',
  'reward.amountCents': '',
  'reward.currency': 'USD',
  rewardInterval: 'recurring',
  rewardDurationMonths: '12',
  holdingDays: '14',
  attributionDays: '',
  attribution: 'first',
  attributeKnownCustomers: 'on',
  minimumPayoutCents: '50.00',
}

describe('programs', () => {
  const stored = async ({ programId, as, manager }: Merchant, id = programId) =>
    (await as(await manager()).get(`/programs/${id}`)).body

  test('are made by a form, as by the API', async () => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    const { status, location } = await pages.post('/programs/new', SUMMER)
    expect(status).toBe(303)
    const id = /programs\/([^?]+)\?done=created$/.exec(location ?? '')?.[1]
    expect(await stored(merchant, id)).toMatchObject({
      name: 'Summer',
      reward: { kind: 'percent', percent: 12.5 },
      rewardDurationMonths: 12,
      holdingDays: 14,
      attributionDays: 90,
      attribution: 'first',
      attributeKnownCustomers: true,
      minimumPayoutCents: 5_000,
    })
    const { html } = await pages.get(`/programs/${id}?done=created`)
    expect(html).toContain('The program is there.')
    const tag = `&lt;script defer src=&quot;${inject('baseUrl')}/via.js&quot; data-program=&quot;${id}&quot;&gt;`
    expect(html).toContain(tag)
  })

  test.each([
    { reward: { amount: '5.00', currency: 'usd' }, is: { amountCents: 500, currency: 'USD' } },
    { reward: { amount: '5', currency: 'USD' }, is: { amountCents: 500, currency: 'USD' } },
    { reward: { amount: '500', currency: 'JPY' }, is: { amountCents: 500, currency: 'JPY' } },
    { reward: { amount: '0.125', currency: 'KWD' }, is: { amountCents: 125, currency: 'KWD' } },
  ])('a flat reward of $reward is typed as people write it', async ({ reward, is }) => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    const flat = {
      'reward.kind': 'flat',
      'reward.amountCents': reward.amount,
      'reward.currency': reward.currency,
    }
    expect((await pages.post(`/programs/${merchant.programId}`, { ...SUMMER, ...flat })).status).toBe(303)
    expect((await stored(merchant)).reward).toEqual({ kind: 'flat', ...is })
  })

  test('saving a form that nobody touched changes nothing, and is not in the audit log', async () => {
    const merchant = await createMerchant({
      program: {
        name: '"Ann" & <Bob>',
        reward: { amountCents: 1_250n, currency: 'EUR' },
        reward_interval: 'one-time',
        reward_duration_months: 3,
        minimum_payout_cents: 1_234,
      },
    })
    const pages = await open(merchant)
    const path = `/programs/${merchant.programId}`
    const before = await stored(merchant)
    const { html } = await pages.get(path)
    expect(html).not.toContain('<Bob>')
    expect(await pages.post(path, fieldsOf(html))).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}${path}?done=saved`,
    })
    expect(await stored(merchant)).toEqual(before)
    expect(await audit(merchant)).toEqual([])
  })

  test('a field that was emptied goes back to what a new program has', async () => {
    const merchant = await createMerchant({ program: { reward_duration_months: 3, holding_days: 7 } })
    const pages = await open(merchant)
    const path = `/programs/${merchant.programId}`
    const fields = fieldsOf((await pages.get(path)).html)
    await pages.post(path, { ...fields, rewardDurationMonths: '', holdingDays: ' ' })
    expect(await stored(merchant)).toMatchObject({ rewardDurationMonths: null, holdingDays: 30 })
  })

  test.each([
    { field: 'name', typed: '' },
    { field: 'siteUrl', typed: 'shop.example' },
    { field: 'siteUrl', typed: 'https://ann:secret@shop.example' },
    { field: 'reward.kind', typed: 'other' },
    { field: 'reward.percent', typed: '' },
    { field: 'reward.percent', typed: 'a lot' },
    { field: 'reward.percent', typed: '101' },
    { field: 'reward.percent', typed: '1.234' },
    { field: 'rewardInterval', typed: '' },
    { field: 'rewardDurationMonths', typed: '0' },
    { field: 'rewardDurationMonths', typed: '1.5' },
    { field: 'holdingDays', typed: '-1' },
    { field: 'holdingDays', typed: '1e3' },
    { field: 'attributionDays', typed: '9999999999999999999999' },
    { field: 'minimumPayoutCents', typed: '1,000.00' },
    { field: 'reward.amountCents', typed: '', kind: 'flat' },
    { field: 'reward.amountCents', typed: '0', kind: 'flat' },
    { field: 'reward.amountCents', typed: '5.001', kind: 'flat' },
    { field: 'reward.currency', typed: 'XXX', kind: 'flat' },
  ])(
    '"$typed" as $field comes back beside the field, with all that was typed',
    async ({ field, typed, kind }) => {
      const merchant = await createMerchant()
      const pages = await open(merchant)
      const fields = {
        ...SUMMER,
        'reward.amountCents': '5.00',
        ...(kind && { 'reward.kind': kind }),
        [field]: typed,
      }
      for (const path of ['/programs/new', `/programs/${merchant.programId}`]) {
        const { status, html } = await pages.post(path, fields)
        expect(status).toBe(400)
        expect(html).toContain('role="alert"')
        expect(html.match(new RegExp(`<a href="#${field}">`, 'g'))).toHaveLength(1)
        expect(html).toContain(`id="${field}-error"`)
        if (!['reward.kind', 'rewardInterval'].includes(field)) {
          expect(fieldsOf(html)).toMatchObject({ name: fields.name, [field]: typed, attribution: 'first' })
        }
      }
      expect(await audit(merchant)).toEqual([])
    },
  )
})

describe('groups', () => {
  test('are made and changed by forms, and a reward is taken away', async () => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    const made = await pages.post(`/programs/${merchant.programId}/groups/new`, {
      name: 'Gold',
      'saleReward.kind': 'percent',
      'saleReward.percent': '30%',
      'leadReward.kind': 'flat',
      'leadReward.amountCents': '2.50',
      'leadReward.currency': 'EUR',
    })
    const path = /\/groups\/[^?]+/.exec(made.location ?? '')?.[0] ?? ''
    const stored = async () => (await merchant.as(await merchant.manager()).get(path)).body
    expect(await stored()).toMatchObject({
      name: 'Gold',
      saleReward: { kind: 'percent', percent: 30 },
      leadReward: { kind: 'flat', amountCents: 250, currency: 'EUR' },
    })
    const { html } = await pages.get(`/programs/${merchant.programId}`)
    expect(html).toContain('30% of each sale')
    expect(html).toContain('2.50 EUR for each lead')

    const fields = fieldsOf((await pages.get(path)).html)
    expect(fields).toMatchObject({
      name: 'Gold',
      'saleReward.percent': '30',
      'leadReward.amountCents': '2.50',
    })
    await pages.post(path, { ...fields, 'saleReward.kind': '' })
    expect(await stored()).toMatchObject({ saleReward: null, leadReward: { amountCents: 250 } })
  })

  test('a share of a lead is refused, should somebody send one', async () => {
    const merchant = await createMerchant()
    const answer = await (await open(merchant)).post(`/programs/${merchant.programId}/groups/new`, {
      name: 'Gold',
      'leadReward.kind': 'percent',
      'leadReward.percent': '30',
    })
    expect(answer.status).toBe(400)
    expect(answer.html).toContain('A lead has no amount')
  })
})

describe('API keys', () => {
  test('are shown once, on the page that answers the form, and revoked on a page that asks', async () => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    const made = await pages.post('/api-keys', { name: 'Checkout <1>' })
    expect(made.status).toBe(200)
    const key = /trib_live_\w+/.exec(made.html)?.[0]
    expect(made.html).toContain('shown this once')
    const report = () => merchant.sale({}, { Authorization: `Bearer ${key}` })
    expect((await report()).status).toBe(200)

    const list = await pages.get('/api-keys')
    expect(list.html).toContain('Checkout &lt;1&gt;')
    expect(list.html).not.toContain('trib_live_')
    const revoke = /\/api-keys\/[^/"]+\/revoke/.exec(list.html)?.[0] ?? ''
    expect((await pages.get(revoke)).html).toContain('can’t be undone')
    expect((await report()).status).toBe(200)

    const done = await pages.post(revoke, {})
    expect(done).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}/api-keys?done=revoked`,
    })
    expect((await report()).status).toBe(401)
    expect((await pages.get('/api-keys?done=revoked')).html).toContain('data-status="revoked"')
  })

  test('need a name', async () => {
    const merchant = await createMerchant()
    const { status, html } = await (await open(merchant)).post('/api-keys', { name: ' ' })
    expect(status).toBe(400)
    expect(html).toContain('id="name-error"')
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
    const pages = await open(merchant)
    const email = `ann@${merchant.workspace.slug}.example`
    const invited = await pages.post('/members', { email, role: 'member' })
    expect(invited.location).toBe(`/app/${merchant.workspace.slug}/members?done=invited`)
    expect((await pages.get('/members?done=invited')).html).toContain(email)
    const again = await pages.post('/members', { email, role: 'member' })
    expect(again.status).toBe(400)
    expect(again.html).toContain('is a member of this workspace already')

    const path = `/members/${await idOf(merchant, 'ann')}`
    expect((await pages.post(path, { role: 'manager' })).status).toBe(303)
    expect((await pages.get(path)).html).toContain('<option value="manager" selected')
    expect((await pages.post(path, { role: 'owner' })).status).toBe(400)
    expect((await pages.post(`${path}/remove`, {})).status).toBe(303)
    expect((await pages.get(path)).status).toBe(404)
  })

  test('the last manager stays, and is told why', async () => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    const path = `/members/${await idOf(merchant, 'manager')}`
    for (const refused of [
      await pages.post(path, { role: 'member' }),
      await pages.post(`${path}/remove`, {}),
    ]) {
      expect(refused.status).toBe(409)
      expect(refused.html).toContain('last manager')
    }
  })

  test('whoever gives up their own role is led to where they may still be', async () => {
    const merchant = await createMerchant()
    const pages = await open(merchant)
    await merchant.seed.addMember(merchant.workspace.id, 'second@shop.example', 'manager')
    const path = `/members/${await idOf(merchant, 'manager')}`
    expect((await pages.post(path, { role: 'member' })).location).toBe(`/app/${merchant.workspace.slug}`)
    expect((await pages.get('')).status).toBe(200)
  })
})

test('with the database gone, a page says so, and a form can be sent again', async () => {
  const nowhere = { SQL_ENDPOINT: 'http://127.0.0.1:9/sql' }
  const answer = await askAs('dashboard', 'ann@shop.example', '/app/shop/programs', {}, nowhere)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('Retry-After')).toBe('1')
  expect(await answer.text()).toContain('<h1>That did not work</h1>')
})
