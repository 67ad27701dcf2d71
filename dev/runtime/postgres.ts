import pg from 'pg'
import { cannotWrite, isDenied, makeDataDir } from './files.ts'
import { HOST } from './ports.ts'
import { type Cluster, ensureCluster, NAME, stopOrphan } from './postgres/cluster.ts'
import { chooseClusterDir, clusterPlaces, findOtherUser, findPrograms } from './postgres/host.ts'
import { hasOrphan, lockDataDir } from './postgres/owner.ts'
import { startServer } from './postgres/server.ts'

/** A running server. */
export type Postgres = {
  databaseUrl: string
  port: number
  /** Where its data is: in the data folder, or outside it when root runs it and other users can't enter that folder. */
  clusterDir: string
  stop: () => Promise<void>
}

/**
 * Starts the embedded Postgres on a data folder, which is created on first use and kept.
 * Throws an Error that says what to do.
 *
 * ```ts
 * const postgres = await startPostgres({ dataDir: '.data', durable: true, onLog: console.log })
 * // ... postgres.databaseUrl ...
 * await postgres.stop()
 * ```
 *
 * @param durable false in tests: faster, but a power failure may corrupt the data
 * @param onLog   receives messages for the user, such as where the data is if not in the data folder
 */
export const startPostgres = async (options: {
  dataDir: string
  durable: boolean
  onLog?: (line: string) => void
}): Promise<Postgres> => {
  const log = options.onLog ?? (() => {})
  const dataDir = makeDataDir(options.dataDir)
  const release = lockDataDir(dataDir)
  try {
    const { inside, outside } = clusterPlaces(dataDir)
    const user = findOtherUser([inside, outside])
    const programs = findPrograms(user, log)
    const clusterDir = chooseClusterDir(dataDir, user, log)
    const cluster = { dataDir, clusterDir, programs, user, durable: options.durable }

    if (hasOrphan(clusterDir)) {
      log('Stopping a Postgres server left running by an earlier run.')
      await stopOrphan(cluster)
    }
    const { databaseUrl, port, stop } = await startDatabase(cluster, log)
    return { databaseUrl, port, clusterDir, stop: () => stop().finally(release) }
  } catch (error) {
    release()
    throw isDenied(error) ? cannotWrite(dataDir, error) : error
  }
}

const startDatabase = async (cluster: Cluster, log: (line: string) => void) => {
  const password = await ensureCluster(cluster)
  const { child, port, stop } = await startServer(cluster)
  try {
    await ensureDatabase({ host: HOST, port, user: NAME, password })
  } catch (error) {
    await stop()
    throw error
  }

  let stopping = false
  child.once('exit', () => {
    if (!stopping) log(`Postgres stopped unexpectedly. See ${cluster.dataDir}/postgres.log.`)
  })
  return {
    databaseUrl: `postgresql://${NAME}:${password}@${HOST}:${port}/${NAME}`,
    port,
    stop: () => {
      stopping = true
      return stop()
    },
  }
}

const ensureDatabase = async (login: pg.ClientConfig) => {
  const client = new pg.Client({ ...login, database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [NAME])
    if (rowCount === 0) await client.query(`create database ${NAME}`)
  } finally {
    await client.end()
  }
}
