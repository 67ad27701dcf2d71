import { describe, expect, inject, test } from 'vitest'
import { atStripe, type Connecting, createConnecting } from '../support/connecting.ts'
import { askAs, payoutsHere } from '../support/in-process.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const kept = ({ workspaceId, email }: Connecting) =>
  database.query<{ account: string; status: string; country: string; gone: boolean }>(
    `select stripe_account_id as account, status, country, disconnected_at is not null as gone
     from payout_accounts where workspace_id = $1 and email = $2 order by created_at`,
    [workspaceId, email],
  )

/** Where a page of ours leads to Stripe. */
const linkIn = ({ status, html, headers }: Awaited<ReturnType<Connecting['connect']>>): string => {
  expect(status).toBe(200)
  const [, url = ''] = /<a class="button" href="([^"]*\/connect\/alu_[^"]*)"/.exec(html) ?? []
  expect(headers.get('Refresh')).toBe(`0; url=${url}`)
  expect(url.startsWith(inject('stripeUrl'))).toBe(true)
  return url
}

/** Goes to Stripe, and does there what a partner does. @returns where Stripe sends it then */
const visit = async (link: string, does: 'finish' | 'leave'): Promise<string> => {
  const opened = await fetch(link, { redirect: 'manual' })
  const page = new URL(opened.headers.get('Location') ?? '', link)
  if (!page.pathname.includes('/visit_')) return page.href
  const left = await atStripe(`${page.pathname}/${does}`)
  return left.headers.get('Location') ?? ''
}

/** A path of the portal, of an address that Stripe was given. */
const pathOf = (address: string): string => {
  const { origin, pathname, search } = new URL(address)
  expect(origin).toBe(inject('baseUrl'))
  return pathname.replace(/^\/portal/, '') + search
}

describe('a partner who connects', () => {
  test('is redirected to Stripe and back, and can be paid', async () => {
    const partner = await createConnecting()
    const { pages } = partner
    const link = linkIn(await partner.connect())
    const back = await visit(link, 'finish')
    expect(pathOf(back)).toBe(`/connect/return?workspace=${partner.workspaceId}`)
    expect((await pages.get(pathOf(back))).location).toBe('/portal?connect=enabled')
    expect(await kept(partner)).toMatchObject([{ status: 'enabled', country: 'DE', gone: false }])
  })

  test('opens their own dashboard at Stripe, or its sign-in where the merchant’s key allows no link', async () => {
    const partner = await createConnecting()
    const { pages, workspaceId, manager, key } = partner
    const open = async () =>
      (await pages.get(`/connect/dashboard?workspace=${workspaceId}`)).location
    expect(await open()).toBe('/portal')
    const back = await visit(linkIn(await partner.connect()), 'finish')
    await pages.get(pathOf(back))
    const [row] = await kept(partner)
    expect((await pages.get('')).text).toContain('Open Stripe dashboard')
    expect(await open()).toBe(`${inject('stripeUrl')}/dev/stripe#${row?.account}`)
    await atStripe(`/accounts/${row?.account}/close`)
    expect(await open()).toBe('https://connect.stripe.com/express_login')
    expect((await manager.put('/stripe/key', { key })).status).toBe(200)
  })

  test('learns that Stripe cannot pay out to their bank', async () => {
    const partner = await createConnecting()
    const { pages, workspaceId } = partner
    await pages.get(pathOf(await visit(linkIn(await partner.connect()), 'finish')))
    const [row] = await kept(partner)
    await atStripe(`/accounts/${row?.account}/payouts/refused`)
    await pages.get(`/connect/return?workspace=${workspaceId}`)
    expect((await pages.get('')).text).toContain('Stripe cannot pay out to your bank.')
    await atStripe(`/accounts/${row?.account}/change_bank`)
    await pages.get(`/connect/return?workspace=${workspaceId}`)
    expect((await pages.get('')).text).not.toContain('Stripe cannot pay out to your bank.')
  })

  test('sees before they connect to which countries the merchant’s account transfers', async () => {
    const partner = await createConnecting({ hasKey: false })
    expect(
      (await partner.manager.put('/stripe/key', { key: `${partner.key}_from_fr` })).status,
    ).toBe(200)
    const { html } = await partner.pages.get('')
    const [, offered = '', others = ''] = html.split('<optgroup')
    expect(offered).toMatch(/label="Can be paid".*value="DE"/s)
    expect(offered).not.toContain('value="KE"')
    expect(others).toMatch(/label="Cannot be paid with Stripe".*value="KE"/s)
    const refused = await partner.connect({ country: 'KE' })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('cannot send money to Kenya'),
    ])
    expect((await partner.pages.get('')).text).toContain('cannot send money to Kenya with Stripe')
    expect((await partner.connect({ country: 'DE' })).status).toBe(200)
    expect((await partner.pages.get('')).text).not.toContain('Kenya')
  })

  test('can leave during onboarding and continue with a new link', async () => {
    const partner = await createConnecting()
    const { pages, workspaceId } = partner
    const first = linkIn(await partner.connect())
    const back = await visit(first, 'leave')
    expect((await pages.get(pathOf(back))).location).toBe('/portal?connect=onboarding')

    // Stripe's links work once: from an old one it sends the partner for another.
    const refresh = await visit(first, 'finish')
    expect(pathOf(refresh)).toBe(`/connect/refresh?workspace=${workspaceId}`)
    const again = await pages.get(pathOf(refresh))
    expect(again.status).toBe(303)
    const done = await visit(again.location ?? '', 'finish')
    expect((await pages.get(pathOf(done))).location).toBe('/portal?connect=enabled')
    expect(await kept(partner)).toHaveLength(1)
  })

  test('sees that the account was closed, and can connect another', async () => {
    const partner = await createConnecting()
    linkIn(await partner.connect())
    const [row] = await kept(partner)
    await atStripe(`/accounts/${row?.account}/close`)
    const back = await partner.pages.get(`/connect/return?workspace=${partner.workspaceId}`)
    expect(back.location).toBe('/portal?connect=closed')
    // Not by a link, which another site may lead to.
    const refresh = await partner.pages.get(`/connect/refresh?workspace=${partner.workspaceId}`)
    expect(refresh.location).toBe('/portal?connect=closed')
    linkIn(await partner.connect({ country: 'FR' }))
    expect(await kept(partner)).toMatchObject([
      { account: row?.account, gone: true },
      { country: 'FR', gone: false },
    ])
  })

  test.each([
    { case: 'no country', fields: { country: '' }, says: 'Choose a country.' },
    {
      case: 'a country where Stripe pays nobody',
      fields: { country: 'KP' },
      says: 'Choose a country from the list.',
    },
    {
      case: 'a country that is none',
      fields: { country: '<script>' },
      says: 'Choose a country from the list.',
    },
    { case: 'no workspace', fields: { workspace: '' }, says: 'There is no such program.' },
    {
      case: 'no workspace’s id',
      fields: { workspace: "' or 1=1" },
      says: 'There is no such program.',
    },
    {
      case: 'somebody else’s workspace',
      fields: { workspace: '01980000-0000-7000-8000-000000000000' },
      says: 'Only approved partners',
    },
  ])('gets an error for $case', async ({ fields, says }) => {
    const partner = await createConnecting()
    const { status, text } = await partner.connect(fields)
    expect(status).toBe(400)
    expect(text).toContain(says)
    expect(await kept(partner)).toEqual([])
  })

  test('gets an error when the program does not pay with Stripe', async () => {
    const partner = await createConnecting({ hasKey: false })
    const { status, text } = await partner.connect()
    expect([status, text]).toEqual([400, expect.stringContaining('does not pay by Stripe yet')])
  })

  test('cannot be connected by another site', async () => {
    const partner = await createConnecting()
    for (const path of ['/connect', '/disconnect']) {
      const fields = { workspace: partner.workspaceId, country: 'DE' }
      const answer = await partner.pages.post(path, fields, { Origin: 'https://evil.example' })
      expect(answer.status).toBe(403)
    }
    expect(await kept(partner)).toEqual([])
  })
})

test.each([
  {
    case: 'continues by a link of Stripe’s',
    path: '/connect/refresh',
    method: 'GET',
    refused: false,
  },
  { case: 'is refused in the end', path: '/connect', method: 'POST', refused: true },
])(
  'a holder who $case is mailed at once of what has changed',
  async ({ path, method, refused }) => {
    const partner = await createConnecting()
    linkIn(await partner.connect())
    const startOnboarding = async () =>
      refused ? { refused: 'The account was changed.' } : { url: 'https://stripe.example' }
    let nudges = 0
    const { status } = await askAs(
      'portal',
      partner.email,
      `/portal${path}?workspace=${partner.workspaceId}`,
      method === 'GET'
        ? {}
        : {
            method,
            body: new URLSearchParams({ workspace: partner.workspaceId, country: 'DE' }),
            headers: { Origin: 'http://tributary.example' },
          },
      {
        PAYOUTS: { ...payoutsHere(), startOnboarding },
        OUTBOX: { nudge: async () => void nudges++ },
      },
    )
    expect({ status, nudges }).toEqual({ status: refused ? 400 : 303, nudges: 1 })
  },
)

describe('a partner who disconnects', () => {
  test('confirms first, and can connect again', async () => {
    const partner = await createConnecting()
    const { pages, workspaceId } = partner
    linkIn(await partner.connect())
    expect((await pages.get(`/disconnect?workspace=${workspaceId}`)).text).toContain(
      'Disconnect your account?',
    )
    expect(await kept(partner)).toMatchObject([{ gone: false }])
    const gone = await pages.post('/disconnect', { workspace: workspaceId })
    expect([gone.status, gone.location]).toEqual([303, '/portal?connect=disconnected'])
    expect((await pages.get(`/disconnect?workspace=${workspaceId}`)).location).toBe('/portal')
    expect((await pages.get(`/connect/refresh?workspace=${workspaceId}`)).location).toBe('/portal')
    expect((await pages.get(`/connect/return?workspace=${workspaceId}`)).location).toBe('/portal')
    linkIn(await partner.connect())
    expect(await kept(partner)).toMatchObject([{ gone: true }, { gone: false }])
  })

  test('cannot disconnect another partner', async () => {
    const [ours, theirs] = await Promise.all([createConnecting(), createConnecting()])
    linkIn(await theirs.connect())
    for (const path of ['/disconnect', '/connect/return', '/connect/refresh']) {
      const answer = await ours.pages.get(`${path}?workspace=${theirs.workspaceId}`)
      expect(answer.location).toBe('/portal')
    }
    await ours.pages.post('/disconnect', { workspace: theirs.workspaceId })
    expect(await kept(theirs)).toMatchObject([{ gone: false }])
  })
})

test.each(['/connect/return', '/connect/refresh', '/disconnect'])(
  '%s asks who it is, and for what',
  async (path) => {
    const { pages } = await createConnecting({ hasKey: false })
    for (const query of ['', '?workspace=', '?workspace=x', '?workspace=%00']) {
      expect((await pages.get(path + query)).status).toBe(404)
    }
    const stranger = await fetch(`${inject('baseUrl')}/portal${path}`, { redirect: 'manual' })
    expect([stranger.status, stranger.headers.get('Location')]).toEqual([
      303,
      expect.stringContaining('/sign-in?next='),
    ])
  },
)

test('when Stripe does not respond, the portal says so and forms can be retried', async () => {
  const partner = await createConnecting()
  linkIn(await partner.connect())
  const ask = (path: string, init: RequestInit = {}) =>
    askAs('portal', partner.email, `/portal${path}`, init, {
      PAYOUTS: {
        ...payoutsHere(),
        startOnboarding: () => Promise.reject(new Error('It is not there.')),
        refreshAccount: () => Promise.reject(new Error('It is not there.')),
        disconnect: () => Promise.reject(new Error('It is not there.')),
      },
    })
  const back = await ask(`/connect/return?workspace=${partner.workspaceId}`)
  expect(back.headers.get('Location')).toBe('/portal?connect=unknown')
  expect((await ask(`/connect/refresh?workspace=${partner.workspaceId}`)).status).toBe(503)
  for (const path of ['/connect', '/disconnect']) {
    const body = new URLSearchParams({ workspace: partner.workspaceId, country: 'DE' })
    expect((await ask(path, { method: 'POST', body })).status).toBe(503)
  }
})
