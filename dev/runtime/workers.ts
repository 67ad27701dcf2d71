import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { DatabaseEnv } from '../../lib/db/connection.ts'
import { type Bundles, bundleWorkers, RATE_LIMITER } from './bundles.ts'
import { childrenNamed, endWithNode } from './watchdog.ts'
import { cronsOf, optionalSecrets, readWorkerConfig, workerNames } from './wrangler-config.ts'

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
  /** Whether everybody may create a workspace, instead of wrangler.toml's. */
  ALLOW_SIGNUP?: string
  /** The public URL, for links in mails. */
  PUBLIC_URL?: string
  /** The most subrequests that one run of the payouts Worker may make. */
  MAX_FETCHES?: string
}

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

/** A Worker's name, by its env: tests/wrangler.test.ts holds it. */
const nameOf = (env: string): string => `tributary-${env}`

/** The settings with these names that are set. */
const pick = (settings: Settings, names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name, value]) => names.includes(name) && value))

/** Stands in for a Worker that is not started. */
const ABSENT = 'export default { fetch: () => new Response("This Worker is not started.", { status: 503 }) }'

/** The part of every Worker's options that comes from its bundle. */
const moduleOf = (name: string, contents = ABSENT) => ({
  modules: [{ type: 'ESModule' as const, path: `${name}.js`, contents }],
})

/** What wrangler.toml says of a Worker, as options of Miniflare. */
const toOptions = (env: string, settings: Settings) => {
  const config = readWorkerConfig(env)
  return {
    name: nameOf(env),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    bindings: {
      ...config.vars,
      ...pick(settings, [...(config.secrets?.required ?? []), ...optionalSecrets(env)]),
      ...pick(settings, [
        'SQL_ENDPOINT',
        'RESEND_URL',
        'STRIPE_URL',
        'PUBLIC_URL',
        'MAX_FETCHES',
        ...Object.keys(config.vars),
      ]),
    },
    serviceBindings: Object.fromEntries([
      ...config.services.map(({ binding, service }) => [binding, service]),
      ...config.ratelimits.map(({ name, namespace_id, simple }) => [
        name,
        { name: RATE_LIMITER, entrypoint: 'RateLimiter', props: { namespace: namespace_id, ...simple } },
      ]),
    ]),
    ...(config.assets?.directory && {
      assets: { directory: config.assets.directory, routerConfig: { has_user_worker: true } },
    }),
    // With it, each fetch of a Worker would pass through one more Worker.
    stripCfConnectingIp: false,
    unsafeDirectSockets: [{}],
  }
}

/**
 * Starts the Workers, each with only its own secrets, connected to a database through an endpoint that speaks Neon's
 * protocol.
 *
 * @param bundles are built when they are not given; a Worker without one is not started
 * @throws when one of them doesn't build or doesn't respond
 */
export const startWorkers = async (settings: Settings, bundles?: Bundles): Promise<Workers> => {
  const envs = workerNames()
  const scripts = bundles ?? (await bundleWorkers())
  const logs: string[] = []
  const takeLogs = () => logs.splice(0)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      handleStructuredLogs: ({ message }) => void logs.push(message),
      workers: [
        ...envs.map((env) => ({ ...toOptions(env, settings), ...moduleOf(env, scripts[env]) })),
        { name: RATE_LIMITER, ...moduleOf(RATE_LIMITER, scripts[RATE_LIMITER]) },
      ],
    }),
  )
  const workerOf = (env: string) => miniflare.getWorker(nameOf(env))
  try {
    await miniflare.ready
    await Promise.all(
      envs
        .filter((env) => scripts[env])
        .map(async (env) => {
          const signal = AbortSignal.timeout(FIRST_ANSWER_MS)
          const answer = await (await workerOf(env)).fetch('http://localhost/', { signal })
          await answer.body?.cancel()
        }),
    )
    takeLogs()
    const url = await miniflare.unsafeGetDirectURL(nameOf('router'))
    const cancelWatchdog = endWithNode(childrenNamed('workerd'), 'KILL')
    return {
      url,
      fetchAt: async (address, init) =>
        (await (await workerOf('router')).fetch(address, init as never)) as unknown as Response,
      runCron: async (env) => {
        const [cron = ''] = cronsOf(env)
        await (await workerOf(env)).scheduled({ cron, scheduledTime: new Date() })
      },
      takeLogs,
      stop: async () => {
        await miniflare.dispose()
        cancelWatchdog()
      },
    }
  } catch (error) {
    const logged = takeLogs().join('\n')
    await miniflare.dispose().catch(() => {})
    throw new Error(`The Workers did not start. ${logged || (error as Error).message}`, { cause: error })
  }
}
