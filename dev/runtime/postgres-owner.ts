import { spawnSync } from 'node:child_process'
import { linkSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from './files.ts'

/**
 * Marks a data folder as this process's, or throws when another live process has it.
 *
 * @returns gives the folder up again
 */
export const claimDataDir = (dataDir: string): (() => void) => {
  const file = join(dataDir, 'owner.pid')
  const mark = `${process.pid} ${startOf(process.pid)}`

  // Written beside its place and linked into it, so that nobody ever reads half a mark.
  const draft = `${file}.${process.pid}`
  const claim = () => {
    try {
      linkSync(draft, file)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  }

  const alreadyOurs = readIfThere(file) === mark
  if (!alreadyOurs) writeFileSync(draft, mark)
  try {
    while (alreadyOurs || !claim()) {
      const holder = readIfThere(file)
      const pid = Number(holder?.split(' ')[0])
      const start = startOf(pid)
      // A pid alone may have gone to another program since: its start must be the same too.
      if (start !== undefined && holder === `${pid} ${start}`) {
        throw new Error(
          `DATA_DIR ${dataDir} is in use by process ${pid}. Stop that first, or choose another folder with DATA_DIR=...`,
        )
      }
      rmSync(file, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readIfThere(file) === mark) rmSync(file, { force: true })
  }
}

/**
 * Whether the server that a cluster's postmaster.pid names still runs, though nobody has claimed the data folder:
 * the Node process that started it was killed. A pid that went to another program is removed, as Postgres would
 * take that for a running server and refuse to start.
 */
export const hasOrphan = (clusterDir: string): boolean => {
  const file = join(clusterDir, 'postmaster.pid')
  const pid = Number(readIfThere(file)?.split('\n')[0])
  if (!pid || startOf(pid) === undefined) return false
  if (worksIn(pid, clusterDir)) return true
  rmSync(file, { force: true })
  return false
}

/** When a process started, in the system's own notation; undefined for one that is gone. */
const startOf = (pid: number): string | undefined => {
  if (process.platform !== 'linux') return ps(pid, 'lstart=')
  // After the program's name in brackets come the state and 18 more fields, then the start. Z is dead, not yet buried.
  const [state, ...fields] = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? []
  return state === 'Z' ? undefined : fields[18]
}

/** Whether a process is the server of a cluster. Servers work in their folder, even when it was renamed since. */
const worksIn = (pid: number, clusterDir: string): boolean => {
  if (process.platform !== 'linux') return (ps(pid, 'command=') ?? '').includes(clusterDir)
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir
  } catch {
    // Another user's process, or gone in this moment.
    return false
  }
}

/** One column of the process list; dates in it must not depend on whose terminal asks. */
const ps = (pid: number, column: string): string | undefined => {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
  return (
    spawnSync('ps', ['-ww', '-o', column, '-p', `${pid}`], { encoding: 'utf8', env }).stdout?.trim() ||
    undefined
  )
}
