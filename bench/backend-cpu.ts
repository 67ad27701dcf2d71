/** The CPU time that a Postgres server on this machine spends on its clients. */
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

/** The unit of the times in /proc, on every Linux that we know. */
const TICK_MS = 10

/**
 * The fields of /proc/<pid>/stat after the name, which may contain spaces; undefined for a process
 * that has ended.
 */
const statOf = (pid: number): string[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** A backend's title names its client: `postgres: user database 127.0.0.1(40000) idle`. */
const isClientBackend = (pid: number): boolean => {
  try {
    return /^postgres: .*\(\d+\)/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}

/** CPU milliseconds of each client's backend since it started, by process id. */
type Snapshot = Map<number, number>

/**
 * Reads the CPU time of the backends of one server, by its process ids in /proc.
 *
 * @returns null where there is no /proc (macOS, Windows)
 */
export const watchBackends = async (databaseUrl: string) => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parent = statOf(rows[0]?.pid ?? 0)?.[1]
  await client.end()
  if (parent === undefined) return null

  const snapshot = (): Snapshot => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const backends = new Map<number, number>()
    for (const pid of pids.map(Number)) {
      const stat = statOf(pid)
      if (stat?.[1] !== parent || !isClientBackend(pid)) continue
      backends.set(pid, (Number(stat[11]) + Number(stat[12])) * TICK_MS)
    }
    return backends
  }
  /**
   * The milliseconds of all backends between two snapshots. Backends that ended in between are left
   * out.
   */
  const between = (before: Snapshot, after: Snapshot): number =>
    [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
  return { snapshot, between }
}

export type Backends = NonNullable<Awaited<ReturnType<typeof watchBackends>>>
