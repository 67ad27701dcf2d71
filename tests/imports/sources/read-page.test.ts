/** One page of a platform, with what a platform may answer instead. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oldProgram } from '../../../dev/fakes/sources/program.ts'
import { type SourcesFake, startSources } from '../../../dev/fakes/sources.ts'
import { waitAfterAnswer, waitAfterRefusal } from '../../../lib/imports/sources/limits.ts'
import { PLATFORMS } from '../../../lib/imports/sources/platforms/platforms.ts'
import { readPage } from '../../../lib/imports/sources/read-page.service.ts'
import type { PlatformId, Resource } from '../../../lib/imports/sources/source.ts'
import type { SourceRow } from '../../../lib/imports/sources/source-rows.ts'

let fake: SourcesFake
beforeAll(async () => {
  fake = await startSources()
})
afterAll(() => fake?.stop())

const PROGRAM = oldProgram({ partners: 200, links: 450, customers: 300, commissions: 250 })
let tokens = 0

const accountOf = (
  platform: PlatformId,
  options: Parameters<SourcesFake['addAccount']>[3] = {},
) => {
  const token = `secret_${tokens++}`
  const account = fake.addAccount(platform, token, PROGRAM, options)
  const read = (resource: Resource, cursor: string | null = null) =>
    readPage(
      { SOURCES_URL: fake.url },
      PLATFORMS[platform],
      { token, account: options.accountId ?? null },
      resource,
      cursor,
    )
  return { account, read, token }
}

/** All rows of a list, page by page. */
const readAll = async (read: ReturnType<typeof accountOf>['read'], resource: Resource) => {
  const rows: SourceRow[] = []
  let total: number | null = null
  let cursor: string | null = null
  do {
    const result = await read(resource, cursor)
    if (result.outcome !== 'page') throw new Error(result.outcome)
    rows.push(...result.page.rows)
    total = result.page.total
    cursor = result.page.next
  } while (cursor !== null)
  return { rows, total }
}

const kindsOf = (rows: SourceRow[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, (row) => (row.kind === 'left_out' ? row.reason : row.kind))].map(
      ([kind, found]) => [kind, found.length],
    ),
  )

test('every list of Rewardful is read to its end, with what is left out of it', async () => {
  const { account, read } = accountOf('rewardful')
  const partners = await readAll(read, 'partners')
  expect(partners.total).toBe(200)
  expect(kindsOf(partners.rows)).toEqual({ partner: 198, no_email: 2 })
  expect(
    partners.rows.reduce((sum, row) => sum + (row.kind === 'partner' ? row.links.length : 0), 0),
  ).toBe(PROGRAM.partners.reduce((sum, { email, slugs }) => sum + (email ? slugs.length : 0), 0))
  expect(kindsOf((await readAll(read, 'coupons')).rows)).toEqual({ coupon: 40, archived: 10 })
  // Visitors are not asked for.
  const customers = await readAll(read, 'customers')
  expect(customers.total).toBe(300)
  expect(kindsOf(customers.rows)).toEqual({ customer: 296, no_customer: 3, deactivated: 1 })
  expect(kindsOf((await readAll(read, 'commissions')).rows)).toEqual({ commission: 250 })
  expect(new Set(account.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
})

test.each([
  {
    platform: 'tolt',
    totals: [200, 300, 250],
    partners: { partner: 198, no_email: 2 },
    customers: { customer: 297, no_customer: 3 },
    coupons: { no_processor_id: 40, archived: 10 },
    links: { link: 450 },
  },
  {
    platform: 'firstpromoter',
    totals: [null, null, null],
    partners: { partner: 198, no_email: 2 },
    customers: { customer: 296, no_customer: 3, deactivated: 1 },
  },
  {
    platform: 'dub',
    totals: [null, null, null],
    partners: { partner: 198, no_email: 2 },
    customers: { customer: 297, no_customer: 3 },
  },
] as const)(
  'every list of $platform is read to its end',
  async ({ platform, totals, ...lists }) => {
    const { account, read } = accountOf(platform, { accountId: 'account_1' })
    const [partners, customers, commissions] = [
      await readAll(read, 'partners'),
      await readAll(read, 'customers'),
      await readAll(read, 'commissions'),
    ]
    expect([partners.total, customers.total, commissions.total]).toEqual(totals)
    expect(kindsOf(partners.rows)).toEqual(lists.partners)
    expect(kindsOf(customers.rows)).toEqual(lists.customers)
    expect(kindsOf(commissions.rows)).toEqual({ commission: 250 })
    if ('coupons' in lists)
      expect(kindsOf((await readAll(read, 'coupons')).rows)).toEqual(lists.coupons)
    if ('links' in lists) expect(kindsOf((await readAll(read, 'links')).rows)).toEqual(lists.links)
    expect(new Set(account.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  },
)

test.each(['tolt', 'firstpromoter'] as const)(
  'an account of %s that is not the token’s is refused',
  async (platform) => {
    const { read, token } = accountOf(platform, { accountId: 'account_1' })
    expect(await read('partners')).toMatchObject({ outcome: 'page' })
    const other = await readPage(
      { SOURCES_URL: fake.url },
      PLATFORMS[platform],
      { token, account: 'account_2' },
      'partners',
      null,
    )
    expect(other).toMatchObject({ outcome: 'refused' })
  },
)

test.each([
  { case: 'a wrong token', failure: { status: 401 }, result: { outcome: 'refused', status: 401 } },
  {
    case: 'a token without the right',
    failure: { status: 403 },
    result: { outcome: 'refused', status: 403 },
  },
  {
    case: 'an account that does not exist',
    failure: { status: 404 },
    result: { outcome: 'refused', status: 404 },
  },
  {
    case: 'a breakdown',
    failure: { status: 503 },
    result: { outcome: 'failed', reason: 'status', status: 503 },
  },
  {
    case: 'a request that took too long',
    failure: { status: 408 },
    result: { outcome: 'failed', reason: 'status' },
  },
  { case: 'a page of HTML', failure: 'garbage', result: { outcome: 'failed', reason: 'garbage' } },
  {
    case: 'a closed connection',
    failure: 'cut',
    result: { outcome: 'failed', reason: 'unreachable' },
  },
  {
    case: 'a limit',
    failure: { status: 429, headers: { 'RateLimit-Reset': '7' } },
    result: { outcome: 'limited', waitSeconds: 7 },
  },
  {
    case: 'a limit without a header',
    failure: { status: 429 },
    result: { outcome: 'limited', waitSeconds: 30 },
  },
] as const)('$case is told apart from others', async ({ failure, result }) => {
  const { account, read } = accountOf('rewardful')
  account.plan(failure)
  expect(await read('partners')).toMatchObject(result)
  expect(await read('partners')).toMatchObject({ outcome: 'page' })
})

test('a token is sent to no other host', async () => {
  const { account, read } = accountOf('rewardful')
  account.plan('redirect')
  expect(await read('partners')).toEqual({ outcome: 'failed', reason: 'redirect', status: 302 })
  expect(fake.strayed).toEqual([])
})

test('the last request of a limit says how long to wait, and the next one is refused', async () => {
  const { read } = accountOf('rewardful', { limit: { most: 2, windowMs: 60_000 } })
  expect(await read('coupons')).toMatchObject({ outcome: 'page', waitSeconds: 0 })
  const last = await read('coupons')
  expect(last).toMatchObject({ outcome: 'page', waitSeconds: expect.any(Number) })
  expect(last.outcome === 'page' && last.waitSeconds).toBeGreaterThan(50)
  expect(await read('coupons')).toMatchObject({ outcome: 'limited' })
})

const NOW = new Date('2026-11-24T12:00:00Z')

test.each([
  { headers: { 'Retry-After': '12' }, seconds: 12 },
  { headers: { 'Retry-After': 'Tue, 24 Nov 2026 12:00:20 GMT' }, seconds: 20 },
  { headers: { 'RateLimit-Reset': '3', 'X-RateLimit-Reset': '99' }, seconds: 3 },
  { headers: { 'X-RateLimit-Reset': String(NOW.getTime() / 1_000 + 40) }, seconds: 40 },
  { headers: { 'X-RateLimit-Reset': String(NOW.getTime() + 40_000) }, seconds: 40 },
  { headers: { 'Retry-After': '-5' }, seconds: 1 },
  { headers: { 'Retry-After': '0' }, seconds: 1 },
  { headers: { 'Retry-After': '1e9' }, seconds: 600 },
  { headers: { 'Retry-After': 'soon' }, seconds: 30 },
  { headers: {}, seconds: 30 },
])('after $headers a refused request is repeated in $seconds s', ({ headers, seconds }) => {
  expect(waitAfterRefusal(new Headers(headers as Record<string, string>), NOW, 30)).toBe(seconds)
})

test.each([
  { headers: {}, seconds: 0 },
  { headers: { 'RateLimit-Remaining': '1', 'RateLimit-Reset': '9' }, seconds: 0 },
  { headers: { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '9' }, seconds: 9 },
  {
    headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(NOW.getTime() + 5_000) },
    seconds: 5,
  },
  { headers: { 'RateLimit-Remaining': '', 'RateLimit-Reset': '9' }, seconds: 0 },
  { headers: { 'RateLimit-Remaining': '0' }, seconds: 0 },
])('an answer with $headers is followed by a wait of $seconds s', ({ headers, seconds }) => {
  expect(waitAfterAnswer(new Headers(headers as Record<string, string>), NOW)).toBe(seconds)
})
