/** The parts of `npm start`, from the database to the demo's merchant. */
import { appendFileSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDatabaseUrl } from '../cli/database.ts'
import { applySchema, checkSchema, SchemaMismatch } from '../cli/schema.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'
import { partnerLink } from '../lib/values/slugs.ts'
import {
  ensureDemoMerchant,
  MANAGER_EMAIL,
  MEMBER_EMAIL,
  signInDemo,
  writeDemoFile,
} from './demo/demo.ts'
import type { Shop } from './demo/shop/server.ts'
import { ensureDemoStripe, MAYA_COUPON, startDemoStripe } from './demo/stripe-account.ts'
import { INBOX_PATH, startInbox } from './fakes/inbox.ts'
import { oldProgram } from './fakes/sources/program.ts'
import { type SourcesFake, startSources } from './fakes/sources.ts'
import { STRIPE_PATH } from './fakes/stripe.ts'
import { prepareFiles } from './prepare.ts'
import { confirmRemoteDatabase } from './remote-database.ts'
import { startCron } from './runtime/cron.ts'
import { readSecret } from './runtime/files.ts'
import { type LiveWorkers, reloadOnSave, startLiveWorkers } from './runtime/live-workers.ts'
import { startPostgres } from './runtime/postgres.ts'
import type { PublicProxy } from './runtime/proxy.ts'
import type { Statement } from './runtime/sql-endpoint/request.ts'
import { startSqlEndpoint } from './runtime/sql-endpoint.ts'
import type { Mending } from './runtime/workerd.ts'
import { ENDLESS_SIGN_INS } from './runtime/workers.ts'

/** What the process gives its parts. */
export type Host = {
  dataDir: string
  proxy: PublicProxy
  shop: Shop
  /** Registers what is stopped at the end, in reverse order. */
  keep: <T extends { stop: () => Promise<void> }>(name: string, part: T) => T
  mending: Mending
}

/** Neon serves SQL over HTTP itself. Any other Postgres needs our endpoint in front of it. */
const isNeon = (databaseUrl: string): boolean =>
  parseDatabaseUrl(databaseUrl).hostname.endsWith('.neon.tech')

const startDatabase = async ({
  dataDir,
  keep,
  mending,
}: Pick<Host, 'dataDir' | 'keep' | 'mending'>): Promise<DatabaseEnv> => {
  if (process.env.DATABASE_URL) await confirmRemoteDatabase(process.env.DATABASE_URL)
  const databaseUrl =
    process.env.DATABASE_URL ||
    keep('Postgres', await startPostgres({ dataDir, durable: true, ...mending })).databaseUrl
  if (isNeon(databaseUrl)) return { DATABASE_URL: databaseUrl }
  const endpoint = await startSqlEndpoint({
    databaseUrl,
    latencyMs: readLatency(),
    ...(process.env.LOG_SQL && { onRequest: logStatements(join(dataDir, 'sql.log')) }),
  })
  keep('SQL endpoint', endpoint)
  return { DATABASE_URL: databaseUrl, SQL_ENDPOINT: endpoint.url }
}

/** Appends a line of JSON for each request to the database. It holds what people entered. */
const logStatements = (file: string) => (statements: Statement[]) => {
  const sent = statements.map(({ text, values }) => ({ text, values }))
  appendFileSync(file, `${JSON.stringify({ at: new Date(), statements: sent })}\n`)
}

/** The milliseconds of NEON_LATENCY_MS. */
const readLatency = (): number => {
  const { NEON_LATENCY_MS = '0' } = process.env
  if (!/^\d+(\.\d+)?$/.test(NEON_LATENCY_MS))
    throw new Error('NEON_LATENCY_MS is not a number of milliseconds.')
  return Number(NEON_LATENCY_MS)
}

/** Appends the Workers' log lines to a file every second, to keep the terminal readable. */
const keepLogs = (workers: LiveWorkers, file: string) => {
  const write = async () => {
    // Ours are JSON. workerd's own messages are not, and are dropped.
    const lines = workers.takeLogs().filter((line) => line.startsWith('{'))
    if (lines.length) await appendFile(file, `${lines.join('\n')}\n`)
  }
  const timer = setInterval(() => void write(), 1_000)
  return {
    stop: async () => {
      clearInterval(timer)
      await write()
    },
  }
}

/** Adds a year of data to the demo, while the rest is used already. */
const fillDemo = ({ DATABASE_URL }: DatabaseEnv) => {
  let isStopping = false
  void import('./demo/year.ts')
    .then(({ addYear }) => addYear(DATABASE_URL, { manager: MANAGER_EMAIL, member: MEMBER_EMAIL }))
    .then((isAdded) => {
      if (isAdded) console.log('\nThe workspace Alder Press has a year of demo data now.')
    })
    .catch((error: Error) => {
      if (!isStopping) console.error(`\nThe demo data was not added: ${error.message}`)
    })
  return {
    stop: async () => {
      isStopping = true
    },
  }
}

/** Accepted by the fakes of other platforms. */
const DEMO_TOKEN = 'demo'

/** A program to import from each platform. */
const addDemoAccounts = ({ addAccount, platforms }: SourcesFake): void => {
  for (const platform of platforms)
    addAccount(
      platform,
      DEMO_TOKEN,
      oldProgram({ partners: 40, links: 90, customers: 300, commissions: 200, name: platform }),
      { accountId: DEMO_TOKEN },
    )
}

/** Starts the parts behind the open ports, and resolves when everything is up. */
export const startParts = async ({ dataDir, proxy, shop, keep, mending }: Host): Promise<void> => {
  const demoFile = join(dataDir, 'demo.json')
  const database = await startDatabase({ dataDir, keep, mending })
  // The data folder is locked from here on. The file exists only while everything is up.
  const removeDemoFile = () => rm(demoFile, { force: true })
  await removeDemoFile()
  keep(demoFile, { stop: removeDemoFile })

  const explainMismatch = (error: unknown): never => {
    if (process.env.DATABASE_URL || !(error instanceof SchemaMismatch)) throw error
    throw new Error(
      `The local database was made by another version of schema.sql. Delete it with \`rm -rf ${dataDir}\` and start again.`,
    )
  }
  const updateDatabase = async () => {
    await applySchema(database.DATABASE_URL).catch(explainMismatch)
  }
  // Before the Workers start, which takes seconds.
  await checkSchema(database.DATABASE_URL).catch(explainMismatch)
  const secretsKey = readSecret(join(dataDir, 'secrets.key'))
  const webhookSecret = `whsec_${readSecret(join(dataDir, 'stripe-webhook.secret'))}`
  // Whatever the database is, no mail and no money leaves this machine.
  const inbox = keep('Dev inbox', await startInbox())
  const mailSecret = `whsec_${btoa(readSecret(join(dataDir, 'mail-webhook.secret')))}`
  inbox.account.listen({ url: `${proxy.url}/api/webhooks/resend`, secret: mailSecret })
  proxy.mount(INBOX_PATH, new URL(inbox.url))
  const stripe = keep('Stripe fake', await startDemoStripe(proxy.url, webhookSecret))
  proxy.mount(STRIPE_PATH, new URL(stripe.url))
  const sources = keep('Fakes of other platforms', await startSources())
  addDemoAccounts(sources)
  const settings = {
    ...database,
    AUTH_SECRET: readSecret(join(dataDir, 'auth.secret')),
    SECRETS_KEY: secretsKey,
    RESEND_API_KEY: 're_dev',
    RESEND_URL: inbox.url,
    RESEND_WEBHOOK_SECRET: mailSecret,
    ...ENDLESS_SIGN_INS,
    STRIPE_URL: stripe.url,
    SOURCES_URL: sources.url,
    PUBLIC_URL: proxy.url,
    ALLOW_LOCAL_WEBHOOKS: 'true',
    OWNER_EMAIL: MANAGER_EMAIL,
    ...(process.env.ALLOW_SIGNUP && { ALLOW_SIGNUP: process.env.ALLOW_SIGNUP }),
  }
  // Until the first request the Workers need no database: they start while it is prepared.
  const starting = prepareFiles().then((bundles) => startLiveWorkers(settings, bundles, mending))
  keep('Workers', { stop: () => starting.then(({ stop }) => stop()).catch(() => {}) })
  await updateDatabase()
  const merchant = await ensureDemoMerchant(database, shop.url, join(dataDir, 'demo.key'))
  await ensureDemoStripe(database, { webhookSecret, secretsKey })
  const workers = await starting
  workers.onUp(proxy.pointTo)
  const logFile = join(dataDir, 'workers.log')
  keep('Worker log', keepLogs(workers, logFile))
  keep('Cron', startCron(workers))
  shop.open({
    tributaryUrl: proxy.url,
    stripeUrl: stripe.url,
    promotionCode: MAYA_COUPON,
    managerEmail: MANAGER_EMAIL,
    ...merchant,
  })
  if (process.argv.includes('--watch')) reloadOnSave(workers, updateDatabase)

  await writeDemoFile(demoFile, {
    baseUrl: proxy.url,
    shopUrl: shop.url,
    ...merchant,
    ...(await signInDemo({ baseUrl: proxy.url, inboxUrl: inbox.url })),
    databaseUrl: database.DATABASE_URL,
    sqlEndpoint: database.SQL_ENDPOINT ?? null,
    stripeUrl: stripe.url,
    stripeWebhookSecret: webhookSecret,
  })
  const places = [
    ["Demo shop, by Maya's partner link", partnerLink(shop.url, merchant.partnerSlug)],
    ['Dashboard', `${proxy.url}/app`],
    [`  sign in as ${MANAGER_EMAIL}`, ''],
    ['Partner portal', `${proxy.url}/portal`],
    [`  sign in as ${merchant.partnerEmail}`, ''],
    ['Sent mail, with the sign-in links', `${proxy.url}${INBOX_PATH}`],
    ['Stripe fake', `${proxy.url}${STRIPE_PATH}`],
    ['Token of any other platform, to import', DEMO_TOKEN],
    ['Docs, with the API reference', `${proxy.url}/docs`],
    ['URLs, keys and cookies for scripts', demoFile],
    ['Request log', logFile],
  ] as const
  console.log(`
Tributary is running.

${places.map(([what, where]) => `  ${what.padEnd(40)}${where}`.trimEnd()).join('\n')}

Press Ctrl-C to stop. The data is kept.`)
  if (!process.env.DATABASE_URL && process.env.DEMO_YEAR !== 'off')
    keep('Demo data', fillDemo(database))
}
