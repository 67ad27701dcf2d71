import { workerUrl } from '../../cli/roles.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import type { Bundles } from './bundles.ts'
import { fileWorker, type LocalWorker, type Mending, runWorkers } from './workerd.ts'
import { optionalSecrets, readWorkerConfigs, type WorkerConfig } from './wrangler-config.ts'

/**
 * The Workers' secrets and variables. DATABASE_URL is the owner's: each Worker gets that of its
 * zone.
 */
export type Settings = DatabaseEnv & {
  /** Signs session cookies. */
  AUTH_SECRET: string
  /** Encrypts the merchants' Stripe keys and webhook signing secrets. */
  SECRETS_KEY: string
  /** For sending mail by Resend's API; the URL replaces Resend's own. */
  RESEND_API_KEY?: string
  RESEND_URL?: string
  RESEND_BULK_API_KEY?: string
  /** What the mail provider's reports are signed with. */
  RESEND_WEBHOOK_SECRET?: string
  RESEND_BULK_WEBHOOK_SECRET?: string
  /** How many sign-in links are mailed in a day, instead of lib/mail/outbox/sign-in-quota.ts. */
  UNKNOWN_DAILY_SIGN_INS?: string
  NETWORK_DAILY_SIGN_INS?: string
  MAILBOX_DAILY_SIGN_INS?: string
  MAIL_DAILY_QUOTA?: string
  /**
   * How many expensive requests a workspace may send in ten seconds, and at once, instead of
   * lib/auth/expensive/expensive.ts.
   */
  EXPENSIVE_REQUESTS?: string
  EXPENSIVE_AT_ONCE?: string
  /** Replaces the URL of Stripe's API. */
  STRIPE_URL?: string
  /** Replaces the URLs of the platforms that programs are imported from. */
  SOURCES_URL?: string
  /** Who creates the first workspace. */
  OWNER_EMAIL?: string
  /** Whether everybody may create a workspace, instead of wrangler.toml's. */
  ALLOW_SIGNUP?: string
  /** The public URL, for links in mails. */
  PUBLIC_URL?: string
  /** The most subrequests that one run of the payouts and webhooks Workers may make. */
  MAX_FETCHES?: string
  /** Whether webhooks may be sent to this machine. */
  ALLOW_LOCAL_WEBHOOKS?: string
}

/** On one machine, all sign-ins are from one network. */
export const ENDLESS_SIGN_INS = {
  UNKNOWN_DAILY_SIGN_INS: '999999',
  NETWORK_DAILY_SIGN_INS: '999999',
  MAILBOX_DAILY_SIGN_INS: '999999',
} satisfies Partial<Settings>

/** A test asks more of its workspace in a second than people do. */
export const ENDLESS_BUDGETS = {
  EXPENSIVE_REQUESTS: '999999',
  EXPENSIVE_AT_ONCE: '999999',
} satisfies Partial<Settings>

/** Every Worker of wrangler.toml, running in workerd. */
export type Workers = {
  /** The router's URL, on a free local port. */
  url: URL
  /** Sends a request to the router under another URL, such as one with https. */
  fetchAt: (url: string, init?: RequestInit) => Promise<Response>
  /** Runs a Worker's scheduled handler, and waits for it to end. */
  runCron: (env: string) => Promise<void>
  /** The log lines since the last call; the latest, if they are many. */
  takeLogs: () => string[]
  stop: () => Promise<void>
}

/** A Worker responds within milliseconds of its start; one that throws while loading never does. */
const FIRST_ANSWER_MS = 10_000

/** Lines that nobody takes must not fill the memory. */
const MAX_LOG_LINES = 10_000

/** A Worker's name, by its env: tests/wrangler.test.ts holds it. */
const nameOf = (env: string): string => `tributary-${env}`

/** The settings with these names that are set. */
const pick = (settings: Settings, names: string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => names.includes(name) && value),
  )

const ABSENT = 'tributary-absent'

/** Stands in for all Workers that are not started: each isolate takes time to start. */
const absentWorker = (compatibilityDate: string): LocalWorker => ({
  name: ABSENT,
  script:
    'export default { fetch: () => new Response("This Worker is not started.", { status: 503 }) }',
  compatibilityDate,
})

/** The Worker that serves public/ before the router is asked. */
const FILES = 'tributary-files'

/** A Worker as wrangler.toml describes it. */
const toWorker = (
  env: string,
  config: WorkerConfig,
  settings: Settings,
  scripts: Bundles,
): LocalWorker => ({
  name: nameOf(env),
  script: scripts[env] ?? '',
  compatibilityDate: config.compatibility_date,
  compatibilityFlags: config.compatibility_flags,
  bindings: {
    ...config.vars,
    ...pick(settings, [...config.secrets.required, ...optionalSecrets(env)]),
    ...(config.secrets.required.includes('DATABASE_URL') && {
      DATABASE_URL: workerUrl(settings.DATABASE_URL, env),
    }),
    ...pick(settings, [
      'SQL_ENDPOINT',
      'RESEND_URL',
      'STRIPE_URL',
      'SOURCES_URL',
      'PUBLIC_URL',
      'MAX_FETCHES',
      ...Object.keys(config.vars),
    ]),
  },
  services: Object.fromEntries(
    config.services.map(({ binding, service: name, entrypoint }) => {
      // The stand-in has no entrypoints.
      if (scripts[name.replace(nameOf(''), '')] === undefined) return [binding, ABSENT]
      return [binding, entrypoint ? { name, entrypoint } : name]
    }),
  ),
  limits: Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name, simple])),
  ...(config.assets && { files: FILES }),
})

/**
 * Starts the Workers, each with only its own secrets, connected to a database through an endpoint
 * that speaks Neon's protocol.
 *
 * @param bundles a Worker without one is not started
 * @param mending what happens when workerd ends by itself: it is started again, at the same URL
 * @param onLine receives each log line
 * @param without bindings that the Workers lack: tests of what is queued leave out those that have
 *   it sent at once
 * @throws when one of them doesn't build or doesn't respond
 */
export const startWorkers = async (
  settings: Settings,
  bundles: Bundles,
  mending?: Mending,
  onLine: (line: string) => void = () => {},
  without: string[] = [],
): Promise<Workers> => {
  const configs = [...readWorkerConfigs()].map(([env, config]) => {
    const services = config.services.filter(({ binding }) => !without.includes(binding))
    return [env, { ...config, services }] as const
  })
  const started = configs.filter(([env]) => bundles[env])
  const workers = started.map(([env, config]) => toWorker(env, config, settings, bundles))
  const others = started.flatMap(([, { assets, compatibility_date }]) =>
    // The router is always started, and has the files.
    assets
      ? [fileWorker(FILES, assets.directory, compatibility_date), absentWorker(compatibility_date)]
      : [],
  )
  const logs: string[] = []
  const takeLogs = () => logs.splice(0)
  const failed = (error: unknown) =>
    new Error(`The Workers did not start. ${takeLogs().join('\n') || (error as Error).message}`, {
      cause: error,
    })

  const { urlOf, workerOf, stop } = await runWorkers(
    [...workers, ...others],
    ({ message }) => {
      onLine(message)
      if (logs.push(message) > MAX_LOG_LINES) logs.shift()
    },
    mending,
  ).catch((error) => {
    throw failed(error)
  })
  try {
    await Promise.all(
      started.map(async ([env]) => {
        const signal = AbortSignal.timeout(FIRST_ANSWER_MS)
        const answer = await (await workerOf(nameOf(env))).fetch('http://localhost/', { signal })
        await answer.body?.cancel()
      }),
    )
    takeLogs()
    return {
      url: await urlOf(nameOf('router')),
      fetchAt: async (address, init) =>
        (await (
          await workerOf(nameOf('router'))
        ).fetch(address, init as never)) as unknown as Response,
      runCron: async (env) => {
        const [cron = ''] = readWorkerConfigs().get(env)?.triggers.crons ?? []
        await (await workerOf(nameOf(env))).scheduled({ cron, scheduledTime: new Date() })
      },
      takeLogs,
      stop,
    }
  } catch (error) {
    const reason = failed(error)
    await stop().catch(() => {})
    throw reason
  }
}
