import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readWorkerConfig, workerNames } from './wrangler-config.ts'

/** The code of each Worker of wrangler.toml, by its env, and of the rate limiter. */
export type Bundles = Record<string, string>

/** The Worker behind the rate limit bindings. */
export const RATE_LIMITER = 'rate-limiter'

/**
 * Bundles all Workers with the settings of `wrangler deploy`, in one build: they share most of their modules.
 *
 * @throws when one of them doesn't build
 */
export const bundleWorkers = async (): Promise<Bundles> => {
  const { outputFiles } = await build({
    entryPoints: {
      ...Object.fromEntries(workerNames().map((env) => [env, readWorkerConfig(env).main])),
      [RATE_LIMITER]: fileURLToPath(new URL('rate-limiter.ts', import.meta.url)),
    },
    outdir: '/',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*', ...builtinModules],
    define: { 'process.env.NODE_ENV': '"production"', 'navigator.userAgent': '"Cloudflare-Workers"' },
    logLevel: 'silent',
    write: false,
  })
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]|\.js$/g, ''), text]))
}
