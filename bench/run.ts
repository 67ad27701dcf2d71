/** `npm run bench`: every figure of the tracking endpoints that has a bar, measured in one run and printed in one table. */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import pg from 'pg'
import { build } from '../dev/build.ts'
import { SNIPPET_BUDGET_BYTES } from '../dev/build-snippet.ts'
import { startPostgres } from '../dev/postgres.ts'
import { applySchema } from '../dev/schema.ts'
import { seeder } from '../dev/seed.ts'
import { startSqlEndpoint } from '../dev/sql-endpoint.ts'
import { workerNames } from '../dev/workers.ts'
import { buildWorker } from './bundles.ts'
import { addFiveMillionEvents } from './five-million-events.ts'
import { oneMoreSale, type RecordedSale, startRecorder, toSale } from './recorded-sale.ts'

/** Rounds of one call to each Worker, in changing order, so that what disturbs the machine disturbs all of them. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 1_500)
const WARM_UP = 200
/** What a tracking Worker may weigh. A kilobyte is 1,000 bytes here, the stricter reading. */
const WORKER_BUDGET_BYTES = 130_000

const stops: (() => Promise<void> | void)[] = []
const say = (text: string) => console.error(text)
const table: { what: string; measured: string; bar: string; holds: boolean }[] = []
const row = (what: string, measured: string, bar: string, holds: boolean) =>
  table.push({ what, measured, bar, holds })

const agent = new Agent({ keepAlive: true })
type Answer = { ms: number; body: Record<string, unknown> }
const post = async (url: URL, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const text = JSON.stringify(body)
  const start = performance.now()
  const call = request(url, {
    agent,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers },
  })
  call.end(text)
  const [answer]: IncomingMessage[] = await once(call, 'response')
  const parts = await answer?.toArray()
  const ms = performance.now() - start
  const answered = Buffer.concat(parts ?? []).toString()
  if (answer?.statusCode !== 200) throw new Error(`${url} answered ${answer?.statusCode}: ${answered}`)
  return { ms, body: JSON.parse(answered) }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

type Merchant = { apiKey: string; programId: string; workspaceId: string; databaseUrl: string }
const createMerchant = async (databaseUrl: string, sqlEndpoint: string): Promise<Merchant> => {
  const seed = seeder({ DATABASE_URL: databaseUrl, SQL_ENDPOINT: sqlEndpoint })
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId, { reward_duration_months: 12 })
  await seed.addPartner(workspaceId, programId, { slug: 'maya' })
  return { apiKey: await seed.addApiKey(workspaceId), programId, workspaceId, databaseUrl }
}

const ratelimits = { RATE_LIMIT: { simple: { limit: 1_000_000, period: 10 as const }, namespace_id: '1' } }
const startMiniflare = async (
  workers: { name: string; script: string; bindings: Record<string, string> }[],
) => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') say(message)
      },
      workers: workers.map((worker) => ({
        ...worker,
        modules: true,
        compatibilityDate: '2026-10-01',
        ratelimits,
        unsafeDirectSockets: [{}],
      })),
    }),
  )
  await miniflare.ready
  stops.push(() => miniflare.dispose())
  return Object.fromEntries(
    await Promise.all(
      workers.map(async ({ name }) => [name, await miniflare.unsafeGetDirectURL(name)] as const),
    ),
  )
}

const scriptOf = async (file: string): Promise<string> => {
  const { outputFiles } = await bundle({
    entryPoints: [new URL(file, import.meta.url).pathname],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

const at = (url: URL | undefined, path: string): URL => new URL(path, url)
let serial = 0
const sale = (clickId: unknown) => {
  serial++
  return {
    externalId: `bench-${serial}`,
    customerExternalId: `bench-customer-${serial}`,
    amountCents: 4_900,
    clickId,
  }
}

/** Counts the fetches of each kind of call, and keeps two sales for the bare Worker to repeat. */
const countFetches = async (
  url: (name: string) => URL | undefined,
  merchant: Merchant,
  recorder: Awaited<ReturnType<typeof startRecorder>>,
) => {
  const headers = { Authorization: `Bearer ${merchant.apiKey}` }
  const count = async (what: string, bar: number, call: () => Promise<Answer>) => {
    recorder.take()
    const answer = await call()
    const bodies = recorder.take()
    row(`fetches to the database, ${what}`, String(bodies.length), `${bar} at most`, bodies.length <= bar)
    return { answer, bodies }
  }
  const clicked = await count('a click', 1, () =>
    post(at(url('track-click'), '/api/track/click'), { programId: merchant.programId, slug: 'maya' }),
  )
  const { clickId } = clicked.answer.body
  const first = sale(clickId)
  const { bodies } = await count('a sale', 2, () =>
    post(at(url('track-sale'), '/api/track/sale'), first, headers),
  )
  await count('a sale repeated', 2, () => post(at(url('track-sale'), '/api/track/sale'), first, headers))
  await count('a lead', 2, () =>
    post(at(url('track-lead'), '/api/track/lead'), { externalId: 'bench-lead', clickId }, headers),
  )
  recorder.take()
  await post(at(url('track-sale'), '/api/track/sale'), sale(clickId), headers)
  return { clickId, recorded: [toSale(bodies), toSale(recorder.take())] as const }
}

try {
  say('Building the snippet and the Workers ...')
  const snippetBytes = await build()
  const bundles = Object.fromEntries(workerNames().map((env) => [env, buildWorker(env)]))

  say('Starting Postgres, with one empty database and one of five million events (takes some minutes) ...')
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  stops.push(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: false })
  stops.push(async () => {
    await postgres.stop()
    await rm(postgres.clusterDir, { recursive: true, force: true })
  })
  const endpoint = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
  stops.push(() => endpoint.stop())
  const fullUrl = postgres.databaseUrl.replace(/\/tributary$/, '/tributary_full')
  const admin = new pg.Client({ connectionString: postgres.databaseUrl })
  await admin.connect()
  await admin.query('create database tributary_full')
  await admin.end()
  await applySchema(postgres.databaseUrl)
  await applySchema(fullUrl)
  const empty = await createMerchant(postgres.databaseUrl, endpoint.url)
  const full = await createMerchant(fullUrl, endpoint.url)
  await addFiveMillionEvents(fullUrl, full.workspaceId, (text) => process.stderr.write(`\r  ${text}      `))
  say('')

  const recorder = await startRecorder(endpoint.url)
  const database = (merchant: Merchant, sqlEndpoint: string) => ({
    DATABASE_URL: merchant.databaseUrl,
    SQL_ENDPOINT: sqlEndpoint,
  })
  const tracking = ['track-click', 'track-lead', 'track-sale']
  const observed = await startMiniflare(
    tracking.map((name) => ({
      name,
      script: bundles[name]?.script ?? '',
      bindings: database(empty, recorder.url),
    })),
  )
  const { recorded } = await countFetches((name) => observed[name], empty, recorder)
  recorder.stop()

  const saleScript = bundles['track-sale']?.script ?? ''
  const [a, b]: readonly [RecordedSale, RecordedSale] = recorded
  const statements = { READ: a.read.query, WRITE: JSON.stringify(a.write.map(({ query }) => query)) }
  const workers = await startMiniflare([
    { name: 'empty', script: saleScript, bindings: database(empty, endpoint.url) },
    { name: 'full', script: saleScript, bindings: database(full, endpoint.url) },
    {
      name: 'bare',
      script: await scriptOf('./bare.ts'),
      bindings: { ...database(empty, endpoint.url), ...statements },
    },
    { name: 'noop', script: await scriptOf('./noop.ts'), bindings: {} },
    { name: 'click', script: bundles['track-click']?.script ?? '', bindings: database(full, endpoint.url) },
    {
      name: 'click-empty',
      script: bundles['track-click']?.script ?? '',
      bindings: database(empty, endpoint.url),
    },
  ])
  const clickOf = async (name: string, { programId }: Merchant) =>
    (await post(at(workers[name], '/api/track/click'), { programId, slug: 'maya' })).body.clickId
  const clicks = { empty: await clickOf('click-empty', empty), full: await clickOf('click', full) }

  const calls: Record<string, () => Promise<Answer>> = {
    sale: () =>
      post(at(workers.empty, '/api/track/sale'), sale(clicks.empty), {
        Authorization: `Bearer ${empty.apiKey}`,
      }),
    'sale over 5 million': () =>
      post(at(workers.full, '/api/track/sale'), sale(clicks.full), {
        Authorization: `Bearer ${full.apiKey}`,
      }),
    'bare statements': () => post(at(workers.bare, '/'), oneMoreSale(a, b)),
    'no-op': () => post(at(workers.noop, '/'), sale(clicks.empty)),
  }
  const times = new Map(Object.keys(calls).map((name) => [name, [] as number[]]))
  say(`Measuring: ${ROUNDS} rounds of ${Object.keys(calls).join(', ')} ...`)
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls).sort(() => Math.random() - 0.5)) {
      const { ms, body } = await call()
      if (body.attributed === false) throw new Error(`${name} was not attributed.`)
      if (round >= 0) times.get(name)?.push(ms)
    }
  }

  const p50 = (name: string) => median(times.get(name) ?? [])
  const ratio = (what: string, over: string, under: string, bar: number) =>
    row(
      what,
      `${(p50(over) / p50(under)).toFixed(3)}  (${p50(over).toFixed(2)} ms / ${p50(under).toFixed(2)} ms)`,
      `${bar} at most`,
      p50(over) / p50(under) <= bar,
    )
  ratio('sale p50 over a Worker with only the same statements', 'sale', 'bare statements', 1.15)
  row(
    'sale p50 over a Worker that does nothing',
    `${(p50('sale') / p50('no-op')).toFixed(2)}  (${p50('sale').toFixed(2)} ms / ${p50('no-op').toFixed(2)} ms)`,
    'none',
    true,
  )
  ratio('sale p50 with 5 million events over empty', 'sale over 5 million', 'sale', 1.2)
  row(
    'snippet, bytes gzipped',
    String(snippetBytes),
    `${SNIPPET_BUDGET_BYTES} at most`,
    snippetBytes <= SNIPPET_BUDGET_BYTES,
  )
  for (const [env, { gzipBytes }] of Object.entries(bundles)) {
    const bar = tracking.includes(env)
    row(
      `Worker ${env}, bytes gzipped`,
      String(gzipBytes),
      bar ? `${WORKER_BUDGET_BYTES} at most` : 'none',
      !bar || gzipBytes <= WORKER_BUDGET_BYTES,
    )
  }

  const widths = [
    Math.max(...table.map(({ what }) => what.length)),
    Math.max(...table.map(({ measured }) => measured.length)),
    16,
  ]
  for (const { what, measured, bar, holds } of [
    { what: 'what', measured: 'measured', bar: 'bar', holds: true },
    ...table,
  ]) {
    console.log(
      `${what.padEnd(widths[0] ?? 0)}  ${measured.padEnd(widths[1] ?? 0)}  ${bar.padEnd(widths[2] ?? 0)}${holds ? '' : '  ABOVE THE BAR'}`,
    )
  }
} finally {
  agent.destroy()
  for (const stop of stops.reverse()) await stop()
}
