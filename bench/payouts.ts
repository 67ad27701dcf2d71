/**
 * Measures the payout of 10,000 partners: the claim against a bare statement, and the number of
 * scheduled runs.
 */
import { createServer } from 'node:http'
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import { listen } from '../dev/runtime/ports.ts'
import { connect } from '../lib/db/connection.ts'
import { beginRun } from '../lib/payouts/runs/begin-run.queries.ts'
import { claimPage, growPayout } from '../lib/payouts/runs/claims.queries.ts'
import { payDue } from '../lib/upkeep/pay-due.service.ts'
import { median } from './measure.ts'
import type { Bindings } from './merchant.ts'

const PARTNERS = 10_000
const COMMISSIONS_EACH = 5
/** Subrequests per run on Cloudflare's paid plan: 1,000, less a tenth in reserve. */
const MAX_FETCHES = 900
const PAGE = 500
const SECRETS_KEY = 'only-for-the-bench-and-known-to-anybody-who-reads'

/** A Stripe that accepts every transfer. */
const startStripe = () => {
  let transfers = 0
  const server = createServer((_, response) => {
    transfers++
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify({
        id: `tr_${transfers}`,
        object: 'transfer',
        currency: 'usd',
        amount_reversed: 0,
      }),
    )
  })
  return listen(server)
}

/** A workspace of connected partners with five payable commissions each. */
const addWorkspace = async (bindings: Bindings, client: pg.Client): Promise<string> => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  await seed.addStripeKey(workspaceId, 'sk_test_bench', 'acct_bench', SECRETS_KEY)
  const ids = [workspaceId, programId]
  await client.query(
    `insert into partners (id, workspace_id, program_id, email, slug, slug_key)
     select uuidv7(), $1, $2, 'partner-' || n || '@bench.example', 'p' || n, 'p' || n
     from generate_series(1, ${PARTNERS}) n`,
    ids,
  )
  await client.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select uuidv7(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from partners where workspace_id = $1`,
    [workspaceId],
  )
  await client.query('begin')
  await client.query(
    `with earned as materialized (
       select p.*, gen_random_uuid() as customer_id, gen_random_uuid() as event_id, uuidv7() as commission_id
       from partners p, generate_series(1, ${COMMISSIONS_EACH})
       where p.workspace_id = $1
     ), customers as (
       insert into customers (id, workspace_id, external_id, partner_id, created_at)
       select customer_id, workspace_id, customer_id, id, now() from earned
     ), identities as (
       insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
       select workspace_id, customer_id, 'external', customer_id, 'import', now() from earned
     )
     insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, partner_id,
                         attributed_by, amount_cents, currency, steps, occurred_at, commission_id)
     select event_id, workspace_id, 'sale', event_id, 'sale', customer_id, customer_id, id, 'click', 4900, 'USD', '[]',
            now(), commission_id from earned`,
    [workspaceId],
  )
  // A commission has the day of its event, which has to exist.
  await client.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                              amount_cents, currency, payable_at, created_at)
     select e.commission_id, e.workspace_id, g.id, e.partner_id, e.customer_id, e.id, g.reward_id, 'sale', 980, 'USD',
            now(), now()
     from events e join programs g on g.workspace_id = e.workspace_id where e.workspace_id = $1`,
    [workspaceId],
  )
  await client.query('commit')
  return workspaceId
}

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Claims all commissions in pages, as a run does. @returns the time of each page */
const claimAll = async (bindings: Bindings, workspaceId: string): Promise<number[]> => {
  const now = new Date()
  const scope = {
    workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
  }
  const begun = await beginRun(connect(bindings), scope, { actor: 'bench', now })
  const run = { ...scope, id: begun?.id ?? '' }
  const pages: number[] = []
  let claimed = 'more'
  while (claimed !== 'all') {
    pages.push(
      await time(async () => {
        if (claimed === 'growing') await growPayout(connect(bindings), run, new Date())
        claimed = await claimPage(connect(bindings), run, { partners: PAGE }, new Date())
      }),
    )
  }
  return pages
}

/** Creates the same payouts in one statement without checks. */
const claimBare = (client: pg.Client, workspaceId: string) =>
  client.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values (uuidv7(), $1, 'manual', now(), 'bench', now(), now()) returning id
     ), due as materialized (
       select uuidv7() as id, program_id, partner_id, currency, sum(amount_cents) as amount_cents
       from commissions where workspace_id = $1 and payout_id is null group by program_id, partner_id, currency
     ), made as (
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                            next_attempt_at)
       select due.id, $1, run.id, program_id, partner_id, currency, amount_cents, now(), now() from due, run
     )
     update commissions c set payout_id = due.id from due
     where c.partner_id = due.partner_id and c.currency = due.currency and c.payout_id is null`,
    [workspaceId],
  )

/** Runs the cron until all partners are paid. @returns the number of runs and fetches */
const sendAll = async (bindings: Bindings, stripeUrl: string) => {
  const real = fetch
  let fetches = 0
  globalThis.fetch = (...call) => {
    fetches++
    return real(...call)
  }
  const env = {
    ...bindings,
    SECRETS_KEY,
    STRIPE_URL: stripeUrl,
    PUBLIC_URL: 'https://bench.example',
  }
  let runs = 0
  let most = 0
  const start = performance.now()
  for (let sent = 0; sent < PARTNERS; runs++) {
    const before = fetches
    const tally = await payDue({ ...env, MAX_FETCHES: String(MAX_FETCHES) })
    if (!tally) throw new Error(`Only ${sent} of ${PARTNERS} were sent.`)
    sent += tally.sent
    most = Math.max(most, fetches - before)
  }
  globalThis.fetch = real
  return { runs, fetches, most, seconds: (performance.now() - start) / 1_000 }
}

/**
 * Measures the payout of 10,000 partners with 50,000 commissions, in tables that are not analyzed
 * yet.
 */
export const measurePayouts = async (bindings: Bindings) => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  const stripe = await startStripe()
  try {
    const claimed = await addWorkspace(bindings, client)
    const bare = await addWorkspace(bindings, client)
    const pages = await claimAll(bindings, claimed)
    const bareMs = await time(() => claimBare(client, bare))
    const sent = await sendAll(bindings, stripe.url)
    const verifyMs = await time(async () => {
      const { rows } = await client.query('select * from verify_ledger()')
      if (rows.length) throw new Error(`The ledger does not add up: ${JSON.stringify(rows[0])}`)
    })
    const claimMs = pages.reduce((sum, ms) => sum + ms, 0)
    return {
      claimMs,
      bareMs,
      pageMs: median(pages),
      slowestPageMs: Math.max(...pages),
      verifyMs,
      ...sent,
    }
  } finally {
    await stripe.stop()
    await client.end()
  }
}
