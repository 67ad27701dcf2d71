/**
 * `npm run reconcile`: compares Stripe's payments with the ledger. With --fix, it records missing
 * ones.
 */
import { parseArgs } from 'node:util'
import Stripe from 'stripe'
import * as z from 'zod'
import { connect } from '../lib/db/connection.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'
import { Unavailable } from '../lib/platform/unavailable.ts'
import {
  findMissing,
  type MissingSale,
  type Predictions,
  recordListed,
} from '../lib/purchases/reconcile/reconcile.service.ts'
import { listPurchases } from '../lib/purchases/stripe/list-purchases.service.ts'
import { findEndpoint } from '../lib/purchases/stripe/setup.queries.ts'
import { formatMoney } from '../lib/values/money.ts'
import { counted } from '../lib/values/plural.ts'
import { demoOf, ledgerOf } from './database.ts'

const USAGE = `npm run reconcile -- --workspace W --since D [--fix]

  --workspace  the workspace, by its slug or id
  --since      a date in UTC, such as 2026-01-31, or a time, such as 2026-01-31T12:00:00Z
  --fix        records what is missing; without it, nothing is changed

It reads Stripe with STRIPE_API_KEY and the ledger in DATABASE_URL. Without both, it uses those of a running npm start.`

/** Exit codes. */
const MISSING = 1
const FAILED = 2

/** A page of Stripe's API may take seconds. */
const STRIPE_TIMEOUT_MS = 30_000
/** Stripe allows 25 calls a second in test mode, and answers 429 to more. */
const STRIPE_RETRIES = 5

/** Purchases per line of progress. */
const PROGRESS_EVERY = 100

/** The options and settings of the command, and its output. */
export type Terminal = {
  args: string[]
  env: Record<string, string | undefined>
  print: (line: string) => void
  printError: (line: string) => void
}

type Options = { workspace: string; since: Date; fix: boolean; given: string }
type Places = { database: DatabaseEnv; stripeKey: string; stripeUrl: URL }

class Misuse extends Error {}

const readSince = (text: string): Date => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
  if (!z.iso.datetime({ offset: true }).safeParse(time).success) {
    throw new Misuse(
      `--since ${text} is neither a date, such as 2026-01-31, nor a time, such as 2026-01-31T12:00:00Z.`,
    )
  }
  const since = new Date(time)
  if (since > new Date()) throw new Misuse(`--since ${text} is in the future.`)
  return since
}

const parseOptions = (args: string[]) => {
  try {
    return parseArgs({
      args,
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

/** @returns null for --help */
const readOptions = (args: string[]): Options | null => {
  const { workspace, since, fix, help } = parseOptions(args)
  if (help) return null
  if (!workspace || !since) {
    throw new Misuse(`The option ${workspace ? '--since' : '--workspace'} is required.\n\n${USAGE}`)
  }
  return { workspace, since: readSince(since), fix, given: since }
}

const readBase = (base: string): URL => {
  const url = URL.parse(base)
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new Misuse(`STRIPE_API_BASE=${base} is not a URL, such as https://api.stripe.com.`)
}

/** The ledger and Stripe, from the environment or from the running demo. */
const readPlaces = (env: Terminal['env']): Places => {
  const { DATABASE_URL, STRIPE_API_KEY, STRIPE_API_BASE } = env
  const stripeUrl = readBase(STRIPE_API_BASE || 'https://api.stripe.com')
  // One from the environment and one from the demo would be of two merchants.
  if (DATABASE_URL && !STRIPE_API_KEY)
    throw new Misuse('Set STRIPE_API_KEY=rk_live_..., the key to read Stripe with.')
  if (STRIPE_API_KEY && !DATABASE_URL)
    throw new Misuse('Set DATABASE_URL=postgresql://..., the database of the ledger.')

  const database = ledgerOf(env)
  if (database && STRIPE_API_KEY) return { database, stripeKey: STRIPE_API_KEY, stripeUrl }
  const demo = demoOf(env)
  if (database && demo)
    return { database, stripeKey: 'sk_test_demo', stripeUrl: new URL(demo.stripeUrl) }
  throw new Misuse(
    'Set DATABASE_URL=postgresql://... and STRIPE_API_KEY=rk_live_...\nOr start the demo first, with npm start.',
  )
}

const connectStripe = ({
  stripeKey,
  stripeUrl: { hostname: host, port, protocol },
}: Places): Stripe =>
  new Stripe(stripeKey, {
    host,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port && { port }),
    maxNetworkRetries: STRIPE_RETRIES,
    timeout: STRIPE_TIMEOUT_MS,
    telemetry: false,
  })

const lineOf = ({ listed, externalId, paid, explanation }: MissingSale): string =>
  `${listed.paidAt.toISOString().slice(0, 10)}  ${externalId}  ${formatMoney(paid.amountCents, paid.currency).padStart(14)}  ${explanation}`

const reconcile = async (
  options: Options,
  { env, print, printError }: Terminal,
): Promise<number> => {
  /** To stderr, because stdout has only the list. */
  const progress = (what: string) => (count: number) => {
    if (count % PROGRESS_EVERY === 0) printError(`  ${count} ${what}`)
  }
  const places = readPlaces(env)
  // A new connection for each purchase, because each has the deadline of one request.
  const db = () => connect(places.database)
  const endpoint = await findEndpoint(db(), options.workspace)
  if (!endpoint)
    throw new Misuse(`The database has no workspace with the slug or id “${options.workspace}”.`)
  const { workspaceId } = endpoint

  const [, mode = endpoint.mode] = /^[rs]k_(live|test)_/.exec(places.stripeKey) ?? []
  if (mode !== endpoint.mode) {
    throw new Misuse(
      `STRIPE_API_KEY is a key of ${mode} mode, and the workspace is for ${endpoint.mode} mode.`,
    )
  }
  printError(`Reading payments since ${options.given} from Stripe, in ${mode} mode.`)
  const stripe = connectStripe(places)
  const { purchases, returns, unread } = await listPurchases(
    stripe,
    {
      since: options.since,
      livemode: mode === 'live',
      backendCreatesCheckouts: endpoint.backendCreatesCheckouts,
    },
    progress('read'),
  )

  const predictions: Predictions = new Map()
  const missing: MissingSale[] = []
  const compared = progress('compared')
  for (const [at, listed] of [...purchases, ...returns].entries()) {
    const sale = await findMissing(db(), workspaceId, listed, predictions)
    if (sale) {
      print(lineOf(sale))
      missing.push(sale)
    }
    compared(at + 1)
  }

  const listed = counted(purchases.length, 'purchase')
  print(
    missing.length
      ? `\nStripe lists ${listed}. In the ledger, ${missing.length.toLocaleString('en')} of them are missing or incomplete: see above.`
      : `Stripe lists ${listed}. The ledger has all of them.`,
  )
  if (missing.length && !options.fix)
    print('Nothing was changed. Run the command with --fix to record them.')
  if (missing.length && options.fix) {
    const recorded = progress('recorded')
    for (const [at, sale] of missing.entries()) {
      await recordListed(db(), workspaceId, sale.listed, new Date())
      recorded(at + 1)
    }
    print('All of them are recorded now.')
  }
  if (unread.length) {
    printError(`Skipped, because their form is unknown: ${unread.join(', ')}.`)
    return FAILED
  }
  return missing.length && !options.fix ? MISSING : 0
}

/** The error, and what to do about it. */
const explain = (error: unknown): string => {
  if (error instanceof Unavailable) {
    return 'The database of DATABASE_URL does not answer. What was recorded so far is complete; run the command again.'
  }
  if (error instanceof Stripe.errors.StripeAuthenticationError) {
    return `Stripe rejects the key in STRIPE_API_KEY. ${error.message}`
  }
  if (error instanceof Stripe.errors.StripePermissionError) {
    return `The key in STRIPE_API_KEY needs permission to read invoices with their payments, checkout sessions, payment intents, charges, refunds, disputes and credit notes. ${error.message}`
  }
  if (error instanceof Stripe.errors.StripeError)
    return `The call of Stripe failed. ${error.message}`
  return (error as Error).message
}

/** Runs the command. @returns its exit code */
export const runReconcile = async (terminal: Terminal): Promise<number> => {
  try {
    const options = readOptions(terminal.args)
    if (options) return await reconcile(options, terminal)
    terminal.print(USAGE)
    return 0
  } catch (error) {
    terminal.printError(`\n${explain(error)}`)
    return FAILED
  }
}

if (import.meta.main) {
  const { env } = process
  process.exitCode = await runReconcile({
    args: process.argv.slice(2),
    env,
    print: console.log,
    printError: console.error,
  })
}
