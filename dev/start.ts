/**
 * `npm start`: the whole system on one machine. With --watch it reloads on save (`npm run dev`).
 */
import { Session } from 'node:inspector/promises'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { ROOT } from './root.ts'
import { makeDataDir } from './runtime/files.ts'
import { startProxy } from './runtime/proxy.ts'

const port = (variable: string, otherwise: number): number => {
  const value = process.env[variable] || String(otherwise)
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error(
      `${variable}=${value} is not a port. Use a number from 0 to 65535; 0 means any free port.`,
    )
  }
  return Number(value)
}

/**
 * Everything started so far. Stopped in reverse order, so that nothing loses what it depends on.
 */
const running: { name: string; stop: () => Promise<void> }[] = []
let stopping = false

const keep = <T extends { stop: () => Promise<void> }>(name: string, part: T): T => {
  running.push({ name, stop: part.stop })
  return part
}

/** What ends by itself is started again, unless that doesn't help. */
const mending = {
  onLog: console.log,
  onGiveUp: (error: Error) => {
    if (stopping) return
    console.error(`\nTributary has stopped. ${error.message}`)
    void stopAndExit(1)
  },
}

const start = async (): Promise<void> => {
  const dataDir = makeDataDir(resolve(process.env.DATA_DIR || join(ROOT, '.data')))

  // Ports first: finding out whether they are free is quickest, and the rest takes a second to
  // load.
  const proxy = keep('HTTP proxy', await startProxy(port('PORT', 8787)))
  const shopPort = port('SHOP_PORT', 8788)
  enableCompileCache(join(ROOT, 'node_modules/.cache/node-compile'))
  const { startShop } = await import('./demo/shop/server.ts')
  const shop = keep('Demo shop', await startShop(shopPort))
  console.log('Starting Postgres, the Workers and the demo shop. This takes a few seconds.')
  const { startParts } = await import('./system.ts')
  await startParts({ dataDir, proxy, shop, keep, mending })
  await collectGarbage()
}

/**
 * Miniflare leaves 300 MB of buffers behind when it has started workerd. V8 would collect them when
 * it needs more memory, which a system that only passes requests on never does.
 */
const collectGarbage = async (): Promise<void> => {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}

const stopAndExit = async (exitCode: number): Promise<never> => {
  stopping = true
  for (const { name, stop } of running.splice(0).reverse()) {
    await stop().catch((error: Error) =>
      console.error(`${name} did not stop cleanly: ${error.message}`),
    )
  }
  process.exit(exitCode)
}

const stopOnSignal = (): void => {
  // The terminal signals npm and its children, and npm forwards the signal: ignore repeats.
  if (stopping) return
  console.log('\nStopping.')
  void stopAndExit(0)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of SIGNALS) process.on(signal, stopOnSignal)

// Miniflare adds signal handlers at each reload, which would exit before Postgres has stopped:
// remove them.
process.on('newListener', (event, listener) => {
  if (SIGNALS.some((signal) => signal === event))
    queueMicrotask(() => process.removeListener(event, listener))
})

try {
  await start()
} catch (error) {
  if (!stopping) {
    console.error(`\nTributary did not start. ${(error as Error).message}`)
    await stopAndExit(1)
  }
}
