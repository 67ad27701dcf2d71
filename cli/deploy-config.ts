/**
 * The configuration of a Worker: its part of wrangler.toml, and the settings of this installation,
 * which are not in git.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ROOT } from '../dev/root.ts'
import { readWorkerConfigs } from '../dev/runtime/wrangler-config.ts'

/** The settings of an installation: .prod.vars. */
export type Settings = NodeJS.Dict<string>

/** Settings that are neither a secret nor a variable of a Worker. */
export const OTHER_SETTINGS = ['ROUTES', 'CLOUDFLARE_EMAIL', 'INSTALLATION']

const DEFAULT_INSTALLATION = 'tributary'

const installationOf = ({ INSTALLATION }: Settings): string => INSTALLATION || DEFAULT_INSTALLATION

/**
 * The name of a Worker, such as tributary-router. It differs between installations in one account.
 */
export const workerNameOf = (env: string, settings: Settings): string =>
  `${installationOf(settings)}-${env}`

const serviceOf = (service: string, settings: Settings): string =>
  workerNameOf(service.slice(DEFAULT_INSTALLATION.length + 1), settings)

/** Namespaces per installation: more than the highest number in wrangler.toml. */
const NAMESPACES = 10_000
/** All numbers fit 31 bits. */
const INSTALLATIONS = 200_000

/**
 * The namespace of a rate limit. Cloudflare counts by namespace across all Workers of an account.
 * So the name of an installation is hashed to a range of namespaces, which two installations share
 * with a chance of 1 in 200,000.
 */
const namespaceOf = (id: string, settings: Settings): string => {
  const hash = createHash('sha256').update(installationOf(settings)).digest().readUInt32BE()
  return String((hash % INSTALLATIONS) * NAMESPACES + Number(id))
}

export const isNeon = (hostname: string): boolean => hostname.endsWith('.neon.tech')

/**
 * The region of AWS that the host of a Neon database names, such as
 * ep-x-pooler.c-2.eu-central-1.aws.neon.tech.
 */
export const regionOf = (hostname: string): string | undefined =>
  /\.([a-z0-9-]+)\.aws\.neon\.tech$/.exec(hostname)?.[1]

export const isWorkersDev = (hostname: string): boolean => hostname.endsWith('.workers.dev')

/** Where the router is served: the hosts and patterns of ROUTES, or the host of PUBLIC_URL. */
export const routesOf = ({ ROUTES, PUBLIC_URL = '' }: Settings): string[] => {
  if (ROUTES)
    return ROUTES.split(',')
      .map((route) => route.trim())
      .filter(Boolean)
  const { hostname } = new URL(PUBLIC_URL)
  return isWorkersDev(hostname) ? [] : [hostname]
}

/**
 * A host becomes a custom domain of the router, with its DNS record. A pattern such as
 * track.example.com/* needs an existing record.
 */
const toRoute = (route: string) =>
  route.includes('/') ? { pattern: route } : { pattern: route, custom_domain: true }

/** Possible intervals of crons, in minutes: divisors of an hour. */
export const CRON_MINUTES = ['1', '2', '3', '4', '5', '6', '10', '12', '15', '20', '30', '60']

const cronOf = (minutes: string): string =>
  minutes === '60' ? '0 * * * *' : `*/${minutes} * * * *`

/** The configuration of a Worker, for wrangler. */
export const configOf = (env: string, settings: Settings) => {
  const config = readWorkerConfigs().get(env)
  if (!config) throw new Error(`There is no Worker ${env} in wrangler.toml.`)
  const { DATABASE_URL = '', PUBLIC_URL = '', CLOUDFLARE_EMAIL, CRON_MINUTES } = settings
  const region =
    config.secrets.required.includes('DATABASE_URL') && regionOf(new URL(DATABASE_URL).hostname)
  const vars = Object.entries(config.vars).map(([name, value]) => [name, settings[name] || value])
  return {
    ...config,
    name: workerNameOf(env, settings),
    vars: Object.fromEntries(vars),
    services: config.services.map((bound) => ({
      ...bound,
      service: serviceOf(bound.service, settings),
    })),
    ratelimits: config.ratelimits.map((limit) => ({
      ...limit,
      namespace_id: namespaceOf(limit.namespace_id, settings),
    })),
    ...(config.assets && { assets: { directory: join(ROOT, config.assets.directory) } }),
    ...(env === 'router' && {
      routes: routesOf(settings).map(toRoute),
      workers_dev: isWorkersDev(new URL(PUBLIC_URL).hostname),
    }),
    ...(CRON_MINUTES &&
      config.triggers.crons.length > 0 && { triggers: { crons: [cronOf(CRON_MINUTES)] } }),
    ...(env === 'mailer' && CLOUDFLARE_EMAIL === 'true' && { send_email: [{ name: 'EMAIL' }] }),
    // Near the database, to which a request makes more round trips than to the visitor.
    ...(region && { placement: { region: `aws:${region}` } }),
  }
}

/** A configuration without the bindings of the Worker to itself. */
export const withoutSelf = (config: ReturnType<typeof configOf>): ReturnType<typeof configOf> => ({
  ...config,
  services: config.services.filter(({ service }) => service !== config.name),
})
