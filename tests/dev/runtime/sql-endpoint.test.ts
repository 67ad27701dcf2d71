import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../dev/runtime/postgres.ts'
import { type SqlEndpoint, startSqlEndpoint } from '../../../dev/runtime/sql-endpoint.ts'
import { copyCluster } from '../../support/clusters.ts'

let dataDir: string
let postgres: Postgres
let endpoint: SqlEndpoint
let sql: ReturnType<typeof neon<false, false>>

beforeAll(async () => {
  dataDir = mkdtempSync(join(inject('folder'), 'sql-'))
  chmodSync(dataDir, 0o755)
  copyCluster(dataDir)
  postgres = await startPostgres({ dataDir, durable: false })
  endpoint = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  neonConfig.fetchEndpoint = () => endpoint.url
  sql = neon(postgres.databaseUrl)
  await sql`create table partners (id int primary key, slug text not null unique)`
})

afterAll(async () => {
  await endpoint?.stop()
  await postgres?.stop()
  for (const folder of [dataDir, postgres?.clusterDir]) {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
})

/** A connection by TCP. */
const postgresClient = async () => {
  const client = new pg.Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  return client
}

/** A request as the driver sends it, with the test's changes. */
const post = (
  body: unknown,
  headers: Record<string, string> = {},
  url = endpoint.url,
  signal: AbortSignal | null = null,
) =>
  fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'neon-connection-string': postgres.databaseUrl,
      'neon-raw-text-output': 'true',
      'neon-array-mode': 'true',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const failureOf = (query: Promise<unknown>): Promise<NeonDbError> =>
  query.then(
    () => expect.unreachable('the query was expected to fail'),
    (error) => error,
  )

test.each([
  {
    case: 'int8 stays exact, as text',
    expression: '9007199254740993::int8',
    value: '9007199254740993',
  },
  { case: 'numeric stays exact, as text', expression: '0.1000::numeric', value: '0.1000' },
  { case: 'int4 is a number', expression: '42::int4', value: 42 },
  { case: 'boolean', expression: 'true', value: true },
  { case: 'null', expression: 'null::text', value: null },
  { case: 'an empty text is not null', expression: "''", value: '' },
  {
    case: 'text beyond ASCII, with quotes',
    expression: `'ß "q" \\ \u{1f980} ''x'''`,
    value: `ß "q" \\ \u{1f980} 'x'`,
  },
  { case: 'jsonb', expression: `'{"a": [1, null, "é"]}'::jsonb`, value: { a: [1, null, 'é'] } },
  {
    case: 'timestamptz, in UTC to the millisecond',
    expression: "'2026-01-31 23:59:59.123+01'::timestamptz",
    value: new Date('2026-01-31T22:59:59.123Z'),
  },
  { case: 'an array of int', expression: 'array[1, null, 3]', value: [1, null, 3] },
  {
    case: 'an array of text',
    expression: `array['a"b', 'c,d', null]`,
    value: ['a"b', 'c,d', null],
  },
  { case: 'bytea', expression: `'\\x00ff'::bytea`, value: Buffer.from([0, 255]) },
])('a value comes through the driver: $case', async ({ expression, value }) => {
  expect(await sql.query(`select ${expression} as value`)).toEqual([{ value }])
})

test.each([
  { case: 'text', type: 'text', param: 'O\'Reilly "é" \\', value: 'O\'Reilly "é" \\' },
  { case: 'a number', type: 'int8', param: 12, value: '12' },
  { case: 'a boolean', type: 'bool', param: false, value: false },
  { case: 'null', type: 'text', param: null, value: null },
  { case: 'an object as jsonb', type: 'jsonb', param: { a: ['x'] }, value: { a: ['x'] } },
  {
    case: 'an array of text',
    type: 'text[]',
    param: ['a', 'b"\\', null],
    value: ['a', 'b"\\', null],
  },
])('a parameter comes through the driver: $case', async ({ type, param, value }) => {
  expect(await sql.query(`select $1::${type} as value`, [param])).toEqual([{ value }])
})

test.each([
  { case: 'a number', type: 'int8', param: 12, text: '12' },
  { case: 'a boolean', type: 'bool', param: true, text: 't' },
  { case: 'an object', type: 'jsonb', param: { a: 1 }, text: '{"a": 1}' },
  {
    case: 'nested arrays',
    type: 'text[]',
    param: [
      ['a', 'b"\\'],
      [null, 'NULL'],
    ],
    text: '{{a,"b\\"\\\\"},{NULL,"NULL"}}',
  },
  {
    case: 'an array of objects',
    type: 'jsonb[]',
    param: [{ a: 'x' }],
    text: '{"{\\"a\\": \\"x\\"}"}',
  },
])(
  'a parameter sent as plain JSON is written as Neon writes it: $case',
  async ({ type, param, text }) => {
    const response = await post({ query: `select $1::${type} as value`, params: [param] })
    expect(await response.json()).toMatchObject({ rows: [[text]] })
  },
)

test('the response is raw text with its fields, in arrays or in objects', async () => {
  const query = { query: `select 1 as one, null as "none"` }
  const field = { tableID: 0, columnID: 0, dataTypeModifier: -1, format: 'text' }
  const answer = {
    fields: [
      { name: 'one', dataTypeID: 23, dataTypeSize: 4, ...field },
      { name: 'none', dataTypeID: 25, dataTypeSize: -1, ...field },
    ],
    rows: [['1', null]],
    command: 'SELECT',
    rowCount: 1,
    rowAsArray: true,
  }
  expect(await (await post(query)).json()).toEqual(answer)
  expect(await (await post(query, { 'neon-array-mode': 'false' })).json()).toEqual({
    ...answer,
    rows: [{ one: '1', none: null }],
    rowAsArray: false,
  })
})

test('a write returns the number of changed rows', async () => {
  const full = neon(postgres.databaseUrl, { fullResults: true })
  const inserted = await full`insert into partners values (101, 'one'), (102, 'two')`
  expect(inserted).toMatchObject({ command: 'INSERT', rowCount: 2, rows: [], fields: [] })
  expect(await full`delete from partners where id > 100 returning id`).toMatchObject({
    command: 'DELETE',
    rowCount: 2,
  })
})

test.each([
  { isolationLevel: 'ReadUncommitted', shown: 'read uncommitted' },
  { isolationLevel: 'ReadCommitted', shown: 'read committed' },
  { isolationLevel: 'RepeatableRead', shown: 'repeatable read' },
  { isolationLevel: 'Serializable', shown: 'serializable' },
] as const)(
  'a batch runs at the isolation level $isolationLevel',
  async ({ isolationLevel, shown }) => {
    const [level, readOnly, deferrable] = await sql.transaction(
      [
        sql`show transaction_isolation`,
        sql`show transaction_read_only`,
        sql`show transaction_deferrable`,
      ],
      { isolationLevel },
    )
    expect(level).toEqual([{ transaction_isolation: shown }])
    expect(readOnly).toEqual([{ transaction_read_only: 'off' }])
    expect(deferrable).toEqual([{ transaction_deferrable: 'off' }])
  },
)

test('a deferrable, read-only batch runs with these modes', async () => {
  const options = { isolationLevel: 'Serializable', readOnly: true, deferrable: true } as const
  const [readOnly, deferrable] = await sql.transaction(
    [sql`show transaction_read_only`, sql`show transaction_deferrable`],
    options,
  )
  expect(readOnly).toEqual([{ transaction_read_only: 'on' }])
  expect(deferrable).toEqual([{ transaction_deferrable: 'on' }])
})

test('a read-only batch cannot write', async () => {
  const write = sql.transaction([sql`insert into partners values (1, 'x')`], { readOnly: true })
  expect(await failureOf(write)).toMatchObject({ code: '25006' })
})

test('an error in a batch rolls it back, and does not affect the next request', async () => {
  const batch = sql.transaction([
    sql`insert into partners values (1, 'ada')`,
    sql`insert into partners values (2, 'ada')`,
  ])
  expect(await failureOf(batch)).toMatchObject({ code: '23505' })
  expect(await sql`select * from partners`).toEqual([])
})

test('an unknown isolation level is refused', async () => {
  const response = await post({ queries: [] }, { 'neon-batch-isolation-level': 'Chaos' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ message: 'invalid isolation level', code: '' })
})

test('an error of Postgres is returned with its fields', async () => {
  const twice = sql`insert into partners values (1, 'ada'), (2, 'ada')`
  expect(await failureOf(twice)).toMatchObject({
    name: 'NeonDbError',
    message: 'duplicate key value violates unique constraint "partners_slug_key"',
    severity: 'ERROR',
    code: '23505',
    detail: 'Key (slug)=(ada) already exists.',
    schema: 'public',
    table: 'partners',
    constraint: 'partners_slug_key',
    routine: '_bt_check_unique',
    hint: undefined,
    position: undefined,
  })
  expect(await failureOf(sql`select slugg from partners`)).toMatchObject({
    code: '42703',
    position: '8',
    hint: 'Perhaps you meant to reference the column "partners.slug".',
  })
})

test('two statements in one query are refused, with parameters or without', async () => {
  expect(await failureOf(sql.query('select 1; select 2'))).toMatchObject({ code: '42601' })
  expect(await failureOf(sql.query('select $1::int; select 2', [1]))).toMatchObject({
    code: '42601',
  })
})

test.each([
  {
    case: 'an open transaction',
    leave: 'begin',
    look: "select count(*) as value from pg_stat_activity where state like 'idle in %'",
    value: '0',
  },
  {
    case: 'a setting',
    leave: 'set work_mem = 77777',
    look: "select current_setting('work_mem') <> '77777kB' as value",
    value: true,
  },
  {
    case: 'a setting made in a select',
    leave: "select set_config('x.y', 'z', false)",
    look: "select current_setting('x.y', true) as value",
    value: null,
  },
  {
    case: 'a lock',
    leave: 'select pg_advisory_lock(7)',
    look: "select count(*) as value from pg_locks where locktype = 'advisory'",
    value: '0',
  },
  {
    case: 'a temporary table',
    leave: 'create temp table t as select 1',
    look: "select to_regclass('t')::text as value",
    value: null,
  },
  {
    case: 'a prepared statement',
    leave: 'prepare p as select 1',
    look: 'select count(*) as value from pg_prepared_statements',
    value: '0',
  },
])('a session keeps nothing for the next request: $case', async ({ leave, look, value }) => {
  await sql.query(leave)
  // Thirty concurrent requests use every connection. The closed one may take a moment to end.
  const looks = () => Promise.all(Array.from({ length: 30 }, () => sql.query(look)))
  await expect
    .poll(async () => [...new Set((await looks()).flat().map((row) => row.value))])
    .toEqual([value])
})

test('a setting of a transaction ends with it, and its connection is used again', async () => {
  const look =
    "select pg_backend_pid() as pid, current_setting('work_mem') as value, pg_sleep(0.01)::text"
  const [, inside] = await sql.transaction([sql`set local work_mem = 77777`, sql.query(look)])
  expect(inside).toMatchObject([{ value: '77777kB' }])
  const rows = (await Promise.all(Array.from({ length: 30 }, () => sql.query(look)))).flat()
  expect(rows.map(({ pid }) => pid)).toContain(inside?.[0]?.pid)
  expect(rows.map(({ value }) => value)).not.toContain('77777kB')
})

test('the connection of a procedure is used again', async () => {
  await sql`create procedure add_partner(inout pid int) language plpgsql as
    'begin insert into partners values (6, $$six$$); commit; pid := pg_backend_pid(); end'`
  const [called] = await sql`call add_partner(null)`
  const look = 'select pg_backend_pid() as pid, pg_sleep(0.01)::text'
  const rows = (await Promise.all(Array.from({ length: 30 }, () => sql.query(look)))).flat()
  expect(rows.map(({ pid }) => pid)).toContain(called?.pid)
  await sql`delete from partners where id = 6`
})

test('a wrong password or user is refused with an empty code', async () => {
  const wrong = new URL(postgres.databaseUrl)
  wrong.password = 'guess'
  const refused = (user: string) => ({
    message: `password authentication failed for user '${user}'`,
    code: '',
  })
  expect(await failureOf(neon(wrong.href)`select 1`)).toMatchObject(refused(wrong.username))
  wrong.username = 'nobody'
  expect(await failureOf(neon(wrong.href)`select 1`)).toMatchObject(refused('nobody'))
})

test('the database is the one that the connection string names, whatever its host', async () => {
  const other = new URL(postgres.databaseUrl)
  other.host = 'db.example.com:1'
  other.pathname = '/postgres'
  expect(await neon(other.href)`select current_database() as name`).toEqual([{ name: 'postgres' }])
  other.pathname = '/missing'
  expect((await failureOf(neon(other.href)`select 1`)).message).toMatch(
    /HTTP status 500.*"code":"3D000"/,
  )
})

test('a connection killed during its query fails that query only', async () => {
  const killed = await failureOf(sql`select pg_terminate_backend(pg_backend_pid())`)
  expect(['57P01', '']).toContain(killed.code)
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})

test('killed idle connections are replaced', async () => {
  const ten = () => Promise.all(Array.from({ length: 10 }, () => sql`select pg_sleep(0.01)`))
  await ten()
  const others = `from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`
  await sql.query(`select pg_terminate_backend(pid) ${others}`)
  await expect.poll(() => sql.query(`select count(*) ${others}`)).toEqual([{ count: '0' }])
  await ten()
})

test('fifty concurrent queries all succeed', async () => {
  const queries = Array.from(
    { length: 50 },
    (_, n) => sql`select ${n}::int as n, pg_sleep(0.02)::text`,
  )
  const rows = (await Promise.all(queries)).flat()
  expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => n))
})

const LATE = `with slept as (select pg_sleep(5)) insert into partners select 9, 'late' from slept`

test.each([
  { case: 'a statement', body: { query: LATE } },
  {
    case: 'a batch',
    body: { queries: [{ query: "insert into partners values (10, 'x')" }, { query: LATE }] },
  },
])('a caller that disconnects cancels $case', async ({ body }) => {
  const caller = new AbortController()
  const request = post(body, {}, endpoint.url, caller.signal)
  const running = () => sql.query('select 1 as one from pg_stat_activity where query = $1', [LATE])
  const active = () =>
    sql.query("select 1 as one from pg_stat_activity where query = $1 and state = 'active'", [LATE])
  await expect.poll(running).toHaveLength(1)
  caller.abort()
  await expect(request).rejects.toThrow('aborted')
  await expect.poll(active, { timeout: 3_000 }).toEqual([])
  expect(await sql`select * from partners`).toEqual([])
})

/** The backend that serves the next request of an endpoint of its own. */
const pidAt = async (url: string): Promise<string> => {
  const response = await post({ query: 'select pg_backend_pid()' }, {}, url)
  const { rows } = (await response.json()) as { rows: [[string]] }
  return rows[0][0]
}

test.each([
  { case: 'a statement closes its connection', body: { query: 'select 1 / 0' }, isKept: false },
  { case: 'a batch keeps it', body: { queries: [{ query: 'select 1 / 0' }] }, isKept: true },
])('an error in $case', async ({ body, isKept }) => {
  const own = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  const before = await pidAt(own.url)
  expect(await pidAt(own.url)).toBe(before)
  expect((await post(body, {}, own.url)).status).toBe(400)
  expect((await pidAt(own.url)) === before).toBe(isKept)
  await own.stop()
})

test('above its permits, the endpoint refuses at once instead of queueing', async () => {
  const own = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl, permits: 1 })
  const gate = await postgresClient()
  await gate.query('select pg_advisory_lock(77)')
  const wait = () => post({ query: 'select pg_advisory_xact_lock(77)' }, {}, own.url)
  const requests = Array.from({ length: 10 }, wait)
  const refused = await Promise.race(requests)
  expect(refused.status).toBe(500)
  expect(await refused.json()).toMatchObject({
    message: expect.stringMatching(/^Failed to acquire permit/),
    code: '',
  })
  await gate.end()
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  expect(statuses).toContain(200)
  expect((await wait()).status).toBe(200)
  await own.stop()
})

test('each login has connections of its own: one that has all of its own taken makes no other wait', async () => {
  await sql`create role neighbor login password 'only-for-this-test'`
  const url = new URL(postgres.databaseUrl)
  url.username = 'neighbor'
  url.password = 'only-for-this-test'
  const own = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  const gate = await postgresClient()
  await gate.query('select pg_advisory_lock(78)')
  const wait = () => post({ query: 'select pg_advisory_xact_lock(78)' }, {}, own.url)
  const requests = Array.from({ length: 20 }, wait)
  const waiting = async () => {
    const { rows } = await gate.query(
      `select from pg_locks where locktype = 'advisory' and not granted`,
    )
    return rows
  }
  await expect.poll(waiting).toHaveLength(20)

  let isAnswered = false
  const further = post({ query: 'select 1' }, {}, own.url).finally(() => {
    isAnswered = true
  })
  const others = await post({ query: 'select 1' }, { 'neon-connection-string': url.href }, own.url)
  expect([others.status, isAnswered]).toEqual([200, false])
  await gate.end()
  for (const { status } of await Promise.all([...requests, further])) expect(status).toBe(200)
  await own.stop()
})

test.each([
  { case: 'a statement, twice', body: { query: 'select 1' }, trips: 2 },
  {
    case: 'a batch of three, eight times',
    body: { queries: Array(3).fill({ query: 'select 1' }) },
    trips: 8,
  },
])('a latency is added to $case', async ({ body, trips }) => {
  const latencyMs = 25
  const own = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl, latencyMs })
  const before = performance.now()
  expect((await post(body, {}, own.url)).status).toBe(200)
  // A timer may fire a millisecond early.
  expect(performance.now() - before).toBeGreaterThan(trips * latencyMs - trips)
  await own.stop()
})

test('plans of functions live as long as the connection, which is closed when it was idle for long', async () => {
  const own = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl, idleMs: 200 })
  await sql`create function count_partners() returns bigint language plpgsql as
    'begin return (select count(*) from partners where slug > $$kept$$); end'`
  const plans = async () => {
    // Its own text must not match.
    const query = `select pg_backend_pid(), count(*) from pg_backend_memory_contexts
      where name like 'CachedPlan%' and ident like '%ke' || 'pt%'`
    const response = await post({ query }, {}, own.url)
    const { rows } = (await response.json()) as { rows: [[string, string]] }
    return { pid: rows[0][0], count: Number(rows[0][1]) }
  }
  expect((await post({ query: 'select count_partners()' }, {}, own.url)).status).toBe(200)
  const kept = await plans()
  expect(kept.count).toBeGreaterThan(0)
  await expect
    .poll(() => sql.query('select 1 as one from pg_stat_activity where pid = $1', [kept.pid]))
    .toEqual([])
  expect(await plans()).toEqual({ pid: expect.not.stringMatching(kept.pid), count: 0 })
  await own.stop()
})

test.each([
  {
    case: 'no connection string',
    headers: { 'neon-connection-string': '' },
    message: /neon-connection-string/,
  },
  {
    case: 'an incomplete connection string',
    headers: { 'neon-connection-string': 'postgresql://me@host/db' },
    message: /connection string/,
  },
  {
    case: 'typed output',
    headers: { 'neon-raw-text-output': 'false' },
    message: /supports raw text only/,
  },
  {
    case: 'more parameters than Postgres supports',
    body: { query: 'select 1', params: Array(65_536).fill(1) },
    message: /at most 65535/,
  },
  { case: 'COPY from stdin', body: { query: 'copy partners from stdin' }, message: /COPY/ },
  { case: 'malformed JSON', body: '{"query":', message: /could not parse/ },
  { case: 'JSON of another shape', body: { sql: 'select 1' }, message: /could not parse/ },
  { case: 'a batch of another shape', body: { queries: ['select 1'] }, message: /could not parse/ },
])('a request is refused with 400: $case', async ({ headers, body, message }) => {
  const response = await post(body ?? { query: 'select 1' }, headers)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ message: expect.stringMatching(message), code: '' })
})

test('only POST /sql is served', async () => {
  expect((await fetch(endpoint.url)).status).toBe(405)
  expect((await post({ query: 'select 1' }, {}, endpoint.url.replace('/sql', '/'))).status).toBe(
    404,
  )
})

test('a request that is too large gets 413, a response 507, and a batch is rolled back', async () => {
  const small = await startSqlEndpoint({
    databaseUrl: postgres.databaseUrl,
    maxRequestBytes: 1000,
    maxResponseBytes: 1000,
  })
  try {
    const request = { query: 'select length($1)', params: ['x'.repeat(1001)] }
    expect((await post(request, {}, small.url)).status).toBe(413)

    const response = {
      query: "select repeat('x', 100) from generate_series(1, $1::int)",
      params: [11],
    }
    expect((await post(response, {}, small.url)).status).toBe(507)
    expect((await post({ ...response, params: [9] }, {}, small.url)).status).toBe(200)

    const insert = { query: "insert into partners values (5, 'five')" }
    expect((await post({ queries: [insert, response] }, {}, small.url)).status).toBe(507)
    expect(await sql`select * from partners`).toEqual([])
  } finally {
    await small.stop()
  }
})

test('with keepPlans, a statement is planned once, and responds the same to other values and after errors', async () => {
  const keeping = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl, keepPlans: true })
  try {
    const rowsOf = async (query: string, ...params: unknown[]) => {
      const response = await post({ query, params }, {}, keeping.url)
      const { rows, message } = (await response.json()) as { rows?: unknown; message?: string }
      return rows ?? message
    }
    const divide = 'select 6 / $1::int'
    expect(await rowsOf(divide, 2)).toEqual([['3']])
    expect(await rowsOf(divide, 3)).toEqual([['2']])
    const plans =
      'select statement, generic_plans::int, custom_plans::int from pg_prepared_statements'
    const ofDivide = `${plans} where statement like 'select 6%'`
    expect(await rowsOf(ofDivide)).toEqual([[divide, '2', '0']])
    expect(await rowsOf(divide, 0)).toBe('division by zero')
    expect(await rowsOf('select nothing')).toBe('column "nothing" does not exist')
    expect(await rowsOf(divide, 6)).toEqual([['1']])
    // The connection has outlived its errors.
    expect(await rowsOf(ofDivide)).toEqual([[divide, '4', '0']])
  } finally {
    await keeping.stop()
  }
})

test('stopping does not wait for a running statement', async () => {
  const other = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  const query = post({ query: 'select pg_sleep(60)' }, {}, other.url).catch((error) => error)
  await expect
    .poll(() => sql`select 1 as one from pg_stat_activity where query = 'select pg_sleep(60)'`)
    .toHaveLength(1)
  const before = performance.now()
  await other.stop()
  expect(await query).toBeInstanceOf(Error)
  expect(performance.now() - before).toBeLessThan(5_000)
})

test('the response is 500 when the database is stopped', async () => {
  await postgres.stop()
  expect((await failureOf(sql`select 1`)).message).toMatch(/HTTP status 500.*ECONNREFUSED/)
})
