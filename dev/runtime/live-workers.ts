import { globSync, watch } from 'node:fs'
import { join } from 'node:path'
import { build } from '../build.ts'
import { ROOT } from '../root.ts'
import { type Settings, startWorkers } from './workers.ts'

/** Workers that can be replaced while requests come in. */
export type LiveWorkers = {
  takeLogs: () => string[]
  runCron: (env: string) => Promise<void>
  /** Starts the source as it is now. The old ones go when the new ones are up, and stay when those fail. */
  replace: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts the Workers. @param onUp hears where they are, at first and after each replacement */
export const startLiveWorkers = async (
  settings: Settings,
  onUp: (url: URL) => void,
): Promise<LiveWorkers> => {
  let workers = await startWorkers(settings)
  onUp(workers.url)
  return {
    takeLogs: () => workers.takeLogs(),
    runCron: (env) => workers.runCron(env),
    replace: async () => {
      const old = workers
      workers = await startWorkers(settings)
      onUp(workers.url)
      await old.stop()
    },
    stop: () => workers.stop(),
  }
}

/** An editor writes a file in several steps, and a branch switch writes many files: all within this are one save. */
const BURST_MS = 200

/** Builds everything anew after each save, one after the other. */
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
      console.error(`Not reloaded, so what ran before goes on. ${(error as Error).message}`)
    }
  }
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      reloading = reloading.then(reload)
    }, BURST_MS)
  }
  // Folder by folder: Node's recursive watch loses a file that an editor saves by renaming another over it.
  const folders = globSync(
    ['functions/{,*/}', 'lib/{,*/,*/*/}', 'snippet/', 'islands/{,*/,*/*/}', 'migrations/'],
    {
      cwd: ROOT,
    },
  )
  for (const folder of folders) watch(join(ROOT, folder), changed)
  watch(ROOT, (_, file) => {
    if (file === 'schema.sql' || file === 'wrangler.toml') changed()
  })
}
