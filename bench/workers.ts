/**
 * The bench's Workers, in the same workerd as those of `npm start`: one port each, nothing in
 * between.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type Zone, zoneUrl } from '../cli/roles.ts'
import { ROOT } from '../dev/root.ts'
import { type LocalWorker, runWorkers } from '../dev/runtime/workerd.ts'
import { readWorkerConfigs } from '../dev/runtime/wrangler-config.ts'

export type Bundle = { script: string; gzipBytes: number }

/** Builds a Worker as the deployment does. */
export const buildWorker = (env: string): Bundle => {
  const folder = `${ROOT}.wrangler/bench/${env}`
  execFileSync('wrangler', ['deploy', '--env', env, '--dry-run', '--outdir', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const script = readFileSync(`${folder}/${env}.js`, 'utf8')
  return { script, gzipBytes: gzipSync(script, { level: 9 }).length }
}

/** Builds one of the bench's own Workers. */
export const buildOwn = async (file: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

export type BenchWorker = {
  name: string
  script: string
  bindings?: Record<string, string>
  /**
   * Connects by the database role of a zone, as the deployed Worker does, instead of the owner of
   * DATABASE_URL.
   */
  zone?: Zone
  /** Service bindings to other Workers of the bench. */
  services?: Record<string, string>
  /**
   * `memory` as on Cloudflare, `emulated` as in wrangler; ignored by Workers without a rate limit.
   */
  limit?: 'memory' | 'emulated'
}

const bindingsOf = ({ bindings, zone }: BenchWorker): Pick<LocalWorker, 'bindings'> =>
  bindings?.DATABASE_URL && zone
    ? { bindings: { ...bindings, DATABASE_URL: zoneUrl(bindings.DATABASE_URL, zone) } }
    : {}

const limitOf = ({ limit }: BenchWorker): Partial<LocalWorker> => {
  if (limit === 'memory') return { limits: { RATE_LIMIT: { limit: 1_000_000, period: 10 } } }
  // Miniflare's own writes to SQLite in a Durable Object, which takes half a millisecond per call.
  const RATE_LIMIT = { namespace_id: '1', simple: { limit: 1_000_000, period: 10 } }
  return limit === 'emulated' ? { options: { ratelimits: { RATE_LIMIT } } } : {}
}

/** Starts Workers. @returns their URLs by name, and a stop function */
export const startBenchWorkers = async (workers: BenchWorker[]) => {
  const compatibilityDate = readWorkerConfigs().get('router')?.compatibility_date ?? ''
  const { urlOf, stop } = await runWorkers(
    workers.map((worker) => ({
      ...worker,
      ...bindingsOf(worker),
      compatibilityDate,
      ...limitOf(worker),
    })),
    ({ level, message }) => {
      if (level === 'error') console.error(message)
    },
  )
  const addresses = await Promise.all(
    workers.map(async ({ name }) => [name, await urlOf(name)] as const),
  )
  return { urls: new Map(addresses), stop }
}
