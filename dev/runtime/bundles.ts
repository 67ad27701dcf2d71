import { globSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, stop } from 'esbuild'
import { compileLanguages } from '../compile-languages.mjs'
import { ROOT } from '../root.ts'
import { readWorkerConfigs } from './wrangler-config.ts'

/** The code of each Worker of wrangler.toml, by its env. */
export type Bundles = Record<string, string>

/**
 * Bundles all Workers as `wrangler deploy` does, in one build: they share most of their modules.
 *
 * @throws when one of them doesn't build
 */
export const bundleWorkers = async (): Promise<Bundles> => {
  await compileLanguages()
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries([...readWorkerConfigs()].map(([env, { main }]) => [env, main])),
    outdir: '/',
    bundle: true,
    // A debugger shows the sources.
    ...(process.env.INSPECT ? { sourcemap: 'inline' } : { minify: true }),
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', ...builtinModules],
    define: {
      'process.env.NODE_ENV': '"production"',
      'navigator.userAgent': '"Cloudflare-Workers"',
    },
    logLevel: 'silent',
    write: false,
  })
  return Object.fromEntries(
    outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]|\.js$/g, ''), text]),
  )
}

/** Compiles each .tsx file into a .js file of a folder, with its imports as they are. */
export const compileJsx = async (outdir: string): Promise<void> => {
  await build({
    entryPoints: globSync('{functions,lib}/**/*.tsx', { cwd: ROOT }),
    absWorkingDir: ROOT,
    outbase: ROOT,
    outdir,
    sourcemap: 'inline',
    logLevel: 'silent',
  })
}

/** Ends esbuild's process, which would keep 300 MB. The next build starts another one. */
export const endBuilds = (): Promise<void> => stop()
