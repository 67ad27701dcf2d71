import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readIfThere } from '../files.ts'
import { HOST } from '../ports.ts'
import { endWithNode } from '../watchdog.ts'
import { type Cluster, lastLines, programOptions } from './cluster.ts'

// A checkpoint on a slow disk may take seconds. A server that takes longer hangs, and gets the next
// stronger signal.
const STOP_DEADLINE_MS = 20_000

// Enough for crash recovery, which replays a gigabyte of WAL at most.
const START_DEADLINE_MS = 60_000

// Ten free ports taken in a row is no coincidence.
const START_ATTEMPTS = 10

// Larger than the log of any single run, and small enough to open in an editor.
const MAX_LOG_BYTES = 10 * 1024 * 1024

/** A running server. `ended` resolves with the signal or exit code, also after `stop`. */
export type Server = { port: number; ended: Promise<string>; stop: () => Promise<void> }

type Options = {
  /** The port of a server that is started again, which its clients know. By default a free one. */
  port?: number
  /** Ends the start. */
  signal?: AbortSignal
}

/**
 * Starts the server on a free port. Tries another one if Postgres finds it taken.
 *
 * @returns once it accepts connections; `stop` may be called more than once
 */
export const startServer = async (cluster: Cluster, options: Options = {}): Promise<Server> => {
  const logFile = join(cluster.dataDir, 'postgres.log')
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted()
    const port = options.port ?? (await findFreePort())
    const logSize = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
    const logFd = openSync(logFile, logSize > MAX_LOG_BYTES ? 'w' : 'a')
    const server = spawn(
      join(cluster.programs, 'bin', 'postgres'),
      serverArguments(cluster, port),
      {
        ...programOptions(cluster, cluster.clusterDir),
        // Its own process group: Ctrl-C reaches only Node, which stops everything in order.
        detached: true,
        stdio: ['ignore', logFd, logFd],
      },
    )
    closeSync(logFd)
    // If the watchdog fails, the next start finds the orphaned server.
    if (server.pid !== undefined) server.once('exit', endWithNode([server.pid], 'INT'))
    const ended = untilEnded(server)
    const stop = stopper(server, ended)
    const abort = () => void stop()
    options.signal?.addEventListener('abort', abort)
    const failure = await untilReady(server, cluster.clusterDir)
    options.signal?.removeEventListener('abort', abort)
    if (!failure) return { port, ended, stop }

    await stop()
    const said = readFileSync(logFile)
      .subarray(logSize > MAX_LOG_BYTES ? 0 : logSize)
      .toString()
    // Processes of a killed server may still be ending when the next one starts.
    const isTransient = /Address already in use|pre-existing shared memory block/.test(said)
    if (!isTransient || attempt === START_ATTEMPTS) {
      throw new Error(
        `Postgres did not start: ${failure}. ${logFile} ends with:\n${lastLines(said)}`,
      )
    }
    await sleep(200)
  }
}

const serverArguments = ({ clusterDir, durable }: Cluster, port: number): string[] => {
  const settings = {
    port,
    listen_addresses: HOST,
    // No socket: its path is limited to 107 bytes, and a data folder's may be longer.
    unix_socket_directories: '',
    // Each role has a pool of its own: see sql-endpoint/runner.ts. Tests have many databases in one
    // server.
    max_connections: durable ? 200 : 600,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return [
    '-D',
    clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

const findFreePort = async (): Promise<number> => {
  const probe = createServer().listen(0, HOST)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1.')
  return address.port
}

/**
 * Waits until the server's pid file says that it accepts connections.
 * @returns the reason if it never does
 */
const untilReady = async (
  server: ChildProcess,
  clusterDir: string,
): Promise<string | undefined> => {
  let failure: string | undefined
  server.once('error', (error) => {
    failure = error.message
  })
  server.once('exit', (code, signal) => {
    failure = `it ended with ${signal ?? `code ${code}`}`
  })
  for (const deadline = Date.now() + START_DEADLINE_MS; Date.now() < deadline; await sleep(10)) {
    if (failure) return failure
    const [pid, , , , , , , status] =
      readIfThere(join(clusterDir, 'postmaster.pid'))?.split('\n') ?? []
    if (Number(pid) === server.pid && status?.trim() === 'ready') return undefined
  }
  return `it was not ready after ${START_DEADLINE_MS / 1000} seconds`
}

/** @returns the signal or the exit code with which it ended, or the reason why it never ran */
const untilEnded = (server: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    server.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    server.once('error', (error) => resolve(error.message))
  })

const stopper = (server: ChildProcess, gone: Promise<unknown>): (() => Promise<void>) => {
  const stop = async () => {
    // Fast shutdown, then immediate shutdown, then kill.
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      server.kill(signal)
      const late = sleep(STOP_DEADLINE_MS, 'late', { ref: false })
      if ((await Promise.race([gone, late])) !== 'late') return
    }
  }
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= stop()
    return stopping
  }
}
