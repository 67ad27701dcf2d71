/** What `npm start` serves and runs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { unlessBuilt } from './runtime/build-cache.ts'
import type { Bundles } from './runtime/bundles.ts'

type Built = {
  /** Below public/. */
  files: string[]
  bundles: Bundles
}

const buildAll = async (): Promise<Built> => {
  // Loading them takes longer than to find out that nothing has changed.
  const [{ build }, { bundleWorkers, endBuilds }] = await Promise.all([
    import('./build.ts'),
    import('./runtime/bundles.ts'),
  ])
  try {
    // esbuild's own process works beside this one.
    const [bundles, { files }] = await Promise.all([bundleWorkers(), build()])
    return { bundles, files }
  } finally {
    await endBuilds()
  }
}

/**
 * Builds them again for a process that keeps running, and does not keep the result for the next start: /docs and the OpenAPI
 * document are made from modules that this process may have loaded before they changed.
 *
 * @returns the Workers' bundles
 * @throws when something doesn't build
 */
export const rebuildFiles = async (): Promise<Bundles> => (await buildAll()).bundles

/**
 * Builds the files of public/ and the Workers, if a source has changed since they were built.
 *
 * @returns the Workers' bundles
 * @throws when something doesn't build
 */
export const prepareFiles = async (): Promise<Bundles> => {
  const areThere = ({ files }: Built) => files.every((name) => existsSync(join(ROOT, 'public', name)))
  const { bundles } = await unlessBuilt('start', buildAll, areThere)
  return bundles
}
