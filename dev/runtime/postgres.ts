import pg from 'pg'
import { cannotWrite, isDenied, makeDataDir } from './files.ts'
import { HOST } from './ports.ts'
import { type Cluster, ensureCluster, NAME, stopOrphan } from './postgres-cluster.ts'
import { chooseClusterDir, clusterPlaces, findOtherUser, findPrograms } from './postgres-host.ts'
import { claimDataDir, hasOrphan } from './postgres-owner.ts'
import { startServer } from './postgres-server.ts'

/** A running server, and what to know to use it. */
export type Postgres = {
  databaseUrl: string
  port: number
  /** Where its data is: in the data folder, or outside when root runs it in a folder that is closed to others. */
  clusterDir: string
  stop: () => Promise<void>
}

/**
 * Starts the embedded Postgres over a data folder, which is made on first use and kept.
 * Throws an Error that says what to do when it can't.
 *
 * ```ts
 * const postgres = await startPostgres({ dataDir: '.data', durable: true, onLog: console.log })
 * // ... postgres.databaseUrl ...
 * await postgres.stop()
 * ```
 *
 * @param durable false in tests: faster, but a power cut may ruin the data
 * @param onLog   hears what a user should know, such as data that isn't in the data folder
 */
export const startPostgres = async (options: {
  dataDir: string
  durable: boolean
  onLog?: (line: string) => void
}): Promise<Postgres> => {
  const log = options.onLog ?? (() => {})
  const dataDir = makeDataDir(options.dataDir)
  const release = claimDataDir(dataDir)
  try {
    const { inside, outside } = clusterPlaces(dataDir)
    const user = findOtherUser([inside, outside])
    const programs = findPrograms(user, log)
    const clusterDir = chooseClusterDir(dataDir, user, log)
    const cluster = { dataDir, clusterDir, programs, user, durable: options.durable }

    if (hasOrphan(clusterDir)) {
      log('Stopping the Postgres that an earlier run left behind.')
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
    if (!stopping) log(`Postgres ended by itself; ${cluster.dataDir}/postgres.log says why.`)
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
