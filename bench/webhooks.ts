/**
 * Webhooks: what the triggers cost a workspace that has no endpoint, how soon a sale's webhook
 * arrives, and how many a run sends.
 */
import { createServer } from 'node:http'
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import type { Bundles } from '../dev/runtime/bundles.ts'
import { listen } from '../dev/runtime/ports.ts'
import { startWorkers } from '../dev/runtime/workers.ts'
import { encryptSecret } from '../lib/platform/secrets.ts'
import { median, post } from './measure.ts'
import { type Bindings, createMerchant, newClick, newSale } from './merchant.ts'

const INSERTS = 5_000
const SALES = 200
const BACKLOG = 2_000
const SECRETS_KEY = 'only-for-the-bench-and-known-to-anybody-who-reads'
const AUTH_SECRET = 'the-bench-signs-nobody-in-but-a-Worker-needs-one'
const SECRET = 'whsec_b25seS1mb3ItdGhlLWJlbmNoLWFuZC1rbm93bi10by1hbGw='

/**
 * Inserts one by one in the server, so that nothing but the statement is timed.
 * @returns microseconds of one
 */
const insertMicroseconds = async (client: pg.Client, workspaceId: string): Promise<number> => {
  await client.query('begin')
  const start = performance.now()
  await client.query(`do $$ begin for n in 1..${INSERTS} loop
    insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency, steps, occurred_at)
    values (uuidv7(), '${workspaceId}', 'sale', 'trigger-' || n, 'sale', 'nobody', 4900, 'USD', '[]', now());
  end loop; end $$`)
  const ms = performance.now() - start
  await client.query('rollback')
  return (ms * 1_000) / INSERTS
}

/**
 * The microseconds that the trigger adds to an insert of an event, where nobody listens: the median
 * of several pairs.
 */
const measureTrigger = async (client: pg.Client, workspaceId: string): Promise<number> => {
  const pairs: number[] = []
  for (let round = 0; round < 5; round++) {
    const withTrigger = await insertMicroseconds(client, workspaceId)
    await client.query('alter table events disable trigger events_announce')
    pairs.push(withTrigger - (await insertMicroseconds(client, workspaceId)))
    await client.query('alter table events enable trigger events_announce')
  }
  return median(pairs)
}

/** Receives webhooks, and notes when each sale arrived. */
const startReceiver = async () => {
  const arrived = new Map<string, number>()
  let count = 0
  const server = createServer(async (request, response) => {
    const parts = await request.toArray()
    response.writeHead(204).end()
    count++
    const { data } = JSON.parse(Buffer.concat(parts).toString())
    arrived.set(data.externalId, performance.now())
  })
  return { ...(await listen(server)), arrived, count: () => count }
}

const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resume) => setTimeout(resume, 1))
}

export const measureWebhooks = async (bundles: Bundles, bindings: Bindings) => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  const receiver = await startReceiver()
  const merchant = await createMerchant(bindings)
  const { id: nobody } = await seeder(bindings).addWorkspace()
  const triggerMicroseconds = await measureTrigger(client, nobody)
  await client.query(
    `insert into webhook_endpoints (id, workspace_id, url, types, ciphertext, created_at)
     values (uuidv7(), $1, $2, '{sale.created}', $3, now())`,
    [
      merchant.workspaceId,
      `${receiver.url}/webhooks`,
      await encryptSecret(SECRETS_KEY, merchant.workspaceId, SECRET),
    ],
  )
  const settings = {
    ...bindings,
    SECRETS_KEY,
    AUTH_SECRET,
    ALLOW_LOCAL_WEBHOOKS: 'true',
    MAX_FETCHES: '100000',
  }
  const workers = await startWorkers(settings, bundles)
  try {
    const delays: number[] = []
    const clickId = await newClick(workers.url, merchant)
    for (let sale = 0; sale < SALES; sale++) {
      const body = newSale(clickId)
      await post(new URL('/api/track/sale', workers.url), body, merchant.headers)
      const answered = performance.now()
      await until(() => receiver.arrived.has(body.externalId))
      delays.push((receiver.arrived.get(body.externalId) ?? 0) - answered)
    }
    await client.query(
      `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency, steps, occurred_at)
       select uuidv7(), $1, 'sale', 'backlog-' || n, 'sale', 'nobody', 4900, 'USD', '[]', now() from generate_series(1, ${BACKLOG}) n`,
      [merchant.workspaceId],
    )
    const before = receiver.count()
    const start = performance.now()
    await workers.runCron('webhooks')
    const seconds = (performance.now() - start) / 1_000
    return {
      triggerMicroseconds,
      delayMs: median(delays),
      slowestMs: Math.max(...delays),
      perSecond: (receiver.count() - before) / seconds,
    }
  } finally {
    await workers.stop()
    await receiver.stop()
    await client.end()
  }
}
