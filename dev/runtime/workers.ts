import { readFileSync } from 'node:fs'
import { createTestHarness, type TestHarness, unstable_readConfig } from 'wrangler'
import type { DatabaseEnv } from '../../lib/db/connection.ts'
import { ROOT } from '../root.ts'
import { childrenNamed, endWithNode } from './watchdog.ts'

/** The envs of wrangler.toml, one per Worker, the router first. */
export const workerNames = (): string[] =>
  [...readFileSync(`${ROOT}wrangler.toml`, 'utf8').matchAll(/^\[env\.([\w-]+)\]$/gm)].flatMap(
    ([, name]) => name ?? [],
  )

/** The Workers' secrets and variables. */
export type Settings = DatabaseEnv & {
  /** Signs session cookies. */
  AUTH_SECRET: string
  /** Encrypts the merchants' Stripe keys and webhook signing secrets. */
  SECRETS_KEY: string
  /** For sending mail by Resend's API; the URL replaces Resend's own. */
  RESEND_API_KEY?: string
  RESEND_URL?: string
  /** Replaces the URL of Stripe's API. */
  STRIPE_URL?: string
  /** The public URL, for links in mails. */
  PUBLIC_URL?: string
  /** The most subrequests that one run of the payouts Worker may make. */
  MAX_FETCHES?: string
}

/** Optional secrets by Worker; wrangler.toml can only list required ones. */
const OPTIONAL_SECRETS: Record<string, (keyof Settings)[]> = { mailer: ['RESEND_API_KEY'] }

/** The names of a Worker's optional secrets. */
export const optionalSecrets = (env: string): string[] => OPTIONAL_SECRETS[env] ?? []

/** The names of a Worker's required secrets. */
export const requiredSecrets = (env: string): string[] =>
  unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }).secrets?.required ?? []

/** A Worker's cron expressions. */
const crons = (env: string): string[] =>
  unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }).triggers.crons ?? []

/** The Workers that have a cron. */
export const cronWorkers = (): string[] => workerNames().filter((env) => crons(env).length > 0)

/** Every Worker of wrangler.toml, running in workerd. */
export type Workers = {
  /** The router's URL, on a free local port. */
  url: URL
  /** Sends a request to the router under another URL, such as one with https. */
  fetchAt: (url: string, init?: RequestInit) => Promise<Response>
  /** Runs a Worker's scheduled handler, and waits for it to end. */
  runCron: (env: string) => Promise<void>
  /** The log lines since the last call. */
  takeLogs: () => string[]
  stop: () => Promise<void>
}

/** A Worker responds within milliseconds of its start; one that throws while loading never does. */
const FIRST_ANSWER_MS = 10_000

/** The settings with these names that are set. */
const pick = (settings: Settings, names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name, value]) => names.includes(name) && value))

/**
 * Builds and starts every Worker, each with only its own secrets, connected to a database through an endpoint that
 * speaks Neon's protocol.
 *
 * @throws when one of them doesn't build or doesn't respond
 */
export const startWorkers = async (settings: Settings): Promise<Workers> => {
  // Otherwise wrangler looks this machine up at Cloudflare, warns when that fails, and logs a lot.
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
  process.env.WRANGLER_LOG ??= 'warn'
  const names = workerNames()
  const harness: TestHarness = createTestHarness({
    root: ROOT,
    workers: names.map((env) => ({
      configPath: './wrangler.toml',
      env,
      secrets: pick(settings, [...requiredSecrets(env), ...optionalSecrets(env)]),
      vars: pick(settings, ['SQL_ENDPOINT', 'RESEND_URL', 'STRIPE_URL', 'PUBLIC_URL', 'MAX_FETCHES']),
    })),
  })
  const takeLogs = () => {
    const lines = harness.getLogs().map((log) => log.message)
    harness.clearLogs()
    return lines
  }
  try {
    const { url } = await harness.listen()
    await Promise.all(
      names.map(async (env) => {
        const signal = AbortSignal.timeout(FIRST_ANSWER_MS)
        const answer = await harness.getWorker(`tributary-${env}`).fetch('http://localhost/', { signal })
        await answer.body?.cancel()
      }),
    )
    harness.clearLogs()
    const cancelWatchdog = endWithNode(childrenNamed('workerd'), 'KILL')
    const stop = async () => {
      await harness.close()
      cancelWatchdog()
    }
    const fetchAt = async (address: string, init?: RequestInit) =>
      (await harness.getWorker('tributary-router').fetch(address, init as never)) as unknown as Response
    const runCron = async (env: string) => {
      const [cron = ''] = crons(env)
      await harness.getWorker(`tributary-${env}`).scheduled({ cron, scheduledTime: new Date() })
    }
    return { url, fetchAt, runCron, takeLogs, stop }
  } catch (error) {
    const logged = takeLogs().join('\n')
    await harness.close().catch(() => {})
    throw new Error(`The Workers did not start. ${logged || (error as Error).message}`, { cause: error })
  }
}
