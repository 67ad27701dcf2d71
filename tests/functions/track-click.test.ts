import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import type { ApiKeyScope } from '../../lib/tenancy/keys/api-keys.ts'
import { createMerchant, send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const DAY_MS = 86_400_000
const click = (body: unknown, headers: Record<string, string> = {}) =>
  send(`${inject('baseUrl')}/api/track/click`, { body, headers })

test('spec 4.5: a visit through a link is attributed to the partner whose slug equals the value of via', async () => {
  const merchant = await createMerchant()
  const { status, body } = await click({ programId: merchant.programId, slug: 'maya' })
  expect(status).toBe(200)
  expect(body).toEqual({
    clickId: expect.stringMatching(/^clk_[A-Za-z0-9]{24}$/),
    expiresAt: expect.any(String),
    maxAge: 90 * 86_400,
  })
  const sale = await merchant.sale({ clickId: body.clickId })
  expect((await merchant.explain(sale.body.eventId)).partner?.slug).toBe('maya')
})

test('slugs match case-insensitively', async () => {
  const merchant = await createMerchant()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'José-B' })
  for (const slug of ['MAYA', ' Maya ', 'jOSÉ-b', 'jose\u0301-B']) {
    expect((await click({ programId: merchant.programId, slug })).status).toBe(200)
  }
})

test.each([
  'maya?utm_source=x',
  'maya&fbclid=1',
  'maya#top',
  'maya/?utm_source=x',
  'MAYA ?',
  `maya?${'x=1&'.repeat(60)}`,
])('the link of maya credits her, although a tool has glued something to it: %s', async (slug) => {
  const merchant = await createMerchant()
  expect((await click({ programId: merchant.programId, slugs: [slug] })).status).toBe(200)
  expect(
    (await click({ programId: merchant.programId, slugs: [`${slug}${'/?'.repeat(300)}`] })).status,
  ).toBe(200)
})

test('a slug with such a character is its partner’s, before that of what stands before it', async () => {
  const merchant = await createMerchant()
  const partnerId = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'maya&leo',
  })
  const { body } = await click({ programId: merchant.programId, slug: 'maya&leo' })
  const sale = await merchant.sale({ clickId: body.clickId })
  expect((await merchant.explain(sale.body.eventId)).partner).toMatchObject({ id: partnerId })
})

test('a click expires after the program’s attribution days, by the server’s clock', async () => {
  for (const [program, days] of [
    [{}, 90],
    [{ attribution_days: 7 }, 7],
  ] as const) {
    const merchant = await createMerchant({ program })
    const { body } = await click({ programId: merchant.programId, slug: 'maya' })
    const left = new Date(body.expiresAt ?? 0).getTime() - Date.now()
    expect(left / DAY_MS).toBeCloseTo(days, 2)
  }
})

test.each([
  { case: 'a slug that nobody has', slug: 'nobody' },
  { case: 'a banned partner', slug: 'banned' },
])('$case is 404 partner_not_found', async ({ slug }) => {
  const merchant = await createMerchant()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'banned',
    status: 'banned',
  })
  const { status, body } = await click({ programId: merchant.programId, slug })
  expect({ status, code: body.error?.code }).toEqual({ status: 404, code: 'partner_not_found' })
})

test('a partner of another program is not found under this one', async () => {
  const merchant = await createMerchant()
  const other = await merchant.seed.addProgram(merchant.workspace.id)
  expect((await click({ programId: other, slug: 'maya' })).status).toBe(404)
})

test('any site may call it, with a text/plain body that needs no preflight, and read errors too', async () => {
  const merchant = await createMerchant()
  const headers = { 'Content-Type': 'text/plain;charset=UTF-8', Origin: 'https://shop.example' }
  for (const slug of ['maya', 'nobody']) {
    const { status, headers: answered } = await click(
      JSON.stringify({ programId: merchant.programId, slug }),
      headers,
    )
    expect(status).toBe(slug === 'maya' ? 200 : 404)
    expect(answered.get('Access-Control-Allow-Origin')).toBe('*')
  }
})

test('only the click endpoint answers preflight requests', async () => {
  const preflight = (path: string) =>
    fetch(`${inject('baseUrl')}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    })
  const answer = await preflight('/api/track/click')
  expect(answer.status).toBe(204)
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
  for (const path of ['/api/track/sale', '/api/track/lead', '/api/workspaces/x/events']) {
    expect((await preflight(path)).headers.has('Access-Control-Allow-Origin')).toBe(false)
  }
})

test('the page and referrer are stored without query and fragment', async () => {
  const merchant = await createMerchant()
  await click({
    programId: merchant.programId,
    slug: 'maya',
    url: 'https://shop.example/pricing?via=maya&email=ann@example.com#x',
    referrer: 'mailto:ann@example.com',
  })
  const rows = await database.query(
    'select landing_url, referrer from clicks where workspace_id = $1',
    [merchant.workspace.id],
  )
  expect(rows).toEqual([{ landing_url: 'https://shop.example/pricing', referrer: null }])
})

test('a long page URL does not lose the click', async () => {
  const merchant = await createMerchant()
  const url = `https://shop.example/${'long/'.repeat(2_000)}?utm=${'x'.repeat(20_000)}`
  expect((await click({ programId: merchant.programId, slug: 'maya', url })).status).toBe(200)
  const [row] = await database.query<{ landing_url: string }>(
    'select landing_url from clicks where workspace_id = $1',
    [merchant.workspace.id],
  )
  expect(row?.landing_url).toHaveLength(2_048)
})

test('too many clicks from one IP address receive 429 with Retry-After; other addresses are served', async () => {
  const merchant = await createMerchant()
  const from = async (address: string) => ({
    address,
    ...(await click(
      { programId: merchant.programId, slug: 'maya' },
      { 'CF-Connecting-IP': address },
    )),
  })
  // Two addresses of one /64 are one household. 100 are let in per ten seconds by the clock; the
  // burst may fall into two of those, and has too many for both.
  const burst = Array.from({ length: 230 }, (_, index) => from(`2001:db8:1:2::${index % 2}`))
  const answers = await Promise.all(burst)
  const refused = answers.filter(({ status }) => status === 429)

  expect(new Set(refused.map(({ address }) => address)).size).toBe(2)
  expect(answers.length - refused.length).toBeLessThanOrEqual(200)
  for (const { body, headers } of refused) {
    expect(body.error?.code).toBe('rate_limited')
    expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  }
  expect((await from('2001:db8:1:3::7')).status).toBe(200)
})

describe('a click that the merchant’s own domain passes on', () => {
  const PROXY = '2001:db8:9:1::1'
  /**
   * A merchant whose proxy sends clicks with a key. The proxy has an address of its own per test.
   */
  const createProxy = async ({
    scopes = ['clicks'] as ApiKeyScope[],
    revokedAt = null as Date | null,
  } = {}) => {
    const merchant = await createMerchant()
    const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes, revokedAt })
    const proxy = PROXY.replace('9', newId().slice(-4))
    const pass = (visitor: string, programId = merchant.programId) =>
      click(
        { programId, slug: 'maya' },
        {
          Authorization: `Bearer ${key}`,
          'Tributary-Visitor-Address': visitor,
          'CF-Connecting-IP': proxy,
        },
      )
    const used = async () => {
      const [row] = await database.query(
        'select last_used_at is not null as "isUsed" from api_keys where workspace_id = $1 and $2 = any (scopes)',
        [merchant.workspace.id, scopes[0]],
      )
      return row
    }
    return { merchant, proxy, pass, used }
  }
  const statuses = (answers: { status: number }[]) =>
    [...new Set(answers.map(({ status }) => status))].sort()

  test('counts under the visitor’s address: many visitors behind one proxy are served, and one of them is limited', async () => {
    const { pass, used } = await createProxy()
    const visitors = Array.from({ length: 230 }, (_, index) => pass(`198.51.${index}.7`))
    expect(statuses(await Promise.all(visitors))).toEqual([200])
    const one = await Promise.all(Array.from({ length: 230 }, () => pass('203.0.113.5')))
    expect(statuses(one)).toEqual([200, 429])
    await expect.poll(used).toEqual({ isUsed: true })
  })

  test.each([
    {
      case: 'without the scope',
      scopes: ['track', 'read', 'write'] as ApiKeyScope[],
      revokedAt: null,
    },
    { case: 'that is revoked', scopes: ['clicks'] as ApiKeyScope[], revokedAt: new Date() },
  ])('with a key $case is recorded, and counts under the proxy’s address', async (key) => {
    const { pass, merchant, used } = await createProxy(key)
    const answers = []
    for (let index = 0; index < 45; index++) answers.push(await pass(`198.51.100.${index}`))
    // Failed attempts with keys are limited first.
    expect(statuses(answers)).toEqual([200, 429])
    const [row] = await database.query<{ count: number }>(
      'select count(*)::int as count from clicks where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(row?.count).toBe(answers.filter(({ status }) => status === 200).length)
    expect(await used()).toEqual({ isUsed: false })
  })

  test('with another workspace’s key counts under the proxy’s address', async () => {
    const { merchant } = await createProxy()
    const stranger = await createProxy()
    const answers = []
    for (let index = 0; index < 45; index++)
      answers.push(await stranger.pass(`198.51.100.${index}`, merchant.programId))
    expect(statuses(answers)).toEqual([200, 429])
  })

  test('reads nothing else: its key opens no other endpoint', async () => {
    const { merchant } = await createProxy()
    const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['clicks'] })
    const headers = { Authorization: `Bearer ${key}` }
    const sale = { externalId: 'order-1', customerExternalId: 'user-1', amountCents: 100 }
    const base = inject('baseUrl')
    const answers = [
      await send(`${base}/api/track/sale`, { body: sale, headers }),
      await send(`${base}/api/workspaces/${merchant.workspace.slug}/partners`, {
        method: 'GET',
        headers,
      }),
    ]
    for (const { status, body } of answers) {
      expect({ status, code: body.error?.code }).toEqual({
        status: 403,
        code: 'insufficient_scope',
      })
    }
  })

  test('takes no address from a caller without a key', async () => {
    const merchant = await createMerchant()
    const from = `2001:db8:${newId().slice(-4)}:1::1`
    const burst = Array.from({ length: 230 }, (_, index) =>
      click(
        { programId: merchant.programId, slug: 'maya' },
        { 'CF-Connecting-IP': from, 'Tributary-Visitor-Address': `198.51.${index}.9` },
      ),
    )
    expect(statuses(await Promise.all(burst))).toEqual([200, 429])
  })
})
