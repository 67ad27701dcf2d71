import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, globSync, rmSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { startPostgres } from '../../dev/runtime/postgres.ts'

/**
 * Files in memory, where Linux has them. A new cluster is 1,300 files, and a database 400: on a
 * disk, their creation takes more CPU time than initdb itself. What a killed process wrote is there
 * as on a disk.
 */
const MEMORY = '/dev/shm'

/** The suite's databases and their write-ahead log take about 2 GB. */
const ENOUGH_BYTES = 6 * 1024 ** 3

const NAME = 'tributary-test-'

const hasRoom = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ENOUGH_BYTES
  } catch {
    return false
  }
}

/** Removes the folders of killed runs, which would keep their memory. */
const removeOrphans = (): void => {
  for (const folder of globSync(join(MEMORY, `${NAME}*`))) {
    const pid = folder.slice(join(MEMORY, NAME).length).split('-')[0]
    if (existsSync('/proc/self') && !existsSync(`/proc/${pid}`))
      rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Creates the folder of this run, which every user can enter, as Postgres' may be another than
 * root.
 */
export const makeTestFolder = async (): Promise<string> => {
  removeOrphans()
  const parent = hasRoom(MEMORY) ? MEMORY : await realpath(tmpdir())
  const folder = await mkdtemp(join(parent, `${NAME}${process.pid}-`))
  await chmod(folder, 0o755)
  return folder
}

/**
 * Creates a data folder whose new cluster is then copied. Without autovacuum: each time that it
 * analyzes a table, every connection plans anew what it knows of it, and statements are planned now
 * with statistics, now without. Without processes that read files, which are in memory.
 */
export const createClusterToCopy = async (dataDir: string): Promise<void> => {
  const postgres = await startPostgres({ dataDir, durable: false })
  const client = new pg.Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  await client.query('alter system set autovacuum = off')
  await client.query('alter system set io_method = sync')
  await client.end()
  await postgres.stop()
}

/** Fills an empty data folder, which every user can enter, as a first start does. */
export const copyCluster = (dataDir: string, from = join(inject('folder'), 'new')): void => {
  // cp keeps the files' owner, which fs.cp does not.
  execFileSync('cp', ['-Rp', join(from, 'postgres'), join(from, 'postgres.password'), dataDir])
}
