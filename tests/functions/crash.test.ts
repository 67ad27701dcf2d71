import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Postgres, startPostgres } from '../../dev/postgres.ts'
import { applySchema } from '../../dev/schema.ts'
import { startSqlEndpoint } from '../../dev/sql-endpoint.ts'
import { startWorkers, type Workers } from '../../dev/workers.ts'
import { createMerchant } from '../support/merchant.ts'
import { AUTH_SECRET, SECRETS_KEY } from '../support/secrets.ts'

const CALLERS = 8
const ROUNDS = 3

let dataDir: string
let postgres: Postgres
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let workers: Workers

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-crash-'))
  postgres = await startPostgres({ dataDir, durable: true })
  await applySchema(postgres.databaseUrl)
  endpoint = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  workers = await startWorkers({
    DATABASE_URL: postgres.databaseUrl,
    SQL_ENDPOINT: endpoint.url,
    AUTH_SECRET,
    SECRETS_KEY,
  })
})
afterAll(async () => {
  await workers?.stop()
  await endpoint?.stop()
  await postgres?.stop()
  await rm(dataDir, { recursive: true, force: true })
  await rm(postgres.clusterDir, { recursive: true, force: true })
})

/** Kills Postgres as a power cut would, and starts it again behind the same endpoint. */
const crash = async () => {
  const [pid] = (await readFile(join(postgres.clusterDir, 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  await sleep(300)
  await postgres.stop()
  await endpoint.stop()
  postgres = await startPostgres({ dataDir, durable: true })
  endpoint = await startSqlEndpoint({
    databaseUrl: postgres.databaseUrl,
    port: Number(new URL(endpoint.url).port),
  })
}

test('whatever was answered 200 is in the database after Postgres was killed, and the repeats end in one event each', async () => {
  const merchant = await createMerchant({
    baseUrl: workers.url.origin,
    database: { DATABASE_URL: postgres.databaseUrl, SQL_ENDPOINT: endpoint.url },
  })
  const clickId = await merchant.click()
  const answered = new Map<string, unknown>()
  const unanswered = new Set<string>()

  for (let round = 0; round < ROUNDS; round++) {
    let crashed = false
    const call = async (caller: number) => {
      for (let index = 0; !crashed; index++) {
        const externalId = `${round}-${caller}-${index}`
        const { status, body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
        expect([200, 503]).toContain(status)
        if (status === 200) answered.set(externalId, body.eventId)
        else unanswered.add(externalId)
      }
    }
    const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller))
    await sleep(500)
    await crash()
    crashed = true
    await Promise.all(calls)
  }

  const client = new pg.Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  const select = async (text: string) => (await client.query<{ external_id: string; id: string }>(text)).rows
  const saved = new Map(
    (await select('select external_id, id from events')).map((row) => [row.external_id, row.id]),
  )
  expect(answered.size).toBeGreaterThan(CALLERS)
  expect([...answered].filter(([externalId, id]) => saved.get(externalId) !== id)).toEqual([])

  for (const externalId of [...unanswered, ...answered.keys()]) {
    const { status, body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
    expect(status).toBe(200)
    expect(body.eventId).toBe(answered.get(externalId) ?? saved.get(externalId) ?? body.eventId)
  }
  const sums = await select(`
    select count(*)::int as events, count(distinct external_id)::int as reports,
           (select count(*)::int from commissions) as commissions, (select count(*)::int from customers) as customers
    from events`)
  await client.end()
  const reports = answered.size + unanswered.size
  expect(sums).toEqual([{ events: reports, reports, commissions: reports, customers: reports }])
})
