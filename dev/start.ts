/** `npm start`: the whole system on one machine. With --watch it reloads on save (`npm run dev`). */
import { appendFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseDatabaseUrl } from '../cli/database.ts'
import { applySchema, SchemaMismatch } from '../cli/schema.ts'
import type { DatabaseEnv } from '../lib/db/connection.ts'
import { partnerLink } from '../lib/slugs.ts'
import { build } from './build.ts'
import { ensureDemoMerchant, MANAGER_EMAIL, signInDemo, writeDemoFile } from './demo/demo.ts'
import { startShop } from './demo/shop/server.ts'
import { ensureDemoStripe, MAYA_COUPON, startDemoStripe } from './demo/stripe-account.ts'
import { INBOX_PATH, startInbox } from './fakes/inbox.ts'
import { STRIPE_PATH } from './fakes/stripe.ts'
import { ROOT } from './root.ts'
import { startCron } from './runtime/cron.ts'
import { makeDataDir, readSecret } from './runtime/files.ts'
import { type LiveWorkers, reloadOnSave, startLiveWorkers } from './runtime/live-workers.ts'
import { startPostgres } from './runtime/postgres.ts'
import { startProxy } from './runtime/proxy.ts'
import { startSqlEndpoint } from './runtime/sql-endpoint.ts'

const port = (variable: string, otherwise: number): number => {
  const value = process.env[variable] || String(otherwise)
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error(
      `${variable}=${value} is not a port. Use a number from 0 to 65535; 0 means any free port.`,
    )
  }
  return Number(value)
}

/** Everything started so far. Stopped in reverse order, so that nothing loses what it depends on. */
const running: { name: string; stop: () => Promise<void> }[] = []
let stopping = false

const keep = <T extends { stop: () => Promise<void> }>(name: string, part: T): T => {
  running.push({ name, stop: part.stop })
  return part
}

/** What ends by itself is started again, unless that doesn't help. */
const mending = {
  onLog: console.log,
  onGiveUp: (error: Error) => {
    if (stopping) return
    console.error(`\nTributary has stopped. ${error.message}`)
    void stopAndExit(1)
  },
}

/** Neon serves SQL over HTTP itself. Any other Postgres needs our endpoint in front of it. */
const isNeon = (databaseUrl: string): boolean => parseDatabaseUrl(databaseUrl).hostname.endsWith('.neon.tech')

const startDatabase = async (dataDir: string): Promise<DatabaseEnv> => {
  const databaseUrl =
    process.env.DATABASE_URL ||
    keep('Postgres', await startPostgres({ dataDir, durable: true, ...mending })).databaseUrl
  if (isNeon(databaseUrl)) return { DATABASE_URL: databaseUrl }
  const endpoint = keep('SQL endpoint', await startSqlEndpoint({ databaseUrl }))
  return { DATABASE_URL: databaseUrl, SQL_ENDPOINT: endpoint.url }
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

const start = async (): Promise<void> => {
  const dataDir = makeDataDir(resolve(process.env.DATA_DIR || join(ROOT, '.data')))

  // Ports first: finding out whether they are free is quickest.
  const proxy = keep('HTTP proxy', await startProxy(port('PORT', 8787)))
  const shop = keep('Demo shop', await startShop(port('SHOP_PORT', 8788)))
  console.log('Starting Postgres, the Workers and the demo shop. This takes a few seconds.')

  const demoFile = join(dataDir, 'demo.json')
  const database = await startDatabase(dataDir)
  // The data folder is locked from here on. The file exists only while everything is up.
  const removeDemoFile = () => rm(demoFile, { force: true })
  await removeDemoFile()
  keep(demoFile, { stop: removeDemoFile })

  const updateDatabase = async () => {
    try {
      await applySchema(database.DATABASE_URL)
    } catch (error) {
      if (process.env.DATABASE_URL || !(error instanceof SchemaMismatch)) throw error
      throw new Error(
        `The local database was made by another version of schema.sql. Delete it with \`rm -rf ${dataDir}\` and start again.`,
      )
    }
  }
  await updateDatabase()
  await build()
  const secretsKey = readSecret(join(dataDir, 'secrets.key'))
  const merchant = await ensureDemoMerchant(database, shop.url, join(dataDir, 'demo.key'))

  // Whatever the database is, no mail and no money leaves this machine.
  const inbox = keep('Dev inbox', await startInbox())
  proxy.mount(INBOX_PATH, new URL(inbox.url))
  const webhookSecret = `whsec_${readSecret(join(dataDir, 'stripe-webhook.secret'))}`
  await ensureDemoStripe(database, { webhookSecret, secretsKey })
  const stripe = keep('Stripe fake', await startDemoStripe(proxy.url, webhookSecret))
  proxy.mount(STRIPE_PATH, new URL(stripe.url))
  const settings = {
    ...database,
    AUTH_SECRET: readSecret(join(dataDir, 'auth.secret')),
    SECRETS_KEY: secretsKey,
    RESEND_API_KEY: 're_dev',
    RESEND_URL: inbox.url,
    STRIPE_URL: stripe.url,
    PUBLIC_URL: proxy.url,
    ...(process.env.ALLOW_SIGNUP && { ALLOW_SIGNUP: process.env.ALLOW_SIGNUP }),
  }
  const workers = keep('Workers', await startLiveWorkers(settings, proxy.pointTo, mending))
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
    ['OpenAPI document', `${proxy.url}/openapi.json`],
    ['URLs, keys and cookies for scripts', demoFile],
    ['Request log', logFile],
  ] as const
  console.log(`
Tributary is running.

${places.map(([what, where]) => `  ${what.padEnd(40)}${where}`.trimEnd()).join('\n')}

Press Ctrl-C to stop. The data is kept.`)
}

const stopAndExit = async (exitCode: number): Promise<never> => {
  stopping = true
  for (const { name, stop } of running.splice(0).reverse()) {
    await stop().catch((error: Error) => console.error(`${name} did not stop cleanly: ${error.message}`))
  }
  process.exit(exitCode)
}

const stopOnSignal = (): void => {
  // The terminal signals npm and its children, and npm forwards the signal: ignore repeats.
  if (stopping) return
  console.log('\nStopping.')
  void stopAndExit(0)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of SIGNALS) process.on(signal, stopOnSignal)

// Miniflare adds signal handlers at each reload, which would exit before Postgres has stopped: remove them.
process.on('newListener', (event, listener) => {
  if (SIGNALS.some((signal) => signal === event))
    queueMicrotask(() => process.removeListener(event, listener))
})

try {
  await start()
} catch (error) {
  if (!stopping) {
    console.error(`\nTributary did not start. ${(error as Error).message}`)
    await stopAndExit(1)
  }
}
