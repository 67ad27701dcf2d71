/**
 * The first five bars: new sales by the deployed bundles and by `npm start`, over two floors, in
 * one run. Everything uses the database and the SQL endpoint of one `npm start`, which plans each
 * statement anew, as Neon does.
 */
import pg from 'pg'
import { startSqlEndpoint } from '../dev/runtime/sql-endpoint.ts'
import { watchBackends } from './backend-cpu.ts'
import { alternate, CALLERS, interleave, post, type Throughput } from './measure.ts'
import { createMerchant, type Merchant, newClick, newSale, sales, TEN_RULES } from './merchant.ts'
import { startFresh } from './npm-start.ts'
import type { Table } from './table.ts'
import { buildOwn, startBenchWorkers } from './workers.ts'

/** Of a round trip between Neon's proxy and Postgres, within a region. */
const LATENCY_MS = 1

type Size = { rounds: number; slices: number; sliceMs: number }

/** The Workers that a click and a sale pass through, and the floor. */
const startSpeedWorkers = async (
  scripts: Record<string, string>,
  bindings: Record<string, string>,
) => {
  const tracking = ['track-click', 'track-sale'].map((name) => ({
    name,
    script: scripts[name] ?? '',
    bindings,
    zone: 'track' as const,
    limit: 'memory' as const,
  }))
  const services = { TRACK_CLICK: 'track-click', TRACK_SALE: 'track-sale' }
  const { urls, stop } = await startBenchWorkers([
    { name: 'router', script: scripts.router ?? '', services },
    ...tracking,
    { name: 'floor', script: await buildOwn('./floor.ts'), bindings, zone: 'track' },
  ])
  const urlOf = (name: string): URL => {
    const url = urls.get(name)
    if (!url) throw new Error(`${name} was not started.`)
    return url
  }
  return { router: urlOf('router'), floor: urlOf('floor'), stop }
}

/**
 * What a merchant would keep of a sale without us: what was reported, unique by its external id,
 * with no other condition.
 */
const SALES_TABLE = `create table bench_sales (
  id uuid primary key, workspace_id uuid not null, external_id text not null, customer_external_id text not null,
  event_name text not null, amount_cents bigint not null, currency char(3) not null, click_id text, metadata jsonb,
  created_at timestamptz not null, unique (workspace_id, external_id))`

/**
 * Eight connections that insert one row per statement, which is parsed and planned each time, as
 * those of a sale are.
 */
const openInserts = async (databaseUrl: string, { workspaceId }: Merchant) => {
  const clients = Array.from(
    { length: CALLERS },
    () => new pg.Client({ connectionString: databaseUrl }),
  )
  await Promise.all(clients.map((client) => client.connect()))
  await clients[0]?.query(SALES_TABLE)
  await clients[0]?.query('create table bench_rows (id uuid primary key, name text, amount bigint)')
  return {
    insert: async (caller: number) => {
      const { externalId, customerExternalId, amountCents, clickId } = newSale('clk_bench')
      await clients[caller]?.query(
        'insert into bench_sales values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        [
          crypto.randomUUID(),
          workspaceId,
          externalId,
          customerExternalId,
          'sale',
          amountCents,
          'USD',
          clickId,
          null,
          new Date(),
        ],
      )
    },
    /** As cheap as a row with a key can be. */
    insertThree: async (caller: number) =>
      clients[caller]?.query('insert into bench_rows values ($1, $2, $3)', [
        crypto.randomUUID(),
        'x',
        4_900,
      ]),
    stop: () => Promise.all(clients.map((client) => client.end())),
  }
}

const perSecond = ({ calls, seconds }: Throughput): number => calls / seconds
const backendMsPerCall = ({ calls, backendMs }: Throughput): number => backendMs / calls

/** Measures, and adds the five rows. @param scripts the Workers' bundles, by env */
export const measureSpeed = async (
  scripts: Record<string, string>,
  table: Table,
  { rounds, slices, sliceMs }: Size,
  onProgress: (text: string) => void,
): Promise<void> => {
  onProgress('starting npm start on a new database')
  const local = await startFresh()
  const stops: (() => unknown)[] = [local.stop]
  try {
    const { baseUrl, databaseUrl, sqlEndpoint } = local.demo
    const bindings = { DATABASE_URL: databaseUrl, SQL_ENDPOINT: sqlEndpoint ?? '' }
    const merchant = await createMerchant(bindings)
    const ruling = await createMerchant(bindings, TEN_RULES)
    const workers = await startSpeedWorkers(scripts, merchant.bindings)
    stops.push(workers.stop)
    const distant = await startSqlEndpoint({ databaseUrl, latencyMs: LATENCY_MS })
    stops.push(distant.stop)
    const distantWorkers = await startSpeedWorkers(scripts, {
      ...merchant.bindings,
      SQL_ENDPOINT: distant.url,
    })
    stops.push(distantWorkers.stop)
    const inserts = await openInserts(databaseUrl, merchant)
    stops.push(inserts.stop)

    const clickId = await newClick(workers.router, merchant)
    const backends = await Promise.all(Array.from({ length: CALLERS }, merchant.addBackend))
    const ruledClick = await newClick(workers.router, ruling)
    const ruled = (await Promise.all(Array.from({ length: CALLERS }, ruling.addBackend))).map(
      (headers) => sales(workers.router, headers, ruledClick, true),
    )
    const byEach = (origin: URL) => backends.map((headers) => sales(origin, headers, clickId))
    const [bundles, npmStart] = [byEach(workers.router), byEach(new URL(baseUrl))]
    const distantBundles = sales(distantWorkers.router, merchant.headers, clickId)
    const floor = () => post(workers.floor, newSale(clickId))

    onProgress(`${rounds} rounds of single calls`)
    const p50 = await interleave(
      {
        bundles: () => call(bundles, 0),
        ruled: () => call(ruled, 0),
        npmStart: () => call(npmStart, 0),
        distant: distantBundles,
        floor,
      },
      { warmUp: Math.ceil(rounds / 5), measured: rounds },
    )
    onProgress(`${slices} slices of ${sliceMs} ms with ${CALLERS} callers each`)
    const busy = await alternate(
      {
        bundles: (caller) => call(bundles, caller),
        ruled: (caller) => call(ruled, caller),
        npmStart: (caller) => call(npmStart, caller),
        floor,
        insert: inserts.insert,
        insertThree: inserts.insertThree,
      },
      { slices, sliceMs, backends: await watchBackends(databaseUrl) },
    )

    const ms = (...values: number[]) => `${values.map((value) => value.toFixed(2)).join(' / ')} ms`
    const rate = (...values: number[]) => `${values.map((value) => value.toFixed(0)).join(' / ')}`
    table.atMost(
      'new sale p50, bundles behind the router / a Worker with `select 1`',
      p50.bundles / p50.floor,
      2,
      ms(p50.bundles, p50.floor),
    )
    table.atMost(
      '  the same of three lines under ten rules / without',
      p50.ruled / p50.bundles,
      1.25,
      ms(p50.ruled, p50.bundles),
    )
    table.info(
      `  the same with ${LATENCY_MS} ms between Neon’s proxy and Postgres / without`,
      p50.distant / p50.bundles,
      ms(p50.distant, p50.bundles),
    )
    const rates = {
      bundles: perSecond(busy.bundles),
      npmStart: perSecond(busy.npmStart),
      floor: perSecond(busy.floor),
    }
    table.atLeast(
      'sales per second at eight callers / the same floor',
      rates.bundles / rates.floor,
      0.27,
      rate(rates.bundles, rates.floor),
    )
    const cpu = {
      sale: backendMsPerCall(busy.bundles),
      ruled: backendMsPerCall(busy.ruled),
      insert: backendMsPerCall(busy.insert),
      three: backendMsPerCall(busy.insertThree),
    }
    // Without /proc, nothing was counted.
    if (cpu.sale > 0) {
      table.atMost(
        "Postgres' CPU per new sale / one bare insert of it",
        cpu.sale / cpu.insert,
        14,
        ms(cpu.sale, cpu.insert),
      )
      table.atMost(
        '  the same of three lines under ten rules / without',
        cpu.ruled / cpu.sale,
        1.25,
        ms(cpu.ruled, cpu.sale),
      )
      table.info(
        '  the same over one of three columns',
        cpu.sale / cpu.three,
        ms(cpu.sale, cpu.three),
      )
    }
    table.atMost(
      'sale p50 by npm start / by the bundles behind the router',
      p50.npmStart / p50.bundles,
      1.2,
      ms(p50.npmStart, p50.bundles),
    )
    table.atLeast(
      'sales per second by npm start / by the bundles, eight callers',
      rates.npmStart / rates.bundles,
      0.85,
      rate(rates.npmStart, rates.bundles),
    )
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

const call = async (callers: (() => ReturnType<typeof post>)[], caller: number) => {
  const answer = await callers[caller]?.()
  if (!answer) throw new Error(`There is no caller ${caller}.`)
  return answer
}
