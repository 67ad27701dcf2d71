/**
 * One tenant asks for much at once, to slow down the others: each workspace has a budget of
 * expensive requests, whoever sends them.
 */
import { Hono } from 'hono'
import pg from 'pg'
import { describe, expect, inject, test, vi } from 'vitest'
import dashboard from '../../functions/dashboard.tsx'
import manage from '../../functions/manage.ts'
import portal from '../../functions/portal.tsx'
import { endExpensive } from '../../lib/auth/expensive/expensive.queries.ts'
import { expensive } from '../../lib/auth/expensive/expensive.ts'
import { EXPENSIVE_ROUTES } from '../../lib/auth/expensive/expensive-routes.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { operations } from '../support/contract.ts'
import { askAs } from '../support/in-process.ts'
import { errorShape, createMerchant as newMerchant, useDatabase } from '../support/merchant.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const DEFAULTS = { EXPENSIVE_REQUESTS: '', EXPENSIVE_AT_ONCE: '' }
const SENTENCE =
  'Exports, statements and previews are limited to 10 in 10 seconds, and 2 at once. Retry after'

/** A merchant whose Workers have the limits of a deployment. */
const createMerchant = async () => {
  const merchant = await newMerchant()
  await merchant.manager()
  const manager = `manager@${merchant.workspace.slug}.example`
  const path = (end: string) => `/api/workspaces/${merchant.workspace.slug}${end}`
  const ask = (end: string, init: RequestInit = {}) =>
    askAs('manage', manager, path(end), init, DEFAULTS)
  const page = (end: string, init: RequestInit = {}) =>
    askAs('dashboard', manager, `/app/${merchant.workspace.slug}${end}`, init, DEFAULTS)
  return { merchant, ask, page, year: () => ask('/payout-years/2026') }
}

/**
 * Requests of a budget that began a moment ago, and still run until `heldFor` has passed. They
 * count for an hour, however slow the test is.
 */
const spend = (budgetId: string, requests: number, heldFor = '-1 second') =>
  database.query(
    `insert into expensive_requests (id, budget_id, started_at, held_until)
     select uuidv7(), $1, now() + interval '1 hour', now() + $3::interval from generate_series(1, $2)`,
    [budgetId, requests, heldFor],
  )

/** A connection of its own, for a transaction that stays open. */
const openClient = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: inject('database').DATABASE_URL })
  await client.connect()
  return client
}

const requestsOf = (budgetId: string) =>
  database.query<{ started: Date; ended: Date; isRunning: boolean }>(
    `select started_at as started, held_until as ended, held_until > clock_timestamp() as "isRunning"
     from expensive_requests where budget_id = $1`,
    [budgetId],
  )

describe('the budget of a workspace', () => {
  test('is 10 requests in ten seconds; a further one is refused with the time to wait', async () => {
    const { merchant, year } = await createMerchant()
    const { id } = merchant.workspace
    await spend(id, 9)
    expect((await year()).status).toBe(200)
    await spend(id, 1)
    const refused = await year()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(1)
    const body = (await refused.json()) as { error: { message: string } }
    expect(body).toEqual(errorShape('rate_limited'))
    expect(body.error.message).toContain(SENTENCE)
  })

  test('is one for all keys, people and Workers of the workspace, and for no other workspace', async () => {
    const { merchant, ask, page } = await createMerchant()
    await spend(merchant.workspace.id, 10)
    const keys = await Promise.all([1, 2].map(() => merchant.seed.addApiKey(merchant.workspace.id)))
    for (const key of keys) {
      const headers = { Authorization: `Bearer ${key}`, Cookie: '' }
      expect((await ask('/export/partners.csv', { headers })).status).toBe(429)
      expect((await ask('/partners', { headers })).status).toBe(200)
    }
    const shown = await page(`/partners/${merchant.partnerId}/statement`)
    expect([shown.status, Number(shown.headers.get('Retry-After')) > 1]).toEqual([429, true])
    expect(await shown.text()).toContain(SENTENCE)
    expect((await page('/partners')).status).toBe(200)
    expect((await (await createMerchant()).year()).status).toBe(200)
  })

  test('is 2 requests at once, and a request that died gives its place free when its lease ends', async () => {
    const { merchant, year } = await createMerchant()
    await spend(merchant.workspace.id, 2, '1 hour')
    const refused = await year()
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2'])
    await database.query('update expensive_requests set held_until = now() where budget_id = $1', [
      merchant.workspace.id,
    ])
    expect((await year()).status).toBe(200)
  })

  test('holds for 40 requests at once: never more than 2 run, nor begin more than 10 in ten seconds', async () => {
    const { merchant, ask } = await createMerchant()
    const whatIf = () =>
      ask(`/programs/${merchant.programId}/what-if`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ attributionDays: 30 }),
      })
    const answers = await Promise.all(Array.from({ length: 40 }, whatIf))
    const counts = Object.groupBy(answers, ({ status }) => String(status))
    expect(Object.keys(counts).sort()).toEqual(['200', '429'])
    for (const { headers } of counts['429'] ?? [])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(1)
    const requests = await requestsOf(merchant.workspace.id)
    for (const { started } of requests) {
      const running = requests.filter((other) => other.started <= started && other.ended > started)
      const begun = requests.filter(
        (other) => other.started <= started && Number(other.started) > Number(started) - 10_000,
      )
      expect([running.length <= 2, begun.length <= 10]).toEqual([true, true])
    }
  })

  test('begins one after the other: a request waits until another one has its place', async () => {
    const budgetId = newId()
    const begin = (client: pg.Client) =>
      client.query<{ seconds: number }>(
        `select begin_expensive($1, $2, 10, 1, interval '15 seconds') as seconds`,
        [newId(), budgetId],
      )
    const [first, second] = [await openClient(), await openClient()]
    const { rows } = await second.query<{ pid: number }>('select pg_backend_pid() as pid')
    await first.query('begin')
    expect((await begin(first)).rows).toEqual([{ seconds: 0 }])
    const refused = begin(second)
    await vi.waitFor(
      async () =>
        expect(
          await database.query('select wait_event from pg_stat_activity where pid = $1', [
            rows[0]?.pid,
          ]),
        ).toEqual([{ wait_event: 'advisory' }]),
      { timeout: 60_000 },
    )
    await first.query('commit')
    expect((await refused).rows).toEqual([{ seconds: 2 }])
    await Promise.all([first.end(), second.end()])
  })

  test.each([
    { case: 'done', path: '/payout-years/2026', status: 200 },
    { case: 'refused', path: '/payout-years/next', status: 404 },
  ])('has its place free again when a request is $case', async ({ path, status }) => {
    const { merchant, ask } = await createMerchant()
    expect((await ask(path)).status).toBe(status)
    await vi.waitFor(async () =>
      expect(await requestsOf(merchant.workspace.id)).toMatchObject([{ isRunning: false }]),
    )
  })

  test('of a partner’s own pages is the partner’s: it takes nothing from the merchant', async () => {
    const { email, partnerId, workspaceId } = await createPartner()
    const read = (headers: Record<string, string> = {}, settings = DEFAULTS) =>
      askAs(
        'portal',
        email,
        `/portal/documents/statement?partner=${partnerId}`,
        { headers },
        settings,
      )
    await spend(workspaceId, 10)
    expect((await read()).status).toBe(200)
    expect(await requestsOf(workspaceId)).toHaveLength(10)

    // Nothing is left of a budget of none.
    const refused = await read(
      { 'Accept-Language': 'de' },
      { ...DEFAULTS, EXPENSIVE_REQUESTS: '0' },
    )
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain(
      'sind auf 0 in 10 Sekunden begrenzt, 2 davon gleichzeitig',
    )
  })
})

describe('a list that is sent while it is read', () => {
  /** An app with one expensive route, whose response is the stream of a test. */
  const send = async (stream: ReadableStream<Uint8Array>) => {
    const { merchant } = await createMerchant()
    const workspaceId = merchant.workspace.id
    const later: Promise<unknown>[] = []
    const app = new Hono<never>()
      .use(async (c, next) => {
        c.set('db' as never, connect(inject('database')) as never)
        c.set('workspace' as never, { id: workspaceId } as never)
        await next()
      })
      .get('/list', expensive() as never, (c) => {
        c.set('isStreamed' as never, true as never)
        return c.body(stream)
      })
    const context = { waitUntil: (work: Promise<unknown>) => later.push(work) }
    const response = await app.request('/list', {}, inject('database') as never, context as never)
    const isRunning = async () =>
      (await requestsOf(workspaceId)).map((request) => request.isRunning)
    return { response, isRunning, ended: () => Promise.all(later) }
  }

  const text = new TextEncoder()

  test('holds its place until it is sent', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const { response, isRunning, ended } = await send(readable)
    const received = response.text()
    await writer.write(text.encode('id\n'))
    // What would have ended it meanwhile has had the time of some other requests.
    for (const _ of ['one', 'another', 'a third'])
      await endExpensive(connect(inject('database')), newId())
    expect(await isRunning()).toEqual([true])
    await writer.close()
    expect(await received).toBe('id\n')
    await ended()
    expect(await isRunning()).toEqual([false])
  })

  test.each([
    { case: 'the caller is gone', end: (response: Response) => response.body?.cancel() },
    {
      case: 'the database fails',
      end: async (response: Response, fail: () => void) => {
        fail()
        await expect(response.text()).rejects.toThrow()
      },
    },
  ])('has it free when $case', async ({ end }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const { response, isRunning, ended } = await send(readable)
    const written = writer.write(text.encode('id\n')).catch(() => {})
    expect(await isRunning()).toEqual([true])
    await end(response, () => void writer.abort(new Error('lost')))
    await Promise.all([written, ended()])
    expect(await isRunning()).toEqual([false])
  })
})

/** What says of a route that it reads more than a page of rows. */
const LARGE =
  /what-if|\/export|statement|personal-data|\/erase|\/compare|\/undo|payout-years|-template|cut-over|\.csv/

describe('the list of expensive routes', () => {
  const named = (routes: { method: string; path: string }[]) => [
    ...new Set(
      routes
        .filter(({ method }) => method !== 'ALL')
        .map(({ method, path }) => `${method} ${path}`),
    ),
  ]
  const routesOf = {
    manage: named(manage.routes),
    dashboard: named(dashboard.routes),
    portal: named(portal.routes),
  }

  test('has every operation of the OpenAPI document that sends a file, or whose path says that it reads much', () => {
    const inDocument = operations.map(({ name, responses }) => ({
      name: name.replaceAll(/\{(\w+)\}/g, ':$1'),
      sendsFile: (responses['200']?.mediaTypes ?? []).some((type) => /csv|xml/.test(type)),
    }))
    const large = inDocument
      .filter(({ name, sendsFile }) => sendsFile || LARGE.test(name))
      .map(({ name }) => name)
    const listed = EXPENSIVE_ROUTES.filter((route) => route.includes(' /api/'))
    expect(large.sort()).toEqual(listed.toSorted())
  })

  test('has only routes that exist', () => {
    const all = Object.values(routesOf).flat()
    expect(EXPENSIVE_ROUTES.filter((route) => !all.includes(route))).toEqual([])
  })

  test.each(['manage', 'dashboard', 'portal'] as const)(
    'is what the Worker %s refuses without a budget, and it refuses nothing else',
    async (worker) => {
      const { merchant } = await createMerchant()
      await merchant.manager()
      const manager = `manager@${merchant.workspace.slug}.example`
      const refused: string[] = []
      for (const route of routesOf[worker]) {
        const [method = '', pattern = ''] = route.split(' ')
        const path = pattern
          .replace(':workspace', merchant.workspace.slug)
          .replace(/:year(\{.*\})?/, '2026')
          .replaceAll(/:\w+(\{.*?\})?/g, () => crypto.randomUUID())
        const isJson = worker === 'manage'
        const body = {
          'Content-Type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
        }
        const { status } = await askAs(
          worker,
          manager,
          path,
          method === 'GET' ? {} : { method, headers: body, body: isJson ? '{}' : '' },
          { ...DEFAULTS, EXPENSIVE_REQUESTS: '0' },
        )
        if (status === 429) refused.push(route)
      }
      const listed = EXPENSIVE_ROUTES.filter((route) => routesOf[worker].includes(route))
      expect(refused.sort()).toEqual(listed.toSorted())
    },
  )
})
