/** Workers in workerd without wrangler: one port each, nothing in between. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ROOT } from '../dev/root.ts'

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

/**
 * On Cloudflare, rate limits are counted in memory. The local emulation writes to SQLite in a Durable Object, which
 * takes half a millisecond per call and would distort the figures.
 */
const IN_MEMORY_LIMIT = `
  import worker from './worker.js'
  const RATE_LIMIT = { limit: async () => ({ success: true }) }
  export default { fetch: (request, env, ctx) => worker.fetch(request, { ...env, RATE_LIMIT }, ctx) }`

export type BenchWorker = {
  name: string
  script: string
  bindings?: Record<string, string>
  /** Service bindings to other Workers of the bench. */
  services?: Record<string, string>
  /** `memory` as on Cloudflare, `emulated` as in wrangler; ignored by Workers without a rate limit. */
  limit?: 'memory' | 'emulated'
}

const modulesOf = ({ script, limit }: BenchWorker) => {
  const worker = { type: 'ESModule' as const, path: 'worker.js', contents: script }
  if (limit !== 'memory') return [worker]
  return [{ type: 'ESModule' as const, path: 'main.js', contents: IN_MEMORY_LIMIT }, worker]
}

/** Starts Workers. @returns their URLs by name, and a stop function */
export const startBenchWorkers = async (workers: BenchWorker[]) => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') console.error(message)
      },
      workers: workers.map((worker) => ({
        name: worker.name,
        modules: modulesOf(worker),
        bindings: worker.bindings ?? {},
        serviceBindings: worker.services ?? {},
        compatibilityDate: '2026-10-01',
        unsafeDirectSockets: [{}],
        ...(worker.limit === 'emulated' && {
          ratelimits: {
            RATE_LIMIT: { namespace_id: '1', simple: { limit: 1_000_000, period: 10 as const } },
          },
        }),
      })),
    }),
  )
  await miniflare.ready
  const addresses = await Promise.all(
    workers.map(async ({ name }) => [name, await miniflare.unsafeGetDirectURL(name)] as const),
  )
  return { urls: new Map(addresses), stop: () => miniflare.dispose() }
}
