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

/** What the Workers are told: their secrets, and addresses of this machine. */
export type Settings = DatabaseEnv & {
  /** Signs the sessions' cookies. */
  AUTH_SECRET: string
  /** Encrypts the merchants' keys of Stripe, and the signing secrets of its webhooks. */
  SECRETS_KEY: string
  /** For sending mail by Resend's API, and where that is, when it isn't at Resend. */
  RESEND_API_KEY?: string
  RESEND_URL?: string
  /** Where Stripe's API is, when it isn't at Stripe. */
  STRIPE_URL?: string
  /** Where people reach Tributary, as mails say. */
  PUBLIC_URL?: string
  /** How many fetches one run of the payouts Worker may make. */
  MAX_FETCHES?: string
}

/** Secrets that a Worker can do without; wrangler.toml can only name those that it can't. */
const OPTIONAL_SECRETS: Record<string, (keyof Settings)[]> = { mailer: ['RESEND_API_KEY'] }

/** The names of the secrets that a Worker can do without. */
export const optionalSecrets = (env: string): string[] => OPTIONAL_SECRETS[env] ?? []

/** The names of the secrets that a Worker says it needs. */
export const requiredSecrets = (env: string): string[] =>
  unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }).secrets?.required ?? []

/** When Cloudflare's clock runs a Worker, as cron expressions. */
const crons = (env: string): string[] =>
  unstable_readConfig({ config: `${ROOT}wrangler.toml`, env }).triggers.crons ?? []

/** The Workers that the clock runs. */
export const cronWorkers = (): string[] => workerNames().filter((env) => crons(env).length > 0)

/** Every Worker of wrangler.toml, running in workerd. */
export type Workers = {
  /** The router's address, on a free port of this machine. */
  url: URL
  /** Asks the router under another address than this machine's, such as one with https. */
  fetchAt: (url: string, init?: RequestInit) => Promise<Response>
  /** Does what the clock does in production: runs a Worker that has a cron, and waits for its end. */
  runCron: (env: string) => Promise<void>
  /** What the Workers have logged since the last call. */
  takeLogs: () => string[]
  stop: () => Promise<void>
}

/** A Worker that starts takes milliseconds for its first answer; one that throws at its start never gives it. */
const FIRST_ANSWER_MS = 10_000

/** What is set and named, of all settings. */
const pick = (settings: Settings, names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name, value]) => names.includes(name) && value))

/**
 * Builds and starts every Worker, each with its own secrets and no others, connected to a database through an
 * endpoint that speaks Neon's protocol.
 *
 * @throws when one of them doesn't build, or doesn't answer
 */
export const startWorkers = async (settings: Settings): Promise<Workers> => {
  // Without these, wrangler asks Cloudflare where this machine is, complains when it can't, and chats.
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
    const callOff = endWithNode(childrenNamed('workerd'), 'KILL')
    const stop = async () => {
      await harness.close()
      callOff()
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
