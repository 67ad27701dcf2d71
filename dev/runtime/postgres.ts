import pg from 'pg'
import { cannotWrite, isDenied, makeDataDir } from './files.ts'
import { keepRunning } from './mend.ts'
import { HOST } from './ports.ts'
import { type Cluster, ensureCluster, NAME, stopOrphan } from './postgres/cluster.ts'
import { chooseClusterDir, clusterPlaces, findOtherUser, findPrograms } from './postgres/host.ts'
import { hasOrphan, lockDataDir } from './postgres/owner.ts'
import { type Server, startServer } from './postgres/server.ts'

type OnGiveUp = (error: Error) => void

/** A running server. */
export type Postgres = {
  databaseUrl: string
  port: number
  /**
   * Where its data is: in the data folder, or outside it when root runs it and other users can't
   * enter that folder.
   */
  clusterDir: string
  stop: () => Promise<void>
}

/**
 * Starts the embedded Postgres on a data folder, which is created on first use and kept. Throws an
 * Error that says what to do.
 *
 * ```ts
 * const postgres = await startPostgres({ dataDir: '.data', durable: true, onLog: console.log })
 * // ... postgres.databaseUrl ...
 * await postgres.stop()
 * ```
 *
 * @param durable false in tests: faster, but a power failure may corrupt the data
 * @param onLog   receives messages for the user, such as where the data is if not in the data
 *   folder
 * @param onGiveUp if given, a server that ends by itself is started again on the same port. Called
 *   with the reason when it ends again and again
 */
export const startPostgres = async (options: {
  dataDir: string
  durable: boolean
  onLog?: (line: string) => void
  onGiveUp?: OnGiveUp
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
    const { databaseUrl, port, stop } = await startDatabase(cluster, log, options.onGiveUp)
    return { databaseUrl, port, clusterDir, stop: () => stop().finally(release) }
  } catch (error) {
    release()
    throw isDenied(error) ? cannotWrite(dataDir, error) : error
  }
}

const startDatabase = async (
  cluster: Cluster,
  log: (line: string) => void,
  onGiveUp?: OnGiveUp,
) => {
  const password = await ensureCluster(cluster)
  const server = await startServer(cluster)
  const { port } = server
  try {
    await ensureDatabase({ host: HOST, port, user: NAME, password })
  } catch (error) {
    await server.stop()
    throw error
  }
  const databaseUrl = `postgresql://${NAME}:${password}@${HOST}:${port}/${NAME}`
  const logFile = `${cluster.dataDir}/postgres.log`
  if (!onGiveUp) return { databaseUrl, port, stop: logEnd(server, logFile, log) }

  const stop = keepRunning('Postgres', server, {
    startAgain: async (signal) => {
      // The pid of a killed server may belong to another program by now.
      if (hasOrphan(cluster.clusterDir)) await stopOrphan(cluster)
      return startServer(cluster, { port, signal })
    },
    onLog: (line) => log(`${line} See ${logFile}.`),
    onGiveUp,
  })
  return { databaseUrl, port, stop }
}

const logEnd = ({ ended, stop }: Server, logFile: string, log: (line: string) => void) => {
  let stopping = false
  void ended.then(() => {
    if (!stopping) log(`Postgres stopped unexpectedly. See ${logFile}.`)
  })
  return () => {
    stopping = true
    return stop()
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
