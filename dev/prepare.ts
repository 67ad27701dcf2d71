/**
 * What is served and run: the files of public/ and the Workers. As a command (`npm run build`), the
 * client's package too.
 */
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { areUnchanged, type Hashes, hashesOf, unlessBuilt } from './runtime/build-cache.ts'
import type { Bundles } from './runtime/bundles.ts'

/** The files of public/ that were built, and the snippet's gzipped size in bytes. */
type Published = { hashes: Hashes; snippetBytes: number }

const PUBLIC = join(ROOT, 'public')

/** Whether esbuild's process may have been started. */
let hasBuilt = false

// Loading what builds takes longer than to find out that nothing has changed.
const buildPublic = async (): Promise<Published> => {
  hasBuilt = true
  const { build } = await import('./build.ts')
  const { files, snippetBytes } = await build()
  return { hashes: hashesOf(PUBLIC, files), snippetBytes }
}

const buildWorkers = async (): Promise<Bundles> => {
  hasBuilt = true
  const { bundleWorkers } = await import('./runtime/bundles.ts')
  return bundleWorkers()
}

/** Calls `build`, and then ends esbuild's process, if there is one. */
const withBuilds = async <T>(build: () => Promise<T>): Promise<T> => {
  try {
    return await build()
  } finally {
    if (hasBuilt) await (await import('./runtime/bundles.ts')).endBuilds()
  }
}

/**
 * Builds the files of public/, if a source has changed since they were built, or one of them is
 * missing or another.
 *
 * @returns the snippet's gzipped size in bytes
 * @throws when something doesn't build
 */
export const preparePublic = async (): Promise<number> => {
  const areThere = ({ hashes }: Published) => areUnchanged(PUBLIC, hashes)
  const { snippetBytes } = await unlessBuilt('public', buildPublic, areThere)
  return snippetBytes
}

/**
 * Builds the files of public/ and the Workers again for a process that keeps running, and does not
 * keep the result for the next start: /docs and the OpenAPI document are made from modules that
 * this process may have loaded before they changed.
 *
 * @returns the Workers' bundles
 * @throws when something doesn't build
 */
export const rebuildFiles = (): Promise<Bundles> =>
  withBuilds(async () => {
    // esbuild's own process works beside this one.
    const [bundles] = await Promise.all([buildWorkers(), buildPublic()])
    return bundles
  })

/**
 * Builds the files of public/ and the Workers, if a source has changed since they were built.
 *
 * @returns the Workers' bundles
 * @throws when something doesn't build
 */
export const prepareFiles = (): Promise<Bundles> =>
  withBuilds(async () => {
    const [bundles] = await Promise.all([
      unlessBuilt(process.env.INSPECT ? 'workers-to-inspect' : 'workers', buildWorkers),
      preparePublic(),
    ])
    return bundles
  })

if (import.meta.main) {
  const { buildClient } = await import('./runtime/build-client.ts')
  await buildClient()
  await prepareFiles()
  console.log(`Built public/. via.js is ${await preparePublic()} bytes gzipped.`)
}
