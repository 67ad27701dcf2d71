import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createTestHarness, type TestHarness } from 'wrangler'
import type { DatabaseEnv } from '../lib/data/connection.ts'

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The envs of wrangler.toml, one per Worker, the router first. */
export const workerNames = (): string[] =>
  [...readFileSync(`${ROOT}wrangler.toml`, 'utf8').matchAll(/^\[env\.([\w-]+)\]$/gm)].flatMap(
    ([, name]) => name ?? [],
  )

/** Every Worker of wrangler.toml, running in workerd. */
export type Workers = {
  /** The router's address, on a free port of this machine; another one after a reload. */
  url: () => Promise<URL>
  /** What the Workers have logged since the last call. */
  takeLogs: () => string[]
  /** Builds all Workers again from the source as it is now. */
  reload: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts every Worker, connected to a database through an endpoint that speaks Neon's protocol. */
export const startWorkers = async (database: DatabaseEnv): Promise<Workers> => {
  // Without these, wrangler asks Cloudflare where this machine is, complains when it can't, and chats.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_LOG ??= 'warn'
  const harness: TestHarness = createTestHarness({
    root: ROOT,
    workers: workerNames().map((env) => ({
      configPath: './wrangler.toml',
      env,
      ...(env !== 'router' && {
        secrets: { DATABASE_URL: database.DATABASE_URL },
        ...(database.SQL_ENDPOINT && { vars: { SQL_ENDPOINT: database.SQL_ENDPOINT } }),
      }),
    })),
  })
  await harness.listen()
  return {
    url: async () => (await harness.listen()).url,
    takeLogs: () => {
      const lines = harness.getLogs().map((log) => log.message)
      harness.clearLogs()
      return lines
    },
    reload: () => harness.update((options) => options),
    stop: () => harness.close(),
  }
}
