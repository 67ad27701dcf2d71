/**
 * /import-sources: what a manager reads from another platform. Workers and a database of their own,
 * because a queue is read by all.
 */
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { oldProgram } from '../../dev/fakes/sources/program.ts'
import { type SourcesFake, startSources } from '../../dev/fakes/sources.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { newId } from '../../lib/db/ids.ts'
import { createDatabase, dropDatabase, openPool, TEMPLATE } from '../support/databases.ts'
import { createMerchant, errorShape } from '../support/merchant.ts'
import { rowsIn } from '../support/own-sources.ts'
import { openSession } from '../support/people.ts'
import { everyNth } from '../support/thorough.ts'
import { startOwnWorkers } from '../support/workers.ts'

const name = `import_source_${newId().replaceAll('-', '')}`
let database: { DATABASE_URL: string; SQL_ENDPOINT: string }
let pool: ReturnType<typeof openPool>
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let fake: SourcesFake
let workers: Workers

beforeAll(async () => {
  const url = await createDatabase(inject('database').DATABASE_URL, name, TEMPLATE)
  await applySchema(url)
  ;[endpoint, fake] = await Promise.all([
    startSqlEndpoint({ databaseUrl: url, keepPlans: true }),
    startSources(),
  ])
  database = { DATABASE_URL: url, SQL_ENDPOINT: endpoint.url }
  pool = openPool(url)
  workers = await startOwnWorkers(['auth', 'import-source', 'manage'], {
    ...database,
    SOURCES_URL: fake.url,
  })
})
afterAll(async () => {
  await workers?.stop()
  await fake?.stop()
  await pool?.end()
  await endpoint?.stop()
  await dropDatabase(inject('database').DATABASE_URL, name)
})

const PROGRAM = () => oldProgram({ partners: 30, links: 50, customers: 120, commissions: 130 })
let tokens = 0

const shop = async () => {
  const merchant = await createMerchant({ baseUrl: workers.url.origin, database })
  const { get, post, delete: remove } = await merchant.asManager()
  const token = `secret_${tokens++}`
  const account = fake.addAccount('rewardful', token, PROGRAM())
  const start = (more: object = {}) =>
    post('/import-sources', {
      programId: merchant.programId,
      platform: 'rewardful',
      token,
      ...more,
    })
  return { merchant, account, token, get, post, remove, start }
}

const untilReady = async ({ get }: Pick<Awaited<ReturnType<typeof shop>>, 'get'>, id: unknown) =>
  vi.waitFor(
    async () => {
      const { body } = await get(`/import-sources/${id}`)
      expect(body.status).toBe('ready')
      return body
    },
    { timeout: 60_000, interval: 20 },
  )

test('a platform is read after the response, without a cron, and its rows are listed in pages', async () => {
  const own = await shop()
  const { status, body } = await own.start()
  expect(status).toBe(201)
  expect(body).toMatchObject({
    programId: own.merchant.programId,
    platform: 'rewardful',
    account: null,
    startedBy: `manager@${own.merchant.workspace.slug}.example`,
    status: 'reading',
    lists: [
      { resource: 'customers', read: 0, total: null, isDone: false },
      { resource: 'coupons', read: 0, total: null, isDone: false },
      { resource: 'rewards', read: 0, total: null, isDone: false },
      { resource: 'commissions', read: 0, total: null, isDone: false },
      // Its first page has shown that the token is accepted.
      { resource: 'partners', read: 0, total: 30, isDone: false },
    ],
    failure: null,
  })
  expect(JSON.stringify(body)).not.toContain(own.token)

  const ready = await untilReady(own, body.id)
  expect(ready).toMatchObject({
    lists: [{ read: 120 }, { read: 8 }, { read: 2 }, { read: 130 }, { read: 30 }],
    nextAttemptAt: null,
  })
  expect((await own.get('/import-sources')).body.data).toMatchObject([
    { id: body.id, status: 'ready' },
  ])

  const ids: string[] = []
  let cursor: unknown = null
  do {
    const query = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`
    const page = (await own.get(`/import-sources/${body.id}/rows?limit=50${query}`)).body
    ids.push(...(page.data as { id: string }[]).map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(ids.sort()).toEqual(
    rowsIn(PROGRAM())
      .map((row) => row.split(' ')[1])
      .sort(),
  )
  expect(
    await pool.query('select ciphertext from import_sources where id = $1', [body.id]),
  ).toEqual([{ ciphertext: null }])

  expect((await own.remove(`/import-sources/${body.id}`)).status).toBe(204)
  expect((await own.get('/import-sources')).body.data).toEqual([])
  expect(
    await pool.query('select from import_source_rows where source_id = $1', [body.id]),
  ).toEqual([])
  const audit = await pool.query<{ action: string }>(
    'select action, details from audit_entries where workspace_id = $1 order by id',
    [own.merchant.workspace.id],
  )
  expect(audit).toMatchObject([
    { action: 'import_source.started', details: { platform: 'rewardful' } },
    { action: 'import_source.removed', details: { platform: 'rewardful', wasRead: true } },
  ])
  expect(JSON.stringify(audit)).not.toContain(own.token)
})

test('a program is read once at a time, whoever asks; what is there is discarded by any manager', async () => {
  const own = await shop()
  const results = await Promise.all(Array.from({ length: 8 }, () => own.start()))
  expect(results.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
  const refused = results.find(({ status }) => status === 409)
  expect(refused?.body).toEqual(errorShape('conflict'))
  expect(refused?.body.error?.message).toContain(
    `by manager@${own.merchant.workspace.slug}.example`,
  )

  const { id } = results.find(({ status }) => status === 201)?.body ?? {}
  const { merchant } = own
  await merchant.seed.addMember(merchant.workspace.id, 'other@manager.example', 'manager')
  const other = merchant.as(await openSession('other@manager.example', database))
  expect((await other.delete(`/import-sources/${id}`)).status).toBe(204)
  expect((await own.start()).status).toBe(201)
})

test('a wrong token is refused at once, with where the right one is, and nothing is stored', async () => {
  const own = await shop()
  const { status, body } = await own.start({ token: 'wrong' })
  expect(status).toBe(400)
  expect(body.error?.details).toEqual([
    {
      path: 'token',
      message:
        'Rewardful does not accept this token (status 401). The API secret, under Company settings.',
    },
  ])
  expect((await own.get('/import-sources')).body.data).toEqual([])
})

test.each([
  {
    failure: 'garbage',
    status: 503,
    says: 'Rewardful returned something that is not a page of its API.',
  },
  { failure: 'redirect', status: 503, says: 'Rewardful redirects to another address' },
  {
    failure: { status: 500 },
    status: 503,
    says: 'Rewardful returned an unexpected status (500).',
  },
  {
    failure: { status: 429, headers: { 'RateLimit-Reset': '9' } },
    status: 429,
    says: 'too many requests',
  },
] as const)(
  'when the platform answers with $failure, the caller may try again',
  async ({ failure, status, says }) => {
    const own = await shop()
    own.account.plan(failure)
    const answer = await own.start()
    expect(answer.status).toBe(status)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(answer.body.error?.message).toContain(says)
    expect(fake.strayed).toEqual([])
    expect((await own.start()).status).toBe(201)
  },
)

test.each(
  everyNth(2, [
    { case: 'no token', more: { token: '' } },
    { case: 'a token of two lines', more: { token: 'a\nAuthorization: b' } },
    { case: 'a token that is no header', more: { token: 'gehéim' } },
    { case: 'a token without end', more: { token: 'x'.repeat(1_001) } },
    { case: 'a platform that is not known', more: { platform: 'https://evil.example' } },
    { case: 'a program that is none', more: { programId: 'x' } },
    { case: 'a field that does not exist', more: { baseUrl: 'https://evil.example' } },
    { case: 'an account that is no header', more: { account: 'a\r\nb' } },
  ]),
)('$case is an invalid body', { tags: 'sampled' }, async ({ more }) => {
  const own = await shop()
  const { status, body } = await own.start(more)
  expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'invalid_body' })
  expect(own.account.requests).toEqual([])
})

test('only managers of the workspace see, start and discard it', async () => {
  const own = await shop()
  const { id } = (await own.start()).body
  await untilReady(own, id)
  const paths = ['/import-sources', `/import-sources/${id}`, `/import-sources/${id}/rows`]
  const { merchant } = own
  const body = { programId: merchant.programId, platform: 'rewardful', token: own.token }
  for (const [cookie, status] of [
    [await merchant.member(), 403],
    [await merchant.stranger(), 404],
    ['', 401],
  ] as const) {
    const as = merchant.as(cookie)
    for (const path of paths) expect((await as.get(path)).status).toBe(status)
    expect((await as.post('/import-sources', body)).status).toBe(status)
    expect((await as.delete(`/import-sources/${id}`)).status).toBe(status)
  }
  const keyed = merchant.withHeaders({ Authorization: `Bearer ${merchant.apiKey}` })
  expect((await keyed.get('/import-sources')).status).toBe(401)

  const another = await shop()
  for (const path of paths.slice(1)) expect((await another.get(path)).status).toBe(404)
  expect((await another.remove(`/import-sources/${id}`)).status).toBe(404)
  expect((await another.start({ programId: merchant.programId })).body).toEqual(
    errorShape('not_found'),
  )
  expect((await own.get(`/import-sources/${id}`)).body.status).toBe('ready')
})

/**
 * Starts to read a platform whose first answer is that there were too many requests, and waits
 * until that has come.
 */
const startLimited = async (own: Awaited<ReturnType<typeof shop>>) => {
  own.account.plan(null, { status: 429, headers: { 'RateLimit-Reset': '500' } })
  const { id } = (await own.start()).body
  await vi.waitFor(
    async () =>
      expect(
        await pool.query(
          `select from import_sources where id = $1 and next_attempt_at > now() + interval '2 minutes'`,
          [id],
        ),
      ).toHaveLength(1),
    { timeout: 60_000, interval: 20 },
  )
  const isDueNow = () =>
    pool.query(
      `update import_sources set next_attempt_at = now() - interval '1 second' where id = $1`,
      [id],
    )
  return { id, isDueNow }
}

test('rows are listed once all are read; hostile cursors find nothing', async () => {
  const own = await shop()
  const { id, isDueNow } = await startLimited(own)
  expect((await own.get(`/import-sources/${id}/rows`)).body).toEqual(errorShape('conflict'))
  await isDueNow()
  await untilReady(own, id)
  for (const cursor of ["'; drop table", '%00', 'zzz 1', '%F0%9F%92%A9', 'x'.repeat(1_999)]) {
    const { status } = await own.get(`/import-sources/${id}/rows?cursor=${cursor}`)
    expect([200, 400]).toContain(status)
  }
  expect((await own.get(`/import-sources/${id}/rows?limit=1001`)).status).toBe(400)
  expect((await own.get('/import-sources/none')).status).toBe(404)
})

test('the cron reads on what no nudge has, and removes what is a week old', async () => {
  const own = await shop()
  const { id, isDueNow } = await startLimited(own)
  await isDueNow()
  await workers.runCron('import-source')
  await vi.waitFor(
    async () =>
      expect(
        await pool.query('select from import_sources where id = $1 and read_at is not null', [id]),
      ).toHaveLength(1),
    60_000,
  )
  await pool.query(`update import_sources set read_at = now() - interval '8 days' where id = $1`, [
    id,
  ])
  await workers.runCron('import-source')
  expect(await pool.query('select from import_sources where id = $1', [id])).toEqual([])
})

test('an erasure deletes what was read of the person, and an export has it', async () => {
  const own = await shop()
  const { id } = (await own.start()).body
  await untilReady(own, id)
  const { workspace, programId, seed } = own.merchant
  const email = 'old1@partner.example'
  const partnerId = await seed.addPartner(workspace.id, programId, { slug: 'old-one', email })
  const { data: exported } = (await own.get(`/partners/${partnerId}/personal-data`)).body as {
    data: { beingImported: { row: { kind: string } }[] }
  }
  expect(exported.beingImported.map(({ row }) => row.kind)).toEqual(
    expect.arrayContaining(['partner', 'customer']),
  )
  const rowsOf = () =>
    pool.query(
      `select from import_source_rows where source_id = $1 and row::text like '%"' || $2 || '"%'`,
      [id, email],
    )
  expect((await rowsOf()).length).toBeGreaterThan(1)
  const before = (await pool.query('select from import_source_rows where source_id = $1', [id]))
    .length
  const theirs = (await rowsOf()).length
  expect((await own.post(`/partners/${partnerId}/erase`)).status).toBe(200)
  expect(await rowsOf()).toEqual([])
  expect(
    await pool.query('select from import_source_rows where source_id = $1', [id]),
  ).toHaveLength(before - theirs)
})

test('the commissions of a shadow run are read for a program that runs in it, beside a reading for an import', async () => {
  const own = await shop()
  const { programId } = own.merchant
  expect(await own.start({ purpose: 'shadow' })).toMatchObject({
    status: 409,
    body: errorShape('conflict'),
  })
  expect((await own.start({ purpose: 'both' })).status).toBe(400)
  const manager = await own.merchant.asManager()
  await manager.patch(`/programs/${programId}`, { mode: 'shadow' })
  expect((await own.start()).status).toBe(201)
  const { status, body } = await own.start({ purpose: 'shadow' })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    purpose: 'shadow',
    lists: [{ resource: 'commissions', isDone: false }],
  })
  await untilReady(own, body.id)
  expect((await own.get(`/import-sources/${body.id}/rows`)).body.data).toEqual([])
  // What was read may be read again at once.
  const again = await own.start({ purpose: 'shadow' })
  expect(again).toMatchObject({ status: 201 })
  expect(again.body.id).not.toBe(body.id)
  expect((await own.get('/import-sources')).body.data).toHaveLength(2)
})
