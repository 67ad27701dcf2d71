/**
 * What is sent without a cron, and what crons cost where nothing happens. Workers with a database
 * of their own, and an inbox.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { cronWorkers, readWorkerConfigs } from '../../dev/runtime/wrangler-config.ts'
import { createDatabase, dropDatabase, TEMPLATE } from '../support/databases.ts'
import { createMerchant, type Merchant } from '../support/merchant.ts'
import { mailsTo, signIn, somebody } from '../support/people.ts'
import { RESEND_API_KEY } from '../support/secrets.ts'
import { startSqlProxy } from '../support/sql-proxy.ts'
import { checkoutSession, stripeEvent, useStripe } from '../support/stripe.ts'
import { startOwnWorkers } from '../support/workers.ts'

const DATABASE = 'idle_test'
let client: pg.Client
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let counting: Awaited<ReturnType<typeof startSqlProxy>>
let inbox: Inbox
let workers: Workers
let database: { DATABASE_URL: string; SQL_ENDPOINT: string }
let queries = 0

beforeAll(async () => {
  const databaseUrl = await createDatabase(inject('database').DATABASE_URL, DATABASE, TEMPLATE)
  await applySchema(databaseUrl)
  client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  endpoint = await startSqlEndpoint({ databaseUrl, keepPlans: true })
  counting = await startSqlProxy(endpoint.url, async ({ outgoing, ask }) => {
    queries++
    const { status, body } = await ask()
    outgoing.writeHead(status).end(body)
  })
  inbox = await startInbox()
  database = { DATABASE_URL: databaseUrl, SQL_ENDPOINT: endpoint.url }
  const envs = [...cronWorkers(), 'auth', 'manage', 'track-click', 'track-lead', 'track-sale']
  const settings = {
    ...database,
    SQL_ENDPOINT: counting.url,
    RESEND_API_KEY,
    RESEND_URL: inbox.url,
  }
  // With the bindings that the other tests leave out.
  workers = await startOwnWorkers(envs, settings, [])
})
afterAll(async () => {
  await workers.stop()
  await inbox.stop()
  await counting.stop()
  await endpoint.stop()
  await client.end()
  await dropDatabase(inject('database').DATABASE_URL, DATABASE)
})

const createOwnMerchant = () =>
  createMerchant({ baseUrl: workers.url.origin, database, manualPayouts: true })

test('a mail is sent, a payout run goes on, and totals are folded after the commit, without a cron', async () => {
  const merchant = await createOwnMerchant()
  const { id: workspaceId } = merchant.workspace
  await client.query(
    `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, needs_approval)
     values (uuidv7(), $1, 'manual', now(), 'ann@example.com', now(), false)`,
    [workspaceId],
  )
  const email = somebody()
  const { post } = await merchant.asManager()
  expect((await post('/members', { email, role: 'member' })).status).toBe(201)

  await vi.waitFor(async () => expect(await mailsTo(email, inbox.url)).toHaveLength(1), 60_000)
  await vi.waitFor(async () => {
    const { rows } = await client.query(
      `select from payout_runs where workspace_id = $1 and claimed_at is null
       union all select from total_deltas where workspace_id = $1`,
      [workspaceId],
    )
    expect(rows).toEqual([])
  }, 60_000)
})

/**
 * An endpoint of a workspace, which is never called: what its events are signed with cannot be
 * decrypted.
 */
const listenTo = (type: string, workspaceId: string) =>
  client.query(
    `insert into webhook_endpoints (id, workspace_id, url, types, ciphertext, created_at)
     values (uuidv7(), $1, 'https://shop.acme.com', $2, '', now())`,
    [workspaceId, [type]],
  )

/** Queues what any nudge of a Worker sends. @returns the rows that are left, in each queue */
const queueInAll = async () => {
  const { workspace } = await createOwnMerchant()
  await listenTo('lead.created', workspace.id)
  // Of nothing: it fails.
  await client.query(`select announce($1, 'lead.created', array[uuidv7()], array[null::uuid])`, [
    workspace.id,
  ])
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'invitation', $2, '{"workspaceName": "Acme", "role": "member", "invitedBy": "ann@example.com", "url": "https://tributary.example"}', now(), now())`,
    [workspace.id, somebody()],
  )
  await client.query(
    `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, needs_approval)
     values (uuidv7(), $1, 'manual', now(), 'ann@example.com', now(), false)`,
    [workspace.id],
  )
  return async () => {
    const { rows } = await client.query<{ queue: string }>(
      `select 'OUTBOX' as queue from mails where workspace_id = $1 and sent_at is null
       union all select 'PAYOUT_QUEUE' from payout_runs where workspace_id = $1 and claimed_at is null
       union all select 'WEBHOOKS' from webhook_deliveries where workspace_id = $1 and failed_at is null
       order by queue`,
      [workspace.id],
    )
    return rows.map(({ queue }) => queue)
  }
}

test.each([
  {
    case: 'a payout run by API, of which a part may be left',
    commit: async (merchant: Merchant) => {
      const { post } = await merchant.asManager()
      return (await post('/payouts/run', { method: 'manual', dryRun: true })).status
    },
    left: [],
  },
  {
    case: 'a report of which an endpoint is told',
    commit: async (merchant: Merchant) => {
      await listenTo('sale.created', merchant.workspace.id)
      return (await merchant.sale({})).status
    },
    left: ['PAYOUT_QUEUE'],
  },
  {
    case: 'an event of Stripe',
    commit: async (merchant: Merchant) => {
      const stripe = await useStripe(merchant, workers.url.origin)
      return (await stripe.deliver(stripeEvent('checkout.session.completed', checkoutSession())))
        .status
    },
    left: ['PAYOUT_QUEUE'],
  },
  {
    case: 'a sign-in, which a mail reports',
    commit: async () => {
      await signIn(somebody(), { baseUrl: workers.url.origin, inboxUrl: inbox.url })
      return 200
    },
    left: ['PAYOUT_QUEUE', 'WEBHOOKS'],
  },
  {
    case: 'a report that is joined with what came before it',
    commit: async (merchant: Merchant) =>
      (await merchant.lead({ externalId: 'cus_1', customerExternalId: 'user_1' })).status,
    left: ['PAYOUT_QUEUE'],
  },
  {
    case: 'a cron that applies what Stripe has reported',
    commit: async (merchant: Merchant) => {
      await merchant.lead({ clickId: await merchant.click() })
      await client.query('update customers set replan_from = now() where workspace_id = $1', [
        merchant.workspace.id,
      ])
      await workers.runCron('stripe-webhook')
      return 200
    },
    left: ['PAYOUT_QUEUE'],
  },
])('$case nudges who sends what it commits', async ({ commit, left }) => {
  const merchant = await createOwnMerchant()
  const leftIn = await queueInAll()
  expect(await commit(merchant)).toBe(200)
  await vi.waitFor(async () => expect(await leftIn()).toEqual(left), 60_000)
})

test('more mails than a round may send go out in several', async () => {
  const merchant = await createOwnMerchant()
  const tag = crypto.randomUUID()
  const { post } = await merchant.asManager()
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
     select uuidv7(), $1, 'invitation', 'p' || n || '-' || $2 || '@example.com',
            '{"workspaceName": "Acme", "role": "member", "invitedBy": "ann@example.com", "url": "https://tributary.example"}', now(), now()
     from generate_series(1, 100) n`,
    [merchant.workspace.id, tag],
  )
  await post('/members', { email: somebody(), role: 'member' })
  await vi.waitFor(async () => {
    const { rows: unsent } = await client.query(
      `select from mails where recipient like '%' || $1 || '%' and sent_at is null`,
      [tag],
    )
    expect(unsent).toHaveLength(0)
  }, 60_000)
})

/** The minutes of a day at which a cron runs. */
const minutesOf = (cron: string): number[] => {
  const step = /^\*\/(\d+) \* \* \* \*$/.exec(cron)?.[1]
  if (!step) throw new Error(`This cron is not read here: ${cron}`)
  return Array.from({ length: 1_440 }, (_, minute) => minute).filter(
    (minute) => (minute % 60) % Number(step) === 0,
  )
}

test('a day on which nothing happens costs one query per cron, and wakes the database 48 times', {
  tags: 'thorough',
}, async () => {
  const merchant = await createOwnMerchant()
  await merchant.sale({ clickId: await merchant.click() })
  // What is left of that, and of the tests before.
  const quiet = async () => {
    for (const env of cronWorkers()) await workers.runCron(env)
    const before = queries
    for (const env of cronWorkers()) await workers.runCron(env)
    return queries - before
  }
  await vi.waitFor(async () => expect(await quiet()).toBe(cronWorkers().length), 60_000)

  const crons = cronWorkers().map((env) => ({
    env,
    crons: readWorkerConfigs().get(env)?.triggers.crons ?? [],
  }))
  const runs = crons.flatMap(({ env, crons }) =>
    crons.flatMap(minutesOf).map((minute) => ({ env, minute })),
  )
  queries = 0
  for (const { env } of runs.sort((a, b) => a.minute - b.minute)) await workers.runCron(env)
  expect({ queries, wakes: new Set(runs.map(({ minute }) => minute)).size }).toEqual({
    queries: cronWorkers().length * 48,
    wakes: 48,
  })
})
