import { spawnSync } from 'node:child_process'
import { linkSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../files.ts'

/**
 * Locks a data folder for this process.
 *
 * @returns releases the lock
 * @throws when another live process holds it
 */
export const lockDataDir = (dataDir: string): (() => void) => {
  const file = join(dataDir, 'owner.pid')
  const mark = `${process.pid} ${startOf(process.pid)}`

  // Written to another file and then linked, so that no reader sees a partial mark.
  const draft = `${file}.${process.pid}`
  const lock = () => {
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
    while (alreadyOurs || !lock()) {
      const holder = readIfThere(file)
      const pid = Number(holder?.split(' ')[0])
      const start = startOf(pid)
      // The pid may have been reused by another program, so the start time must match too.
      if (start !== undefined && holder === `${pid} ${start}`) {
        throw new Error(
          `DATA_DIR ${dataDir} is in use by process ${pid}. Stop that process, or choose another folder with DATA_DIR=...`,
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
 * Whether the server named in a cluster's postmaster.pid still runs although its data folder isn't
 * locked: the Node process that started it was killed. Removes a pid file whose pid was reused by
 * another program, because Postgres would refuse to start.
 */
export const hasOrphan = (clusterDir: string): boolean => {
  const file = join(clusterDir, 'postmaster.pid')
  const pid = Number(readIfThere(file)?.split('\n')[0])
  if (!pid || startOf(pid) === undefined) return false
  if (worksIn(pid, clusterDir)) return true
  rmSync(file, { force: true })
  return false
}

/** When a process started, in the system's notation; undefined if it has ended. */
const startOf = (pid: number): string | undefined => {
  if (process.platform !== 'linux') return ps(pid, 'lstart=')
  // After the program's name in brackets: the state, 18 more fields, the start. State Z is a
  // zombie.
  const [state, ...fields] = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? []
  return state === 'Z' ? undefined : fields[18]
}

/** Whether a process is the server of a cluster: servers run in its folder, even after a rename. */
const worksIn = (pid: number, clusterDir: string): boolean => {
  if (process.platform !== 'linux') return (ps(pid, 'command=') ?? '').includes(clusterDir)
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === clusterDir
  } catch {
    // Another user's process, or just ended.
    return false
  }
}

/**
 * One column of the process list, with dates independent of the terminal's locale and time zone.
 */
const ps = (pid: number, column: string): string | undefined => {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
  return (
    spawnSync('ps', ['-ww', '-o', column, '-p', `${pid}`], {
      encoding: 'utf8',
      env,
    }).stdout?.trim() || undefined
  )
}
