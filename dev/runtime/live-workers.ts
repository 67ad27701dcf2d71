import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { rebuildFiles } from '../prepare.ts'
import { ROOT } from '../root.ts'
import type { Bundles } from './bundles.ts'
import type { Mending } from './workerd.ts'
import { type Settings, startWorkers } from './workers.ts'

/** Workers that are replaced without downtime. */
export type LiveWorkers = {
  takeLogs: () => string[]
  runCron: (env: string) => Promise<void>
  /** Calls a function with the Workers' URL, now and after each replacement. */
  onUp: (listener: (url: URL) => void) => void
  /**
   * Starts Workers of other bundles, then stops the old ones. Keeps the old ones if the start
   * fails.
   */
  replace: (bundles: Bundles) => Promise<void>
  stop: () => Promise<void>
}

/** Starts the Workers. */
export const startLiveWorkers = async (
  settings: Settings,
  bundles: Bundles,
  mending: Mending,
): Promise<LiveWorkers> => {
  let workers = await startWorkers(settings, bundles, mending)
  let onUp = (_url: URL) => {}
  return {
    takeLogs: () => workers.takeLogs(),
    runCron: (env) => workers.runCron(env),
    onUp: (listener) => {
      onUp = listener
      onUp(workers.url)
    },
    replace: async (newBundles) => {
      const old = workers
      workers = await startWorkers(settings, newBundles, mending)
      onUp(workers.url)
      await old.stop()
    },
    stop: () => workers.stop(),
  }
}

/**
 * Changes within this time count as one save: editors write in several steps, branch switches
 * change many files.
 */
const BURST_MS = 200

/** Rebuilds and reloads after each save, one reload at a time. */
export const reloadOnSave = (workers: LiveWorkers, updateDatabase: () => Promise<void>): void => {
  let timer: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  const reload = async () => {
    const start = Date.now()
    try {
      const bundles = await rebuildFiles()
      await updateDatabase()
      await workers.replace(bundles)
      console.log(`Reloaded in ${Date.now() - start} ms.`)
    } catch (error) {
      console.error(
        `Reload failed; the previous version keeps running. ${(error as Error).message}`,
      )
    }
  }
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      reloading = reloading.then(reload)
    }, BURST_MS)
  }
  // One watcher per folder: Node's recursive watch loses files that an editor saves by renaming.
  const folders = globSync(
    [
      'functions/{,*/,*/*/}',
      'lib/{,*/,*/*/,*/*/*/}',
      'snippet/',
      'islands/{,*/,*/*/,*/*/*/}',
      'migrations/',
      'schema/',
    ],
    { cwd: ROOT },
  )
  for (const folder of folders) watch(join(ROOT, folder), changed)
  watch(ROOT, (_, file) => {
    if (['schema.sql', 'roles.sql', 'wrangler.toml'].includes(file ?? '')) changed()
  })
}
