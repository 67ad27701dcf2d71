import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.ts'
import { ROOT } from '../root.ts'
import { type Bundles, endBuilds } from './bundles.ts'
import type { Mending } from './workerd.ts'
import { type Settings, startWorkers } from './workers.ts'

/** Workers that are replaced without downtime. */
export type LiveWorkers = {
  takeLogs: () => string[]
  runCron: (env: string) => Promise<void>
  /** Starts Workers from the current source, then stops the old ones. Keeps the old ones if the start fails. */
  replace: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts the Workers. @param onUp called with their URL after the start and each replacement */
export const startLiveWorkers = async (
  settings: Settings,
  bundles: Bundles,
  onUp: (url: URL) => void,
  mending: Mending,
): Promise<LiveWorkers> => {
  let workers = await startWorkers(settings, bundles, mending)
  onUp(workers.url)
  return {
    takeLogs: () => workers.takeLogs(),
    runCron: (env) => workers.runCron(env),
    replace: async () => {
      const old = workers
      workers = await startWorkers(settings, undefined, mending)
      onUp(workers.url)
      await old.stop()
    },
    stop: () => workers.stop(),
  }
}

/** Changes within this time count as one save: editors write in several steps, branch switches change many files. */
const BURST_MS = 200

/** Rebuilds and reloads after each save, one reload at a time. */
export const reloadOnSave = (workers: LiveWorkers, updateDatabase: () => Promise<void>): void => {
  let timer: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  const reload = async () => {
    const start = Date.now()
    try {
      await build()
      await updateDatabase()
      await workers.replace()
      console.log(`Reloaded in ${Date.now() - start} ms.`)
    } catch (error) {
      console.error(`Reload failed; the previous version keeps running. ${(error as Error).message}`)
    } finally {
      await endBuilds()
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
    ['functions/{,*/}', 'lib/{,*/,*/*/}', 'snippet/', 'islands/{,*/,*/*/}', 'migrations/'],
    { cwd: ROOT },
  )
  for (const folder of folders) watch(join(ROOT, folder), changed)
  watch(ROOT, (_, file) => {
    if (['schema.sql', 'roles.sql', 'wrangler.toml'].includes(file ?? '')) changed()
  })
}
