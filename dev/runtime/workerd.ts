import { readFileSync } from 'node:fs'
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare'
import { countEnds, endsAgain } from './mend.ts'
import { childrenNamed, endWithNode } from './watchdog.ts'

/** A Worker, and what it is connected to. */
export type LocalWorker = {
  name: string
  /** Its bundle, as deployed. */
  script: string
  compatibilityDate: string
  compatibilityFlags?: string[]
  bindings?: Record<string, string>
  /** Other Workers, or one of their entrypoints, by binding. */
  services?: Record<string, string | { name: string; entrypoint: string }>
  /**
   * Rate limits by binding: calls of one key per period, in seconds. They are counted in memory, as
   * on Cloudflare.
   */
  limits?: Record<string, { limit: number; period: number }>
  /** A Worker that serves files. It is asked first. */
  files?: string
  /** More options of Miniflare. */
  options?: Record<string, unknown>
}

/**
 * V8 collects an isolate's garbage first when its heap has grown to a multiple of this, in MB. By
 * default each of the isolates, one per Worker, grows to some 300 MB before.
 */
const INITIAL_HEAP_MB = 8

/**
 * V8 collects an isolate's young objects whenever they fill this, in MB. They hold requests'
 * buffers outside of the heap, which V8 does not count: with its own 16 MB, workerd holds 100 MB
 * more after 12,000 sales, and grows on.
 */
const YOUNG_HEAP_MB = 4

/**
 * The port on which debuggers find the Workers of `INSPECT=9230 npm start`: see CONTRIBUTING.md.
 */
const { INSPECT } = process.env

const AROUND = readFileSync(new URL('around-worker.js', import.meta.url), 'utf8')

const toOptions = (worker: LocalWorker) => ({
  name: worker.name,
  modules: [
    { type: 'ESModule' as const, path: 'around-worker.js', contents: AROUND },
    { type: 'ESModule' as const, path: 'worker.js', contents: worker.script },
  ],
  compatibilityDate: worker.compatibilityDate,
  compatibilityFlags: worker.compatibilityFlags ?? [],
  bindings: { ...worker.bindings, LIMITS: worker.limits ?? {} },
  serviceBindings: {
    ...worker.services,
    ...(worker.files && { ASSETS: worker.files }),
    LOCAL: { network: { allow: ['local'] } },
  },
  unsafeDirectSockets: [{}],
  unsafeInspectorProxy: Boolean(INSPECT),
  ...worker.options,
})

/** A Worker that serves the files of a folder. */
export const fileWorker = (
  name: string,
  directory: string,
  compatibilityDate: string,
): LocalWorker => ({
  name,
  script: 'export default { fetch: () => new Response(null, { status: 404 }) }',
  compatibilityDate,
  options: { assets: { directory } },
})

/**
 * What happens to workerd after its start. Miniflare starts it again when it ends by itself, on the
 * same ports.
 */
export type Mending = {
  /** Receives a line when it was started again. */
  onLog: (line: string) => void
  /** Called when it can't be started again, or ends again and again. */
  onGiveUp: (error: Error) => void
}

/** Miniflare only logs that workerd did not start again. */
class RestartLog extends NoOpLog {
  readonly #onFailure: (error: Error) => void

  constructor(onFailure: (error: Error) => void) {
    super()
    this.#onFailure = onFailure
  }

  override error(error: Error): void {
    if ('code' in error && error.code === 'ERR_RUNTIME_FAILURE') this.#onFailure(error)
  }
}

/**
 * Starts Workers in one workerd: those of `npm start`, of the tests and of the bench.
 *
 * @param onLog receives what they log
 */
export const runWorkers = async (
  workers: LocalWorker[],
  onLog: (line: { level: string; message: string }) => void,
  mending: Mending = { onLog: () => {}, onGiveUp: () => {} },
) => {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= `--initial-old-space-size=${INITIAL_HEAP_MB} --max-semi-space-size=${YOUNG_HEAP_MB}`
  let cancelWatchdog = () => {}
  const watch = () => {
    cancelWatchdog()
    cancelWatchdog = endWithNode(childrenNamed('workerd'), 'KILL')
  }
  const backoff = countEnds()
  const restarted = () => {
    watch()
    // A start takes longer than the wait.
    if (backoff(Date.now()) === undefined) mending.onGiveUp(endsAgain('workerd', 'a crash'))
    else mending.onLog('workerd ended by itself. It runs again.')
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new RestartLog(mending.onGiveUp),
      handleStructuredLogs: onLog,
      unsafeHandleRuntimeRestart: restarted,
      ...(INSPECT && { inspectorPort: Number(INSPECT) }),
      workers: workers.map(toOptions),
    }),
  )
  const stop = async () => {
    await miniflare.dispose()
    cancelWatchdog()
  }
  try {
    await miniflare.ready
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
  watch()
  return {
    /** A Worker's URL, on a free local port, with nothing in between. */
    urlOf: (name: string): Promise<URL> => miniflare.unsafeGetDirectURL(name),
    /** A Worker's handlers. */
    workerOf: (name: string) => miniflare.getWorker(name),
    stop,
  }
}
