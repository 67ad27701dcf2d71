/** `npm run reconcile`: holds what Stripe lists against the ledger, and with --fix records what is lacking. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import Stripe from 'stripe'
import * as z from 'zod'
import type { Demo } from '../dev/demo/demo.ts'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'
import { connect, type DatabaseEnv } from '../lib/db/connection.ts'
import { formatMoney } from '../lib/money.ts'
import { counted } from '../lib/plural.ts'
import { type Foresight, findLack, type Lack, recordListed } from '../lib/purchases/reconcile.service.ts'
import { listPurchases } from '../lib/purchases/stripe/list-purchases.service.ts'
import { findEndpoint } from '../lib/purchases/webhook.queries.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { parseDatabaseUrl } from './database.ts'

const USAGE = `npm run reconcile -- --workspace W --since D [--fix]

  --workspace  the workspace, by its slug or id
  --since      a day, as 2026-01-31 (in UTC), or a moment, as 2026-01-31T12:00:00Z
  --fix        records what is lacking; without it, nothing is changed

It reads Stripe by STRIPE_API_KEY, and the ledger in DATABASE_URL. Without both, it takes those of a running npm start.`

/** The exit code for what is lacking, and for what went wrong. */
const LACKING = 1
const FAILED = 2

/** A page of Stripe's may take seconds. */
const STRIPE_TIMEOUT_MS = 30_000
/** Stripe allows 25 calls a second in test mode, and says when they are too many. */
const STRIPE_RETRIES = 5

/** Each line of progress stands for so many. */
const PROGRESS_EVERY = 100

type Options = { workspace: string; since: Date; fix: boolean; given: string }
type Places = { database: DatabaseEnv; stripeKey: string; stripeUrl: URL }

/** What was asked for can't be done so. */
class Misuse extends Error {}

const readSince = (text: string): Date => {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  if (!z.iso.datetime({ offset: true }).safeParse(moment).success) {
    throw new Misuse(
      `--since ${text} is not a day, such as 2026-01-31, nor a moment, such as 2026-01-31T12:00:00Z.`,
    )
  }
  const since = new Date(moment)
  if (since > new Date()) throw new Misuse(`--since ${text} is yet to come.`)
  return since
}

const parseOptions = () => {
  try {
    return parseArgs({
      options: {
        workspace: { type: 'string' },
        since: { type: 'string' },
        fix: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n\n${USAGE}`)
  }
}

/** @returns null when only help was asked for */
const readOptions = (): Options | null => {
  const { workspace, since, fix, help } = parseOptions()
  if (help) return null
  if (!workspace || !since) {
    throw new Misuse(`Say ${workspace ? 'since when: --since' : 'which workspace: --workspace'}.\n\n${USAGE}`)
  }
  return { workspace, since: readSince(since), fix, given: since }
}

const readBase = (base: string): URL => {
  const url = URL.parse(base)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new Misuse(`STRIPE_API_BASE=${base} is not an address, such as https://api.stripe.com.`)
}

/** Where the ledger and Stripe are: as the environment says, or else those of the demo that runs here. */
const readPlaces = (): Places => {
  const { DATABASE_URL, SQL_ENDPOINT, STRIPE_API_KEY, STRIPE_API_BASE } = process.env
  const stripeUrl = readBase(STRIPE_API_BASE || 'https://api.stripe.com')
  if (DATABASE_URL && STRIPE_API_KEY) {
    parseDatabaseUrl(DATABASE_URL)
    return {
      database: { DATABASE_URL, ...(SQL_ENDPOINT && { SQL_ENDPOINT }) },
      stripeKey: STRIPE_API_KEY,
      stripeUrl,
    }
  }
  // Half of one and half of the other would hold one merchant's payments against another one's ledger.
  if (DATABASE_URL) throw new Misuse('Say by which key Stripe is to be read: STRIPE_API_KEY=rk_live_...')
  if (STRIPE_API_KEY) throw new Misuse('Say which database holds the ledger: DATABASE_URL=postgresql://...')

  const file = join(resolve(process.env.DATA_DIR || join(ROOT, '.data')), 'demo.json')
  const text = readIfThere(file)
  if (text === undefined) {
    throw new Misuse(
      'Say where the ledger is, and by which key Stripe is to be read: DATABASE_URL=postgresql://... STRIPE_API_KEY=rk_live_...\nOr start the demo first, with npm start.',
    )
  }
  const { databaseUrl, sqlEndpoint, stripeUrl: fake } = JSON.parse(text) as Demo
  return {
    database: { DATABASE_URL: databaseUrl, ...(sqlEndpoint && { SQL_ENDPOINT: sqlEndpoint }) },
    stripeKey: 'sk_test_demo',
    stripeUrl: new URL(fake),
  }
}

const connectStripe = ({ stripeKey, stripeUrl: { hostname: host, port, protocol } }: Places): Stripe =>
  new Stripe(stripeKey, {
    host,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port && { port }),
    maxNetworkRetries: STRIPE_RETRIES,
    timeout: STRIPE_TIMEOUT_MS,
    telemetry: false,
  })

/** Progress goes to where errors go, so that a file or another program gets the list alone. */
const progress = (what: string) => (count: number) => {
  if (count % PROGRESS_EVERY === 0) console.error(`  ${count} ${what}`)
}

const printLack = ({ listed, externalId, paid, words }: Lack): void =>
  console.log(
    `${listed.paidAt.toISOString().slice(0, 10)}  ${externalId}  ${formatMoney(paid.amountCents, paid.currency).padStart(14)}  ${words}`,
  )

const reconcile = async (options: Options): Promise<number> => {
  const places = readPlaces()
  // The deadline of a connection is that of one request, so each purchase has its own.
  const db = () => connect(places.database)
  const endpoint = await findEndpoint(db(), options.workspace)
  if (!endpoint) throw new Misuse(`The database has no workspace with the slug or id “${options.workspace}”.`)
  const { workspaceId } = endpoint

  const mode = /^[rs]k_test_/.test(places.stripeKey) ? 'test mode' : 'live mode'
  console.error(`Reading what was paid since ${options.given} from Stripe, in ${mode}.`)
  const stripe = connectStripe(places)
  const { purchases, unread } = await listPurchases(stripe, options.since, progress('read'))

  const foresight: Foresight = new Map()
  const lacks: Lack[] = []
  const compared = progress('compared')
  for (const [at, listed] of purchases.entries()) {
    const lack = await findLack(db(), workspaceId, listed, foresight)
    if (lack) {
      printLack(lack)
      lacks.push(lack)
    }
    compared(at + 1)
  }

  const listed = counted(purchases.length, 'purchase')
  console.log(
    lacks.length
      ? `\nStripe lists ${listed}. The ledger lacks something of ${lacks.length.toLocaleString('en')}: see above.`
      : `Stripe lists ${listed}. The ledger lacks nothing.`,
  )
  if (lacks.length && !options.fix)
    console.log('Nothing was changed. The same command with --fix records it.')
  if (lacks.length && options.fix) {
    const recorded = progress('recorded')
    for (const [at, lack] of lacks.entries()) {
      await recordListed(db(), workspaceId, lack.listed, new Date())
      recorded(at + 1)
    }
    console.log('It is recorded now.')
  }
  if (unread.length) {
    console.error(
      `Left out, because Stripe gave it in a form that is not understood here: ${unread.join(', ')}.`,
    )
    return FAILED
  }
  return lacks.length && !options.fix ? LACKING : 0
}

/** What went wrong, and what to do about it. */
const explain = (error: unknown): string => {
  if (error instanceof Unavailable) {
    return 'The database of DATABASE_URL does not answer. What is recorded so far is whole; run this again.'
  }
  if (error instanceof Stripe.errors.StripeAuthenticationError) {
    return `Stripe refuses the key of STRIPE_API_KEY. ${error.message}`
  }
  if (error instanceof Stripe.errors.StripePermissionError) {
    return `The key of STRIPE_API_KEY may not read all that is needed: invoices with their payments, and checkout sessions. ${error.message}`
  }
  if (error instanceof Stripe.errors.StripeError)
    return `Stripe does not answer as it should. ${error.message}`
  return (error as Error).message
}

try {
  const options = readOptions()
  if (options) process.exitCode = await reconcile(options)
  else console.log(USAGE)
} catch (error) {
  console.error(`\n${explain(error)}`)
  process.exitCode = FAILED
}
