/** What the parts of the bench share. Each piece is built or started when a part first needs it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { applySchema } from '../cli/schema.ts'
import { type Bundles, bundleWorkers } from '../dev/runtime/bundles.ts'
import { startPostgres } from '../dev/runtime/postgres.ts'
import { startSqlEndpoint } from '../dev/runtime/sql-endpoint.ts'
import { createMerchant, type Merchant } from './merchant.ts'
import { createTable } from './table.ts'

const startedAt = performance.now()

/** Says on stderr what is being done, with the time since the start. */
export const say = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  console.error(`[${clock}] ${text}`)
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export const createBench = () => {
  const stops: (() => Promise<void> | void)[] = []

  const keep = <T extends { stop: () => Promise<void> | void }>(part: T): T => {
    stops.push(part.stop)
    return part
  }

  const server = once(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
    stops.push(() => rm(dataDir, { recursive: true, force: true }))
    const postgres = await startPostgres({ dataDir, durable: false })
    stops.push(() => rm(postgres.clusterDir, { recursive: true, force: true }), postgres.stop)
    const endpoint = await startSqlEndpoint({ databaseUrl: postgres.databaseUrl })
    stops.push(endpoint.stop)
    return { databaseUrl: postgres.databaseUrl, sqlEndpoint: endpoint.url }
  })

  /** A merchant in a database of its own, with the schema. */
  const merchantIn = async (database: string): Promise<Merchant> => {
    const { databaseUrl, sqlEndpoint } = await server()
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(`create database ${database}`)
    await client.end()
    const url = databaseUrl.replace(/[^/]+$/, database)
    await applySchema(url)
    return createMerchant({ DATABASE_URL: url, SQL_ENDPOINT: sqlEndpoint })
  }

  return {
    table: createTable(),
    /** The Workers as deployed, without the rate limiter's emulation. */
    bundles: once((): Promise<Bundles> => {
      say('Bundling the Workers.')
      return bundleWorkers()
    }),
    /** A merchant in a database with little else. */
    empty: once(() => merchantIn('empty')),
    /** The bindings of a database that is there already. */
    bindingsOf: async (databaseUrl: string) => ({
      DATABASE_URL: databaseUrl,
      SQL_ENDPOINT: keep(await startSqlEndpoint({ databaseUrl })).url,
    }),
    /** A new database, for a part that fills it. */
    merchantIn,
    /** Registers what is to be stopped at the end. */
    keep,
    stop: async () => {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

export type Bench = ReturnType<typeof createBench>
