import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Demo } from '../../dev/demo/demo.ts'
import { ROOT } from '../../dev/root.ts'
import { endWithNode } from '../../dev/runtime/watchdog.ts'

export type System = {
  demo: Demo
  pid: number
  /** Stops it as Ctrl-C does. @returns the exit code; -1 when it was killed */
  stop: () => Promise<number>
  /** Its output so far. */
  output: () => string
}

/** A first start creates a database and builds every Worker, possibly on a busy machine. */
const START_TIMEOUT_MS = 180_000

/**
 * Printed after demo.json is written. An older demo.json may be left from a run that was killed.
 */
const READY = 'Tributary is running.'

/**
 * A folder that Postgres can enter when it runs as another user than root, so that removing it
 * removes the data too.
 */
const makeDataDir = async (): Promise<string> => {
  const dataDir = await mkdtemp(join(await realpath(tmpdir()), 'tributary-system-'))
  await chmod(dataDir, 0o755)
  return dataDir
}

/**
 * Starts the whole system as `npm start` does, on free ports, and waits until it is ready.
 *
 * @param env replaces PORT, SHOP_PORT or DATA_DIR, or adds to them. A DATA_DIR given here is kept
 *   at the end.
 *
 * @example
 * ```ts
 * const system = await startSystem()
 * await fetch(`${system.demo.baseUrl}/openapi.json`)
 * expect(await system.stop()).toBe(0)
 * ```
 */
export const startSystem = async (env: Record<string, string> = {}): Promise<System> => {
  const dataDir = env.DATA_DIR ?? (await makeDataDir())
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: '',
      DEMO_YEAR: 'off',
      PORT: '0',
      SHOP_PORT: '0',
      DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Not even the end of a killed run leaves it running.
  if (child.pid !== undefined) child.once('exit', endWithNode([child.pid], 'INT'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? -1)

  const stop = async (): Promise<number> => {
    child.kill('SIGINT')
    const code = await ended
    if (!env.DATA_DIR) await rm(dataDir, { recursive: true, force: true })
    return code
  }

  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    if (output.includes(READY)) {
      const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo
      return { demo, pid: child.pid ?? 0, stop, output: () => output }
    }
    await pause(50)
  }
  await stop()
  throw new Error(`The system did not start. It printed:\n${output}`)
}

/** Runs `npm start`'s program until it exits. */
export const runToEnd = async (env: Record<string, string>) => {
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', DEMO_YEAR: 'off', PORT: '0', SHOP_PORT: '0', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const [code] = await once(child, 'exit')
  return { code, output }
}
