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
import { startClock } from './runtime/cron.ts'
import { makeDataDir, readSecret } from './runtime/files.ts'
import { startFront } from './runtime/front.ts'
import { type LiveWorkers, reloadOnSave, startLiveWorkers } from './runtime/live-workers.ts'
import { startPostgres } from './runtime/postgres.ts'
import { startSqlEndpoint } from './runtime/sql-endpoint.ts'

const port = (variable: string, otherwise: number): number => {
  const value = process.env[variable] || String(otherwise)
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new Error(`${variable}=${value} is not a port. Use a number from 0 to 65535; 0 is any free one.`)
  }
  return Number(value)
}

/** What was started, to be stopped the last first, so that nothing loses what it stands on. */
const running: { name: string; stop: () => Promise<void> }[] = []
let stopping = false

const keep = <T extends { stop: () => Promise<void> }>(name: string, part: T): T => {
  running.push({ name, stop: part.stop })
  return part
}

/** Neon speaks SQL over HTTP itself; before any other Postgres stands our own endpoint. */
const isNeon = (databaseUrl: string): boolean => parseDatabaseUrl(databaseUrl).hostname.endsWith('.neon.tech')

const startDatabase = async (dataDir: string): Promise<DatabaseEnv> => {
  const databaseUrl =
    process.env.DATABASE_URL ||
    keep('Postgres', await startPostgres({ dataDir, durable: true, onLog: console.log })).databaseUrl
  if (isNeon(databaseUrl)) return { DATABASE_URL: databaseUrl }
  const endpoint = keep('The SQL endpoint', await startSqlEndpoint({ databaseUrl }))
  return { DATABASE_URL: databaseUrl, SQL_ENDPOINT: endpoint.url }
}

/** Writes the Workers' log lines to a file, once a second: they would drown what a person reads. */
const keepLogs = (workers: LiveWorkers, file: string) => {
  const write = async () => {
    // workerd has something to say now and then too, but not in JSON.
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

  // The ports come first: whether they are free is the quickest thing to find out.
  const front = keep('The front', await startFront(port('PORT', 8787)))
  const shop = keep('The shop', await startShop(port('SHOP_PORT', 8788)))
  console.log('Starting Postgres, the Workers and the demo shop; this takes some seconds.')

  const demoFile = join(dataDir, 'demo.json')
  const database = await startDatabase(dataDir)
  // From here on the folder is ours. The file says that everything is up, so it goes until that is true, and in the end.
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

  // Whatever the database, no mail leaves this machine, and no money.
  const inbox = keep('The inbox', await startInbox())
  front.mount(INBOX_PATH, new URL(inbox.url))
  const webhookSecret = `whsec_${readSecret(join(dataDir, 'stripe-webhook.secret'))}`
  await ensureDemoStripe(database, { webhookSecret, secretsKey })
  const stripe = keep('The Stripe fake', await startDemoStripe(front.url, webhookSecret))
  front.mount(STRIPE_PATH, new URL(stripe.url))
  const settings = {
    ...database,
    AUTH_SECRET: readSecret(join(dataDir, 'auth.secret')),
    SECRETS_KEY: secretsKey,
    RESEND_API_KEY: 're_dev',
    RESEND_URL: inbox.url,
    STRIPE_URL: stripe.url,
    PUBLIC_URL: front.url,
  }
  const workers = keep('The Workers', await startLiveWorkers(settings, front.pointTo))
  const logFile = join(dataDir, 'workers.log')
  keep('The log', keepLogs(workers, logFile))
  keep('The clock', startClock(workers))
  shop.open({ tributaryUrl: front.url, stripeUrl: stripe.url, promotionCode: MAYA_COUPON, ...merchant })
  if (process.argv.includes('--watch')) reloadOnSave(workers, updateDatabase)

  await writeDemoFile(demoFile, {
    baseUrl: front.url,
    shopUrl: shop.url,
    ...merchant,
    ...(await signInDemo({ baseUrl: front.url, inboxUrl: inbox.url })),
    databaseUrl: database.DATABASE_URL,
    sqlEndpoint: database.SQL_ENDPOINT ?? null,
    stripeUrl: stripe.url,
    stripeWebhookSecret: webhookSecret,
  })
  const places = [
    ["The demo shop, through Maya's link", partnerLink(shop.url, merchant.partnerSlug)],
    [`The pages, for ${MANAGER_EMAIL}`, `${front.url}/app`],
    [`The portal, for ${merchant.partnerEmail}`, `${front.url}/portal`],
    ['All mails, with the sign-in links', `${front.url}${INBOX_PATH}`],
    ['The Stripe fake, with its events', `${front.url}${STRIPE_PATH}`],
    ['The API, described', `${front.url}/openapi.json`],
    ['What a script needs to know', demoFile],
    ['One line per request', logFile],
  ] as const
  console.log(`
Tributary is running.

${places.map(([what, where]) => `  ${what.padEnd(40)}${where}`).join('\n')}

Ctrl-C stops everything; the data stays.`)
}

const stopAndExit = async (exitCode: number): Promise<never> => {
  stopping = true
  for (const { name, stop } of running.splice(0).reverse()) {
    await stop().catch((error: Error) => console.error(`${name} did not stop cleanly: ${error.message}`))
  }
  process.exit(exitCode)
}

const stopOnSignal = (): void => {
  // A terminal signals npm and all its children, and npm passes it on: once is enough.
  if (stopping) return
  console.log('\nStopping.')
  void stopAndExit(0)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of SIGNALS) process.on(signal, stopOnSignal)

// Miniflare would exit at a signal, before Postgres is stopped, and listens anew at each reload: nobody else listens here.
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
