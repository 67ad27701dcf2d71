/** What it costs that the reports of a batch are on the disk before they are answered. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { applySchema } from '../cli/schema.ts'
import { startPostgres } from '../dev/runtime/postgres.ts'
import { startSqlEndpoint } from '../dev/runtime/sql-endpoint.ts'
import type { Bench } from './bench.ts'
import { interleave, post } from './measure.ts'
import { createMerchant, newClick, newSale } from './merchant.ts'
import { startBenchWorkers } from './workers.ts'

/** The limit of a batch. */
const REPORTS = 500
const ROUNDS = { warmUp: 2, measured: 9 }

/**
 * Databases of one server, and how their commits wait. `slow` takes as long as a disk, or a quorum,
 * that is 3 ms away.
 */
const SETTINGS = {
  flushed: [],
  unflushed: ['synchronous_commit = off'],
  slow: ['commit_delay = 3000', 'commit_siblings = 0'],
}

const NAMES = ['flushed', 'unflushed', 'slow'] as const

/** A server that flushes, with a database for each. */
const startFlushing = async (bench: Bench) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-batches-'))
  bench.keep({ stop: () => rm(dataDir, { recursive: true, force: true }) })
  const postgres = await startPostgres({ dataDir, durable: true })
  bench.keep({ stop: () => rm(postgres.clusterDir, { recursive: true, force: true }) })
  bench.keep(postgres)
  const { url } = bench.keep(await startSqlEndpoint({ databaseUrl: postgres.databaseUrl }))
  const client = new pg.Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  const merchants = []
  for (const name of NAMES) {
    await client.query(`create database ${name}`)
    for (const setting of SETTINGS[name])
      await client.query(`alter database ${name} set ${setting}`)
    const DATABASE_URL = postgres.databaseUrl.replace(/[^/]+$/, name)
    await applySchema(DATABASE_URL)
    merchants.push(await createMerchant({ DATABASE_URL, SQL_ENDPOINT: url }))
  }
  await client.end()
  return merchants
}

/**
 * Sends batches of sales to new customers, one after the other. Prints the reports per second of
 * each database.
 */
export const measureBatches = async (bench: Bench): Promise<void> => {
  const merchants = [...(await startFlushing(bench)), await bench.empty()]
  const scripts = await bench.bundles()
  const call = async (place: number) => {
    const merchant = merchants[place]
    if (!merchant) throw new Error('A database is missing.')
    const { urls } = bench.keep(
      await startBenchWorkers(
        ['track-click', 'track-batch'].map((name) => ({
          name,
          script: scripts[name] ?? '',
          bindings: merchant.bindings,
          zone: 'track' as const,
          limit: 'memory' as const,
        })),
      ),
    )
    const [clicks, batches] = [urls.get('track-click'), urls.get('track-batch')]
    if (!clicks || !batches) throw new Error('A Worker was not started.')
    const clickId = await newClick(clicks, merchant)
    return async () => {
      const events = Array.from({ length: REPORTS }, () => ({ kind: 'sale', ...newSale(clickId) }))
      const answer = await post(new URL('/api/track/batch', batches), { events }, merchant.headers)
      const results = answer.body.results as { attributed?: boolean }[]
      if (!results.every(({ attributed }) => attributed))
        throw new Error('A report was not credited.')
      return answer
    }
  }
  const [flushed, unflushed, slow, withoutFsync] = await Promise.all([
    call(0),
    call(1),
    call(2),
    call(3),
  ])
  const ms = await interleave({ flushed, unflushed, slow, withoutFsync }, ROUNDS)
  const perSecond = (time: number) => Math.round((REPORTS * 1_000) / time)
  const compare = (what: string, bar: number | null, time: number, than: number) => {
    const detail = `${perSecond(time)} / ${perSecond(than)}`
    if (bar === null) bench.table.info(what, than / time, detail)
    else bench.table.atLeast(what, than / time, bar, detail)
  }
  compare(
    'reports per second in batches, flushed / if commits did not wait',
    0.8,
    ms.flushed,
    ms.unflushed,
  )
  compare('  with 3 ms for each flush', 0.6, ms.slow, ms.unflushed)
  compare('  with fsync / without', null, ms.flushed, ms.withoutFsync)
}
