// @module-tag sampled
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { useDurable } from '../support/durable.ts'
import { createMerchant, type Merchant } from '../support/merchant.ts'
import { timesOver } from '../support/thorough.ts'

const CALLERS = 8
const ROUNDS = timesOver({ quick: 1, thorough: 3, exhaustive: 3 })
const BATCH = 10

const durable = useDurable([
  'track-click',
  'track-sale',
  'track-lead',
  'track-refund',
  'track-batch',
  'stripe-webhook',
])

const begin = async () => {
  const merchant = await createMerchant({
    baseUrl: durable.baseUrl(),
    database: durable.database(),
  })
  // The first use of a key is noted, which flushes what came before it: here, nothing that a test
  // looks at.
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'first', customerExternalId: 'first', clickId })
  return { merchant, clickId }
}

const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: durable.database().DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<Row>(text, values)
  await client.end()
  return rows
}

/** The ids of a merchant's events by kind and external id. */
const savedOf = async ({ workspace }: Merchant): Promise<Map<string, string>> => {
  const rows = await query<{ key: string; id: string }>(
    `select kind || ' ' || external_id as key, id from events where workspace_id = $1`,
    [workspace.id],
  )
  return new Map(rows.map(({ key, id }) => [key, id]))
}

type Result = { eventId?: string | null; error?: unknown }

/**
 * Reports sales of as many customers in a batch.
 * @returns the answer to each, none if the batch was not answered 200
 */
const sendBatch = async (merchant: Merchant, clickId: string, ids: string[]): Promise<Result[]> => {
  const events = ids.map((id) => ({
    kind: 'sale',
    externalId: id,
    customerExternalId: id,
    clickId,
    amountCents: 4_900,
  }))
  const { status, body } = await merchant.post('/api/track/batch', { events })
  expect([200, 503]).toContain(status)
  return status === 200 ? (body.results as Result[]) : ids.map(() => ({ error: true }))
}

test('what was answered 200 is in the database after Postgres was killed, and repeats make one event each', async () => {
  const { merchant, clickId } = await begin()
  const answered = new Map<string, unknown>()
  const unanswered = new Set<string>()
  const note = (id: string, { eventId, error }: Result) => {
    if (error === undefined) answered.set(id, eventId)
    else unanswered.add(id)
  }
  const single = async (id: string) => {
    const { status, body } = await merchant.sale({
      externalId: id,
      customerExternalId: id,
      clickId,
    })
    expect([200, 503]).toContain(status)
    note(id, body)
  }
  /** A batch, and repeats of its reports while it is saved. */
  const batch = async (ids: string[]) => {
    const sent = sendBatch(merchant, clickId, ids)
    const repeats = ids.slice(-2).map(single)
    for (const [index, result] of (await sent).entries()) note(ids[index] ?? '', result)
    await Promise.all(repeats)
  }

  for (let round = 0; round < ROUNDS; round++) {
    let crashed = false
    const call = async (caller: number) => {
      for (let index = 0; !crashed; index++) {
        const id = `${round}-${caller}-${index}`
        if (caller % 2) await batch(Array.from({ length: BATCH }, (_, place) => `${id}-${place}`))
        else await single(id)
      }
    }
    const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller))
    const before = answered.size
    await vi.waitUntil(() => answered.size > before + 10 * CALLERS, 60_000)
    const restart = await durable.killPostgres()
    await restart()
    crashed = true
    await Promise.all(calls)
  }

  const saved = await savedOf(merchant)
  expect(answered.size).toBeGreaterThan(CALLERS)
  expect([...answered].filter(([id, eventId]) => saved.get(`sale ${id}`) !== eventId)).toEqual([])

  const reported = [...new Set([...unanswered, ...answered.keys()])]
  for (const id of reported) {
    const { status, body } = await merchant.sale({
      externalId: id,
      customerExternalId: id,
      clickId,
    })
    expect(status).toBe(200)
    expect(body.eventId).toBe(answered.get(id) ?? saved.get(`sale ${id}`) ?? body.eventId)
  }
  const [sums] = await query(
    `select count(*)::int as events, count(distinct external_id)::int as reports,
            (select count(*)::int from commissions where workspace_id = $1) as commissions,
            (select count(*)::int from customers where workspace_id = $1) as customers
     from events where workspace_id = $1`,
    [merchant.workspace.id],
  )
  const all = reported.length + 1
  expect(sums).toEqual({ events: all, reports: all, commissions: all, customers: all })
})

test.each<{ what: string; send: (merchant: Merchant, clickId: string) => Promise<string[]> }>([
  {
    what: 'A batch',
    send: async (merchant, clickId) => {
      const ids = Array.from({ length: 30 }, (_, index) => `batch-${index}`)
      const results = await sendBatch(merchant, clickId, ids)
      return ids.filter((_, index) => results[index]?.eventId).map((id) => `sale ${id}`)
    },
  },
  {
    what: 'A sale',
    send: async (merchant, clickId) => {
      const { status } = await merchant.sale({ externalId: 'alone', clickId })
      return status === 200 ? ['sale alone'] : []
    },
  },
  {
    what: 'A lead',
    send: async (merchant, clickId) => {
      const { status } = await merchant.lead({ externalId: 'ann', clickId })
      return status === 200 ? ['lead ann'] : []
    },
  },
  {
    what: 'A refund',
    send: async (merchant) => {
      const { status } = await merchant.refund({ externalId: 'back', saleExternalId: 'first' })
      return status === 200 ? ['refund back'] : []
    },
  },
])('$what that was answered 200 just before a power cut is kept', async ({ send }) => {
  const { merchant, clickId } = await begin()
  const answered = await send(merchant, clickId)
  const reconnect = await durable.cutPower()
  const saved = await savedOf(merchant)
  await reconnect()
  expect(answered).not.toEqual([])
  expect(answered.filter((key) => !saved.has(key))).toEqual([])
})

/** The last report of a batch that can be seen by others while the batch is saved. */
const untilVisible = async ({ workspace }: Merchant): Promise<string> => {
  const client = new pg.Client({ connectionString: durable.database().DATABASE_URL })
  await client.connect()
  for (;;) {
    const { rows } = await client.query<{ external_id: string }>(
      `select external_id from events where workspace_id = $1 and external_id like 'batch-%' order by id desc limit 1`,
      [workspace.id],
    )
    if (rows[0]) {
      await client.end()
      return rows[0].external_id
    }
    await pause(1)
  }
}

test.each<{
  what: string
  repeat: (merchant: Merchant, clickId: string, id: string) => Promise<boolean>
}>([
  {
    what: 'by itself',
    repeat: async (merchant, clickId, id) =>
      (await merchant.sale({ externalId: id, customerExternalId: id, clickId })).status === 200,
  },
  {
    what: 'in another batch',
    repeat: async (merchant, clickId, id) =>
      (await sendBatch(merchant, clickId, [id]))[0]?.error === undefined,
  },
])(
  'A report that is repeated $what while its batch is saved, and answered 200, is kept',
  async ({ repeat }) => {
    const { merchant, clickId } = await begin()
    const ids = Array.from({ length: 500 }, (_, index) => `batch-${index}`)
    const batch = sendBatch(merchant, clickId, ids).catch(() => [])
    const id = await untilVisible(merchant)
    expect(await repeat(merchant, clickId, id)).toBe(true)
    const reconnect = await durable.cutPower()
    const saved = await savedOf(merchant)
    await batch
    await reconnect()
    expect([...saved.keys()]).toContain(`sale ${id}`)
  },
)

test('Concurrent batches that take the same locks in other orders do not deadlock', async () => {
  const { merchant, clickId } = await begin()
  const customers = Array.from({ length: 250 }, (_, index) => `user-${index}`)
  await sendBatch(merchant, clickId, customers)
  const deadlocks = async () =>
    (
      await query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
    )[0]?.deadlocks
  const before = await deadlocks()
  const orders = [customers, customers.toReversed(), customers.toSorted()]
  const answers = await Promise.all(
    orders.map(async (ids, batch) => {
      const newClick = await merchant.click()
      const events = ids.flatMap((id) => {
        const sale = {
          kind: 'sale',
          externalId: `${batch} ${id}`,
          customerExternalId: id,
          amountCents: 4_900,
        }
        // The other one is of nobody, who may become somebody's customer.
        return [
          { ...sale, clickId: newClick },
          { ...sale, externalId: `${batch} unknown ${id}`, customerExternalId: `${batch} ${id}` },
        ]
      })
      return merchant.post('/api/track/batch', { events })
    }),
  )
  for (const { body } of answers)
    expect((body.results as Result[]).filter(({ error }) => error !== undefined)).toEqual([])
  expect(await deadlocks()).toBe(before)
})
