/** `npm run bench`: measures every figure that has a bar, and prints one table. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { applySchema } from '../cli/schema.ts'
import { build } from '../dev/build.ts'
import { seeder } from '../dev/demo/seed.ts'
import { SNIPPET_BUDGET_BYTES } from '../dev/runtime/build-snippet.ts'
import { startPostgres } from '../dev/runtime/postgres.ts'
import { startSqlEndpoint } from '../dev/runtime/sql-endpoint.ts'
import { workerNames } from '../dev/runtime/wrangler-config.ts'
import { addFiveMillionEvents } from './five-million-events.ts'
import { countImportFetches, measureImports } from './import.ts'
import { measureChunks, measureFreeze } from './import-page.ts'
import { type Answer, interleave, post } from './measure.ts'
import { measurePayouts } from './payouts.ts'
import { oneMoreSale, startRecorder, toSale } from './recorded-sale.ts'
import { createTable } from './table.ts'
import { buildOwn, buildWorker, startBenchWorkers } from './workers.ts'

const ROUNDS = { warmUp: 200, measured: Number(process.env.BENCH_ROUNDS ?? 2_000) }
/** Imports of 100,000 partners, each against its bare insert. */
const IMPORT_ROUNDS = 3
const TRACKING = ['track-click', 'track-lead', 'track-sale']
/** The size limit of a tracking Worker. A kilobyte is 1,000 bytes here. */
const WORKER_BUDGET_BYTES = 130_000

const table = createTable()
const stops: (() => Promise<void> | void)[] = []
const keep = <T extends { stop: () => Promise<void> | void }>(part: T): T => {
  stops.push(part.stop)
  return part
}

const startDatabases = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  stops.push(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: false })
  stops.push(() => rm(postgres.clusterDir, { recursive: true, force: true }), postgres.stop)
  const { url: sqlEndpoint } = keep(await startSqlEndpoint({ databaseUrl: postgres.databaseUrl }))

  const admin = new pg.Client({ connectionString: postgres.databaseUrl })
  await admin.connect()
  await admin.query('create database full_one')
  await admin.end()
  return {
    sqlEndpoint,
    emptyUrl: postgres.databaseUrl,
    fullUrl: postgres.databaseUrl.replace(/[^/]+$/, 'full_one'),
  }
}

const createMerchant = async (databaseUrl: string, sqlEndpoint: string) => {
  await applySchema(databaseUrl)
  const seed = seeder({ DATABASE_URL: databaseUrl, SQL_ENDPOINT: sqlEndpoint })
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId, { reward_duration_months: 12 })
  await seed.addPartner(workspaceId, programId, { slug: 'maya' })
  const headers = { Authorization: `Bearer ${await seed.addApiKey(workspaceId)}` }
  return {
    workspaceId,
    programId,
    headers,
    bindings: { DATABASE_URL: databaseUrl, SQL_ENDPOINT: sqlEndpoint },
  }
}
type Merchant = Awaited<ReturnType<typeof createMerchant>>

let serial = 0
/** A sale to a new customer, which is the most work: event, customer and commission. */
const newSale = (clickId: unknown) => {
  serial++
  return {
    externalId: `bench-${serial}`,
    customerExternalId: `bench-customer-${serial}`,
    amountCents: 4_900,
    clickId,
  }
}

/** A merchant's three endpoints, each on its own Worker. */
const callTracking = (urls: Map<string, URL>, prefix: string, merchant: Merchant) => {
  const call = (kind: string, body: unknown) =>
    post(new URL(`/api/track/${kind}`, urls.get(`${prefix}track-${kind}`)), body, merchant.headers)
  return {
    click: () => call('click', { programId: merchant.programId, slug: 'maya' }),
    sale: (body: unknown) => call('sale', body),
    lead: (body: unknown) => call('lead', body),
  }
}

/** Counts the fetches of each kind of call. @returns two recorded sales, for the bare Worker to repeat */
const countFetches = async (scripts: Map<string, string>, merchant: Merchant) => {
  const recorder = keep(await startRecorder(merchant.bindings.SQL_ENDPOINT))
  const bindings = { ...merchant.bindings, SQL_ENDPOINT: recorder.url }
  const { urls } = keep(
    await startBenchWorkers(
      TRACKING.map((name) => ({ name, script: scripts.get(name) ?? '', bindings, limit: 'memory' })),
    ),
  )
  const tracking = callTracking(urls, '', merchant)
  const count = async (what: string, bar: number, call: () => Promise<Answer>) => {
    recorder.take()
    const { body } = await call()
    const bodies = recorder.take()
    table.atMost(`fetches to the database: ${what}`, bodies.length, bar)
    return { body, bodies }
  }
  const { body } = await count('a click', 1, tracking.click)
  const sale = newSale(body.clickId)
  const first = await count('a sale', 2, () => tracking.sale(sale))
  await count('the sale repeated', 2, () => tracking.sale(sale))
  await count('a lead', 2, () => tracking.lead({ externalId: 'bench-lead', clickId: body.clickId }))
  recorder.take()
  await tracking.sale(newSale(body.clickId))
  return [toSale(first.bodies), toSale(recorder.take())] as const
}

const measureSales = async (scripts: Map<string, string>, empty: Merchant, full: Merchant) => {
  const [a, b] = await countFetches(scripts, empty)
  const statements = { READ: a.read.query, WRITE: JSON.stringify(a.write.map(({ query }) => query)) }
  const tracking = (prefix: string, { bindings }: Merchant, limit: 'memory' | 'emulated') =>
    ['track-click', 'track-sale'].map((name) => ({
      name: prefix + name,
      script: scripts.get(name) ?? '',
      bindings,
      limit,
    }))
  const { urls } = keep(
    await startBenchWorkers([
      ...tracking('empty-', empty, 'memory'),
      ...tracking('full-', full, 'memory'),
      ...tracking('emulated-', empty, 'emulated'),
      { name: 'bare', script: await buildOwn('./bare.ts'), bindings: { ...empty.bindings, ...statements } },
      { name: 'noop', script: await buildOwn('./noop.ts') },
    ]),
  )
  const sales = async (prefix: string, merchant: Merchant) => {
    const { click, sale } = callTracking(urls, prefix, merchant)
    const { clickId } = (await click()).body
    return () => sale(newSale(clickId))
  }
  const root = (name: string) => new URL('/', urls.get(name))
  return interleave(
    {
      sale: await sales('empty-', empty),
      fullSale: await sales('full-', full),
      emulatedSale: await sales('emulated-', empty),
      bare: () => post(root('bare'), oneMoreSale(a, b)),
      noop: () => post(root('noop'), newSale('clk_none')),
    },
    ROUNDS,
  )
}

try {
  console.error('Building the snippet and the Workers ...')
  const snippetBytes = await build()
  const bundles = new Map(workerNames().map((env) => [env, buildWorker(env)]))
  const scripts = new Map([...bundles].map(([env, { script }]) => [env, script]))

  console.error('Filling a database with five million events; this takes some minutes ...')
  const { sqlEndpoint, emptyUrl, fullUrl } = await startDatabases()
  const empty = await createMerchant(emptyUrl, sqlEndpoint)
  const full = await createMerchant(fullUrl, sqlEndpoint)
  await addFiveMillionEvents(fullUrl, full.workspaceId, (text) => console.error(`  ${text}`))

  console.error(`Measuring ${ROUNDS.measured} rounds of sales ...`)
  const p50 = await measureSales(scripts, empty, full)
  const ratio = (what: string, bar: number | null, over: keyof typeof p50, under: keyof typeof p50) =>
    table.atMost(what, p50[over] / p50[under], bar, `${p50[over].toFixed(2)} / ${p50[under].toFixed(2)} ms`)

  ratio('sale p50 over a Worker with only its statements', 1.15, 'sale', 'bare')
  ratio('  the same with the emulated rate limit', null, 'emulatedSale', 'bare')
  ratio('sale p50 over a Worker that does nothing', null, 'sale', 'noop')
  ratio('sale p50 with 5 million events over empty', 1.2, 'fullSale', 'sale')

  console.error(`Measuring ${IMPORT_ROUNDS} rounds of imports ...`)
  const importScript = scripts.get('import-partners') ?? ''
  for (const [rows, fetches] of await countImportFetches(importScript, empty.bindings, [1, 500])) {
    table.atMost(`fetches to the database: an import, by rows: ${rows}`, fetches, 3)
  }
  const imports = await measureImports(importScript, empty.bindings, IMPORT_ROUNDS)
  const importRatio = (what: string, bar: number | null, over: 'partners' | 'everything') =>
    table.atMost(
      what,
      imports[over] / imports.bare,
      bar,
      `${(imports[over] / 1_000).toFixed(2)} / ${(imports.bare / 1_000).toFixed(2)} s`,
    )
  importRatio('import of 100,000 partners in 500-row calls over one bare insert of them', 3, 'partners')
  importRatio('  the same with coupons, opening balances and mails', null, 'everything')

  console.error('Importing 50,000 rows in Chromium ...')
  table.atMost(
    'longest freeze of the import page with 50,000 rows, in ms',
    Math.round(await measureFreeze(empty.bindings)),
    1_000,
  )
  table.atMost('split of 50,000 rows into calls, in ms', Math.round(measureChunks()), 2_000)

  console.error('Paying 10,000 partners ...')
  const payouts = await measurePayouts(empty.bindings)
  table.atMost(
    'claim of 10,000 partners in pages of 500 over one bare statement',
    payouts.claimMs / payouts.bareMs,
    null,
    `${(payouts.claimMs / 1_000).toFixed(2)} / ${(payouts.bareMs / 1_000).toFixed(2)} s`,
  )
  table.atMost('  the slowest page, in ms', Math.round(payouts.slowestPageMs), null)
  table.atMost('scheduled runs that send 10,000 payouts, 900 fetches each', payouts.runs, null)
  table.atMost('  the most fetches that one of them made', payouts.most, 900)
  table.atMost('  fetches in all', payouts.fetches, null, `${payouts.seconds.toFixed(1)} s`)
  table.atMost('verify_ledger of 100,000 commissions, in ms', Math.round(payouts.verifyMs), null)

  table.atMost('bytes gzipped: the snippet', snippetBytes, SNIPPET_BUDGET_BYTES)
  for (const [env, { gzipBytes }] of bundles) {
    table.atMost(
      `bytes gzipped: Worker ${env}`,
      gzipBytes,
      TRACKING.includes(env) ? WORKER_BUDGET_BYTES : null,
    )
  }
  console.error('')
  table.print()
} finally {
  for (const stop of stops.reverse()) await stop()
}
