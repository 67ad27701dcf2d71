import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { type Postgres, startPostgres } from '../../dev/runtime/postgres.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import { childrenNamed } from '../../dev/runtime/watchdog.ts'
import type { Settings, Workers } from '../../dev/runtime/workers.ts'
import { copyCluster } from './clusters.ts'
import { startOwnWorkers } from './workers.ts'

/**
 * Keeps Postgres from writing to the disk what no commit waits for: then a kill loses it for
 * certain, and not only where it comes within the fifth of a second after which the WAL writer
 * would have written it.
 */
const leaveUnflushed = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query("alter system set wal_writer_delay = '10s'")
  await client.query("alter system set wal_writer_flush_after = '1GB'")
  await client.query('select pg_reload_conf()')
  await client.end()
}

/**
 * A Postgres with fsync on, and Workers connected to it. Either can be killed as by a power cut.
 * Called once by a test file, at its top.
 *
 * @param envs the Workers that its tests need, besides the router
 * @param settings more settings of the Workers, read when they start
 */
export const useDurable = (
  envs: string[],
  settings: () => Partial<Settings> | Promise<Partial<Settings>> = () => ({}),
) => {
  let dataDir: string
  let postgres: Postgres
  let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
  let workers: Workers

  const database = () => ({ DATABASE_URL: postgres.databaseUrl, SQL_ENDPOINT: endpoint.url })
  const listen = async (port?: number) => {
    const { databaseUrl } = postgres
    endpoint = await startSqlEndpoint({
      databaseUrl,
      keepPlans: true,
      ...(port !== undefined && { port }),
    })
  }
  const start = async () => startOwnWorkers(envs, { ...database(), ...(await settings()) })

  beforeAll(async () => {
    dataDir = await mkdtemp(join(inject('folder'), 'crash-'))
    await chmod(dataDir, 0o755)
    copyCluster(dataDir)
    postgres = await startPostgres({ dataDir, durable: true })
    await applySchema(postgres.databaseUrl)
    await leaveUnflushed(postgres.databaseUrl)
    await listen()
    workers = await start()
  })
  afterAll(async () => {
    // Last first. Each ends though another one fails.
    await using started = new AsyncDisposableStack()
    started.defer(() => rm(dataDir, { recursive: true, force: true }))
    started.defer(() => postgres && rm(postgres.clusterDir, { recursive: true, force: true }))
    started.defer(() => postgres?.stop())
    started.defer(() => endpoint?.stop())
    started.defer(() => workers?.stop())
  })

  const killPostgres = async () => {
    const [pid] = (await readFile(join(postgres.clusterDir, 'postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
    await postgres.stop()
  }
  const restartPostgres = async () => {
    postgres = await startPostgres({ dataDir, durable: true })
  }
  const portOf = () => Number(new URL(endpoint.url).port)

  return {
    database,
    baseUrl: () => workers.url.origin,
    workers: () => workers,
    /** Kills Postgres. @returns how to restart it behind the same endpoint */
    killPostgres: async () => {
      await killPostgres()
      return async () => {
        await endpoint.stop()
        await restartPostgres()
        await listen(portOf())
      }
    },
    /**
     * Kills Postgres as a power cut does that takes the Workers too: they reach it no more, so that
     * none repeats what it had sent. Starts Postgres again.
     *
     * @returns how to connect the Workers to it
     */
    cutPower: async () => {
      await killPostgres()
      await endpoint.stop()
      await restartPostgres()
      return () => listen(portOf())
    },
    /** Kills all Workers. @returns how to restart them, at another address */
    killWorkers: async () => {
      for (const pid of childrenNamed('workerd')) process.kill(pid, 'SIGKILL')
      return async () => {
        await workers.stop().catch(() => {})
        workers = await start()
      }
    },
  }
}
