import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { useDurable } from '../support/durable.ts'
import { createMerchant } from '../support/merchant.ts'

const CALLERS = 8
const ROUNDS = 3

const durable = useDurable(['track-click', 'track-sale', 'stripe-webhook'])

test('what was answered 200 is in the database after Postgres was killed, and repeats make one event each', async () => {
  const merchant = await createMerchant({
    baseUrl: durable.baseUrl(),
    database: durable.database(),
  })
  const clickId = await merchant.click()
  const answered = new Map<string, unknown>()
  const unanswered = new Set<string>()

  for (let round = 0; round < ROUNDS; round++) {
    let crashed = false
    const call = async (caller: number) => {
      for (let index = 0; !crashed; index++) {
        const externalId = `${round}-${caller}-${index}`
        const { status, body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
        expect([200, 503]).toContain(status)
        if (status === 200) answered.set(externalId, body.eventId)
        else unanswered.add(externalId)
      }
    }
    const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller))
    const before = answered.size
    await vi.waitUntil(() => answered.size > before + 5 * CALLERS, 60_000)
    const restart = await durable.killPostgres()
    await restart()
    crashed = true
    await Promise.all(calls)
  }

  const client = new pg.Client({ connectionString: durable.database().DATABASE_URL })
  await client.connect()
  const select = async (text: string) => (await client.query<{ external_id: string; id: string }>(text)).rows
  const saved = new Map(
    (await select('select external_id, id from events')).map((row) => [row.external_id, row.id]),
  )
  expect(answered.size).toBeGreaterThan(CALLERS)
  expect([...answered].filter(([externalId, id]) => saved.get(externalId) !== id)).toEqual([])

  for (const externalId of [...unanswered, ...answered.keys()]) {
    const { status, body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
    expect(status).toBe(200)
    expect(body.eventId).toBe(answered.get(externalId) ?? saved.get(externalId) ?? body.eventId)
  }
  const sums = await select(`
    select count(*)::int as events, count(distinct external_id)::int as reports,
           (select count(*)::int from commissions) as commissions, (select count(*)::int from customers) as customers
    from events`)
  await client.end()
  const reports = answered.size + unanswered.size
  expect(sums).toEqual([{ events: reports, reports, commissions: reports, customers: reports }])
})
