/**
 * `npm start` in a folder of its own, as a user would run it, for calls through its public port.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Demo } from '../dev/demo/demo.ts'
import { ROOT } from '../dev/root.ts'
import { endWithNode } from '../dev/runtime/watchdog.ts'

/** The first start creates the database; on a slow machine that takes a while. */
const READY_MS = 120_000

/**
 * Lets commits of the cluster not wait for the disk, as in the other parts of the bench: a flush
 * takes as long as the machine's disk needs, and the floors make none.
 *
 * @returns where the cluster is: outside the data folder if root runs it
 */
const prepareCluster = async (databaseUrl: string): Promise<string> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('alter system set synchronous_commit = off')
  await client.query('select pg_reload_conf()')
  const { rows } = await client.query<{ dir: string }>(
    `select current_setting('data_directory') as dir`,
  )
  await client.end()
  return rows[0]?.dir ?? ''
}

/** Starts the system on a data folder, on free ports. */
export const startOn = async (dataDir: string) => {
  const start = performance.now()
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PORT: '0',
      SHOP_PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      DEMO_YEAR: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { pid = 0 } = child
  const cancelWatchdog = endWithNode([pid], 'INT')
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('npm start did not get ready.')), READY_MS)
    child.once('exit', (code) => reject(new Error(`npm start ended with code ${code}.`)))
    child.stdout.on('data', (text: Buffer) => {
      if (!text.includes('Tributary is running.')) return
      clearTimeout(timer)
      resolve()
    })
  })
  const readyMs = performance.now() - start
  const demo: Demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
  return {
    demo,
    pid,
    readyMs,
    stop: async () => {
      child.kill('SIGINT')
      await ended
      cancelWatchdog()
    },
  }
}

/** Starts the system on a new data folder, which `stop` removes. */
export const startFresh = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
  const system = await startOn(dataDir)
  const clusterDir = await prepareCluster(system.demo.databaseUrl)
  return {
    ...system,
    dataDir,
    /** Stops the system, and keeps its data. */
    pause: system.stop,
    stop: async () => {
      await system.stop()
      await rm(clusterDir, { recursive: true, force: true })
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
