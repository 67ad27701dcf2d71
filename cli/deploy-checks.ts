/**
 * Problems that would make a deployment fail, with the remedy, one line each. All are found before
 * anything is changed.
 */
import { readWorkerConfigs } from '../dev/runtime/wrangler-config.ts'
import { isSecretsKey, MIN_SECRET_LENGTH } from '../lib/platform/secrets.ts'
import { readEmail } from '../lib/values/emails.ts'
import { parseDatabaseUrl, withClient } from './database.ts'
import {
  CRON_MINUTES,
  isNeon,
  isWorkersDev,
  OTHER_SETTINGS,
  regionOf,
  routesOf,
  type Settings,
  workerNameOf,
} from './deploy-config.ts'
import { type Deployment, missingSecrets } from './deployments.ts'
import { isWeakOwner } from './roles.ts'

/** The problem of a setting's value, and the remedy. */
type Check = (value: string, settings: Settings) => string | undefined

/** Domains that nobody can own. */
const RESERVED = /(^|\.)(example\.(com|net|org)|example|test|invalid|localhost)$/

const checkDatabaseUrl: Check = (value) => {
  const { hostname } = parseDatabaseUrl(value)
  const [endpoint = '', ...domain] = hostname.split('.')
  if (endpoint.startsWith('ep-example') || RESERVED.test(hostname))
    return 'DATABASE_URL is still the example. Copy the pooled connection string from Neon’s console.'
  if (isWeakOwner(value))
    return 'The password in DATABASE_URL has fewer than 12 characters, and the passwords of the database roles are derived from it. Change it in the database.'
  if (!isNeon(hostname)) return
  if (!endpoint.endsWith('-pooler'))
    return `DATABASE_URL has Neon’s direct host. Use the pooled one: ${[`${endpoint}-pooler`, ...domain].join('.')}.`
  if (!regionOf(hostname))
    return 'DATABASE_URL is not in an AWS region, so the Workers could not run near it. Create the Neon project in one.'
}

const GENERATE = '`openssl rand -base64 32` generates one.'

const checkAuthSecret: Check = (value) => {
  if (value.length < MIN_SECRET_LENGTH)
    return `AUTH_SECRET is shorter than ${MIN_SECRET_LENGTH} characters. ${GENERATE}`
}

const checkSecretsKey: Check = (value) => {
  if (!isSecretsKey(value))
    return `SECRETS_KEY, or one of its keys, is shorter than ${MIN_SECRET_LENGTH} characters. ${GENERATE}`
}

/** The address of `Name <address>`, or of an address alone. */
const addressOf = (sender: string): string | null =>
  readEmail(/<([^<>]*)>$/.exec(sender)?.[1] ?? sender)

const checkSender =
  (name: string): Check =>
  (value) => {
    const address = addressOf(value)
    if (!address)
      return `${name} is not a sender such as "Acme <partners@your-domain.com>": "${value}".`
    if (RESERVED.test(address.split('@')[1] ?? ''))
      return `${name} is still an example. Use an address at your domain that Resend or Cloudflare has verified.`
  }

const checkOwner: Check = (value) => {
  const address = readEmail(value)
  if (!address) return `OWNER_EMAIL is not an email address: "${value}".`
  if (RESERVED.test(address.split('@')[1] ?? ''))
    return 'OWNER_EMAIL is still an example. Use the address with which you will sign in.'
}

/** Whether a route covers every path of a host. */
const covers = (route: string, hostname: string): boolean =>
  route === hostname ||
  route === `${hostname}/*` ||
  route === `*.${hostname.replace(/^[^.]+\./, '')}/*`

const checkPublicUrl: Check = (value, settings) => {
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' || url.href !== `${url.origin}/` || url.port)
    return `PUBLIC_URL is not an address such as https://track.your-domain.com, without a path: "${value}".`
  const { hostname } = url
  const router = workerNameOf('router', settings)
  if (RESERVED.test(hostname))
    return `PUBLIC_URL is still an example. Use a host of your domain, or https://${router}.<your account>.workers.dev.`
  if (isWorkersDev(hostname))
    return hostname.startsWith(`${router}.`) && hostname.split('.').length === 4
      ? undefined
      : `PUBLIC_URL is not the address of the router, https://${router}.<your account>.workers.dev.`
  if (!routesOf(settings).some((route) => covers(route, hostname)))
    return `PUBLIC_URL is not covered by ROUTES. Add ${hostname} to them, or leave ROUTES empty.`
}

/** In the format of Svix, which signs Resend's webhooks. */
const checkWebhookSecret =
  (name: string): Check =>
  (value) => {
    if (!/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(value))
      return `${name} is not the signing secret of a webhook at Resend, which begins with whsec_.`
  }

const checkMaxFetches: Check = (value) => {
  if (!/^[1-9]\d*$/.test(value))
    return `MAX_FETCHES is not a whole number: "${value}". Leave it empty on Cloudflare’s free plan.`
}

const checkCronMinutes: Check = (value) => {
  if (!CRON_MINUTES.includes(value))
    return `CRON_MINUTES is none of ${CRON_MINUTES.join(', ')}: "${value}".`
}

/** With the longest name of a Worker, at most the 63 characters of a label of a host. */
const INSTALLATION = /^[a-z][a-z0-9-]{0,38}[a-z0-9]$/

const checkInstallation: Check = (value) => {
  if (!INSTALLATION.test(value))
    return `INSTALLATION is not a name of 2 to 40 lower case letters, digits and hyphens: "${value}".`
}

const checkLocalWebhooks: Check = (value) => {
  if (value !== 'false') return 'ALLOW_LOCAL_WEBHOOKS is for your own machine only. Remove it.'
}

const CHECKS: Record<string, Check> = {
  DATABASE_URL: checkDatabaseUrl,
  AUTH_SECRET: checkAuthSecret,
  SECRETS_KEY: checkSecretsKey,
  OWNER_EMAIL: checkOwner,
  MAIL_FROM: checkSender('MAIL_FROM'),
  MAIL_FROM_BULK: checkSender('MAIL_FROM_BULK'),
  RESEND_WEBHOOK_SECRET: checkWebhookSecret('RESEND_WEBHOOK_SECRET'),
  RESEND_BULK_WEBHOOK_SECRET: checkWebhookSecret('RESEND_BULK_WEBHOOK_SECRET'),
  PUBLIC_URL: checkPublicUrl,
  MAX_FETCHES: checkMaxFetches,
  CRON_MINUTES: checkCronMinutes,
  ALLOW_LOCAL_WEBHOOKS: checkLocalWebhooks,
  INSTALLATION: checkInstallation,
}

/** Variables whose default in wrangler.toml is an example or empty. */
const REQUIRED_VARS = ['MAIL_FROM', 'PUBLIC_URL', 'OWNER_EMAIL']

const findMissing = (settings: Settings, deployments: Deployment[]): string[] => {
  const missing = [
    ...missingSecrets(deployments, settings),
    ...REQUIRED_VARS.filter((name) => !settings[name]),
  ].map((name) => `${name} is missing. See .dev.vars.example.`)
  const hasTransport = settings.RESEND_API_KEY || settings.CLOUDFLARE_EMAIL === 'true'
  if (hasTransport) return missing
  return [
    ...missing,
    'Nobody could sign in, because no mail could be sent. Set RESEND_API_KEY, or CLOUDFLARE_EMAIL to true: see docs/mail.md.',
  ]
}

/** Unknown names, such as misspelled ones. */
const findUnknown = (settings: Settings, deployments: Deployment[]): string[] => {
  const known = new Set([
    ...OTHER_SETTINGS,
    ...deployments.flatMap(({ secrets, optional }) => [...secrets, ...optional]),
    ...[...readWorkerConfigs().values()].flatMap(({ vars }) => Object.keys(vars)),
  ])
  return Object.keys(settings).filter((name) => !known.has(name))
}

const messageOf = (error: unknown): string => (error as Error).message

const checkSetting = (name: string, settings: Settings): string | undefined => {
  const value = settings[name]
  try {
    return value ? CHECKS[name]?.(value, settings) : undefined
  } catch (error) {
    return messageOf(error)
  }
}

export const findSettingsProblems = (settings: Settings, deployments: Deployment[]): string[] => [
  ...findMissing(settings, deployments),
  ...Object.keys(CHECKS).flatMap((name) => checkSetting(name, settings) ?? []),
  ...findUnknown(settings, deployments).map(
    (name) => `${name} is not a setting. Correct its name, or remove it.`,
  ),
]

/** The first version with uuidv7(), which payouts need. */
const MIN_POSTGRES = 18

const findServerProblems = async (databaseUrl: string): Promise<string[]> => {
  try {
    const postgres = await withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ version: string }>(
        "select current_setting('server_version_num') as version",
      )
      return Math.floor(Number(rows[0]?.version) / 10_000)
    })
    if (postgres >= MIN_POSTGRES) return []
    return [
      `The server of DATABASE_URL runs Postgres ${postgres}. Create a Neon project with Postgres ${MIN_POSTGRES} or newer.`,
    ]
  } catch (error) {
    return [messageOf(error)]
  }
}

/** The problems of the settings and of the database. */
export const findProblems = async (
  settings: Settings,
  deployments: Deployment[],
): Promise<string[]> => {
  const { DATABASE_URL } = settings
  const mayConnect = DATABASE_URL && !checkSetting('DATABASE_URL', settings)
  return [
    ...findSettingsProblems(settings, deployments),
    ...(mayConnect ? await findServerProblems(DATABASE_URL) : []),
  ]
}
