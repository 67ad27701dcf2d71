/**
 * What goes wrong between Tributary and a merchant's backend: nothing is lost, nothing goes out
 * unsigned, nobody else waits.
 */
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Cut, during, VICTIMS } from '../support/killed.ts'
import type { Merchant } from '../support/merchant.ts'
import { useOwnWebhooks } from '../support/own-webhooks.ts'
import { repeating } from '../support/repeated.ts'
import { isExhaustive } from '../support/thorough.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/webhooks.ts'

const { createMerchant, query, sendDue } = useOwnWebhooks()

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  expect(receiver.unsigned).toEqual([])
  await receiver.stop()
})

/** Queues sales as a report does, without the nudge that follows it. */
const queueSales = ({ workspace }: Merchant, count = 1, prefix = 'order') =>
  query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency, steps, occurred_at)
     select uuidv7(), $1, 'sale', $3 || n, 'sale', 'user_1', 4900, 'USD', '[]', now() from generate_series(1, $2) n`,
    [workspace.id, count, prefix],
  )

type Delivery = {
  id: string
  status: string
  attempts: number
  seconds: number
  tries: { status: number | null; error: string | null; response: string | null; ms: number }[]
}
const deliveries = ({ workspace }: Merchant) =>
  query<Delivery>(
    `select id, status, attempts, tries, extract(epoch from next_attempt_at - now())::float8 as seconds
     from webhook_deliveries where workspace_id = $1 order by id`,
    [workspace.id],
  )

const only = async (merchant: Merchant) => {
  const [delivery] = await deliveries(merchant)
  if (!delivery) throw new Error('Nothing is queued.')
  return delivery
}

/** Moves all times of a merchant's webhooks into the past. */
const pass = async ({ workspace }: Merchant, interval: string) => {
  await query(
    `update webhook_deliveries set next_attempt_at = next_attempt_at - $2::interval, first_attempt_at = first_attempt_at - $2::interval
     where workspace_id = $1`,
    [workspace.id, interval],
  )
  await query(
    'update webhook_endpoints set failing_since = failing_since - $2::interval, former_until = former_until - $2::interval where workspace_id = $1',
    [workspace.id, interval],
  )
}

test('an endpoint that answers 500 for a day gets the event in the end, with the same id and body each time', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  receiver.answer((response) => response.writeHead(500).end('Out of order'))
  await queueSales(merchant)
  const delays: number[] = []
  for (const passed of [
    '0',
    '6 seconds',
    '6 minutes',
    '34 minutes',
    '133 minutes',
    '331 minutes',
    '661 minutes',
  ]) {
    await pass(merchant, passed)
    await sendDue()
    delays.push((await only(merchant)).seconds)
  }
  receiver.answer((response) => response.writeHead(200).end('Thanks'))
  await pass(merchant, '1 day 145 minutes')
  await sendDue()

  const { status, attempts, tries } = await only(merchant)
  expect({ status, attempts }).toEqual({ status: 'delivered', attempts: 8 })
  expect(tries.map(({ status: code, error, response }) => [code, error, response])).toEqual([
    ...Array(7).fill([500, 'status', 'Out of order']),
    [200, null, 'Thanks'],
  ])
  expect(receiver.received.length).toBe(8)
  expect(new Set(receiver.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
  // 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, a day: with up to a tenth more.
  for (const [place, delay] of [5, 300, 1_800, 7_200, 18_000, 36_000, 86_400].entries()) {
    expect(delays[place]).toBeGreaterThan(delay - 5)
    expect(delays[place]).toBeLessThan(delay * 1.1 + 1)
  }
})

test('an endpoint that fails for three days is disabled, and its managers are mailed once', async () => {
  const merchant = await createMerchant()
  const { id, secret } = await addEndpoint(
    merchant,
    { url: 'http://127.0.0.1:1/closed' },
    { types: ['sale.created'] },
  )
  await merchant.member()
  await queueSales(merchant, 3)
  await sendDue()
  await pass(merchant, '71 hours')
  await sendDue()
  expect((await merchant.get(`/webhook-endpoints/${id}`)).body).toMatchObject({
    status: 'enabled',
    failingSince: expect.any(String),
  })
  await pass(merchant, '2 hours')
  await sendDue()
  await pass(merchant, '2 hours')
  await sendDue()

  expect((await merchant.get(`/webhook-endpoints/${id}`)).body).toMatchObject({
    status: 'disabled',
    disabledReason: 'failing',
  })
  expect(new Set((await deliveries(merchant)).map(({ status }) => status))).toEqual(
    new Set(['failed']),
  )
  expect(
    await query(
      `select recipient, details ->> 'host' as host from mails where workspace_id = $1 and kind = 'webhook_disabled'`,
      [merchant.workspace.id],
    ),
  ).toEqual([{ recipient: `manager@${merchant.workspace.slug}.example`, host: '127.0.0.1:1' }])
  await queueSales(merchant, 1, 'later')
  expect((await deliveries(merchant)).length).toBe(3)

  // Nothing waits for it. What failed is sent on request.
  const manager = await merchant.asManager()
  await manager.patch(`/webhook-endpoints/${id}`, { enabled: true, url: receiver.url })
  receiver.trust(secret)
  await sendDue()
  expect(receiver.received).toEqual([])
  const since = new Date(Date.now() - 86_400_000).toISOString()
  expect(
    (await manager.post(`/webhook-endpoints/${id}/resend`, { since, onlyFailed: true })).body,
  ).toEqual({
    resent: 3,
    continueFrom: null,
  })
  await sendDue()
  expect(receiver.received.length).toBe(3)
  expect((await manager.get(`/webhook-endpoints/${id}`)).body).toMatchObject({
    status: 'enabled',
    failingSince: null,
  })
})

test('a success ends the count of the three days, so an endpoint that refuses one event alone goes on', async () => {
  const merchant = await createMerchant()
  const { id } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  receiver.answer((response) => response.writeHead(400).end())
  await queueSales(merchant)
  await sendDue()
  receiver.answer((response) => response.writeHead(204).end())
  await queueSales(merchant, 1, 'later')
  await sendDue()
  receiver.answer((response) => response.writeHead(400).end())
  await pass(merchant, '73 hours')
  await sendDue()
  expect((await deliveries(merchant)).map(({ status }) => status)).toEqual(['failed', 'delivered'])
  expect((await merchant.get(`/webhook-endpoints/${id}`)).body.status).toBe('enabled')
})

describe('an endpoint that is slow, or not there', () => {
  test('never answers: the try ends, the others of that endpoint wait, and nineteen other workspaces are served before', {
    timeout: 60_000,
  }, async () => {
    const slow = await createMerchant()
    const hanging = await startReceiver()
    hanging.answer(() => {})
    await addEndpoint(slow, hanging, { types: ['sale.created'] })
    await queueSales(slow, 30)
    for (let count = 0; count < 19; count++) {
      const quick = await createMerchant()
      await addEndpoint(quick, receiver, { types: ['sale.created'] })
      await queueSales(quick, 2)
    }
    let isSlowDone = false
    const served = new Promise<{ isSlowDone: boolean; slowRequests: number }>((resolve) =>
      receiver.answer((response) => {
        response.writeHead(204).end()
        if (receiver.received.length === 38)
          resolve({ isSlowDone, slowRequests: hanging.received.length })
      }),
    )
    await sendDue()
    isSlowDone = true
    expect(await served).toEqual({ isSlowDone: false, slowRequests: 2 })
    // Two at a time. The others were not tried, and lose no attempt.
    const tried = (await deliveries(slow)).filter(({ tries }) => tries.length > 0)
    expect(tried.map(({ tries }) => tries.map(({ error }) => error))).toEqual([
      ['timeout'],
      ['timeout'],
    ])
    expect((await deliveries(slow)).filter(({ status }) => status === 'queued').length).toBe(28)
    await hanging.stop()
  })

  test('is killed while it answers: the event comes again with the same id', async () => {
    const merchant = await createMerchant()
    await addEndpoint(merchant, receiver, { types: ['sale.created'] })
    receiver.answer((response) => response.socket?.destroy())
    await queueSales(merchant)
    await sendDue()
    expect((await only(merchant)).tries).toMatchObject([{ status: null, error: 'unreachable' }])
    receiver.answer((response) => response.writeHead(204).end())
    await pass(merchant, '6 seconds')
    await sendDue()
    expect((await only(merchant)).status).toBe('delivered')
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
  })

  test('answers more than 64 KiB, without end: the rest is not waited for, and little of it is kept', async () => {
    const merchant = await createMerchant()
    await addEndpoint(merchant, receiver, { types: ['sale.created'] })
    receiver.answer((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('\0x'.repeat(16 * 1024)), 1)
      response.on('close', () => clearInterval(timer))
    })
    await queueSales(merchant)
    await sendDue()
    const { status, tries } = await only(merchant)
    expect({ status, kept: tries[0]?.response?.length }).toEqual({
      status: 'delivered',
      kept: 2_000,
    })
  })
})

test('answers with a gzip bomb: it is not unpacked beyond what is read', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2, 'x'))
  receiver.answer((response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb))
  await queueSales(merchant)
  const before = process.memoryUsage().rss
  await sendDue()
  const { status, tries } = await only(merchant)
  expect({ status, kept: tries[0]?.response?.length }).toEqual({ status: 'delivered', kept: 2_000 })
  expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 ** 2)
})

test('a redirect is not followed, wherever it leads', async () => {
  const merchant = await createMerchant()
  const secretPlace = await startReceiver()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  receiver.answer((response) => response.writeHead(307, { Location: secretPlace.url }).end())
  await queueSales(merchant)
  await sendDue()
  expect((await only(merchant)).tries).toMatchObject([{ status: 307, error: 'status' }])
  expect(secretPlace.received).toEqual([])
  await secretPlace.stop()
})

test('a URL that got into the database without the check is not called', async () => {
  const merchant = await createMerchant()
  const { id } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await query(`update webhook_endpoints set url = 'https://169.254.169.254/latest' where id = $1`, [
    id,
  ])
  await queueSales(merchant)
  await sendDue()
  expect((await only(merchant)).tries).toMatchObject([{ status: null, error: 'refused_url' }])
})

test('eight runs at once send each event once, and a run that died sends it again after its lease', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await queueSales(merchant, 40)
  await Promise.all(Array.from({ length: 8 }, () => sendDue()))
  expect(receiver.received.length).toBe(40)
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(40)

  await queueSales(merchant, 1, 'later')
  await query(
    `update webhook_deliveries set attempts = 1, first_attempt_at = now(), next_attempt_at = now() + interval '2 minutes'
     where workspace_id = $1 and delivered_at is null`,
    [merchant.workspace.id],
  )
  await sendDue()
  expect(receiver.received.length).toBe(40)
  await pass(merchant, '2 minutes')
  await sendDue()
  expect(receiver.received.length).toBe(41)
})

test('a repeated lease sends its events at once, not after the lease', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await queueSales(merchant, 3)
  await repeating('update webhook_deliveries', () => sendDue())
  expect(receiver.received.length).toBe(3)
  expect(await query('select distinct attempts, status from webhook_deliveries')).toEqual([
    { attempts: 1, status: 'delivered' },
  ])
})

describe('a run that is cut off', { tags: 'thorough' }, () => {
  /**
   * Reading what is due, what it is about, storing payloads, three requests, saving the results.
   */
  const PLACES = [0, 1, 2, 3, 4, 5, 6]
  const CUTS: Cut[] = VICTIMS.flatMap((victim) =>
    [false, true].flatMap((isCarriedOut) =>
      PLACES.map((place) => ({ victim, isCarriedOut, place })),
    ),
  )
  // Every step meets the death of the process; the others take their turns.
  const isChosen = ({ victim, place, isCarriedOut }: Cut) =>
    isExhaustive || (victim === 'process' ? isCarriedOut : place === 2 || place === 4)

  test.each(CUTS.filter(isChosen))(
    'at its fetch $place, $victim, carried out: $isCarriedOut: nothing is lost or unsigned, and a repeat has the same id and body',
    {
      timeout: 90_000,
    },
    async (cut) => {
      const merchant = await createMerchant()
      await addEndpoint(merchant, receiver, { types: ['sale.created'] })
      await queueSales(merchant, 3)
      await during(cut, new URL(receiver.url).origin, () => sendDue())
      await pass(merchant, '3 minutes')
      await sendDue()
      expect((await deliveries(merchant)).map(({ status }) => status)).toEqual(
        Array(3).fill('delivered'),
      )
      const sent = new Map(receiver.received.map(({ id, body }) => [id, body]))
      expect(sent.size).toBe(3)
      expect(receiver.received.filter(({ id, body }) => sent.get(id) !== body)).toEqual([])
      expect(receiver.received.length).toBeLessThanOrEqual(6)
    },
  )
})

test('5,001 deliveries of an endpoint are sent again since a time by two statements, not by one of any size', async () => {
  const merchant = await createMerchant()
  const { id } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await queueSales(merchant, 5_001)
  await query('update webhook_deliveries set failed_at = now() where endpoint_id = $1', [id])
  const { body } = await (await merchant.asManager()).post(`/webhook-endpoints/${id}/resend`, {
    since: new Date(Date.now() - 3_600_000).toISOString(),
  })
  expect(body).toEqual({ resent: 5_001, continueFrom: null })
  expect(
    await query(
      'select lane, count(*)::int from webhook_deliveries where failed_at is null group by 1',
    ),
  ).toEqual([{ lane: 'retry', count: 5_001 }])
})

test('an event of a database whose clock is a second ahead of the Worker’s is sent at once, not by the next cron', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await queueSales(merchant)
  await pass(merchant, '-1 second')
  await sendDue()
  expect(receiver.received.length).toBe(1)
})

test('a run keeps to the fetches that Cloudflare allows, and leaves the rest to the next one', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await queueSales(merchant, 30)
  await sendDue({ MAX_FETCHES: '20' })
  expect(receiver.received.length).toBeLessThanOrEqual(16)
  expect(receiver.received.length).toBeGreaterThan(5)
  for (let runs = 0; runs < 3; runs++) await sendDue({ MAX_FETCHES: '20' })
  expect(receiver.received.length).toBe(30)
})

test('a rotated secret signs beside the former one until the overlap ends', async () => {
  const merchant = await createMerchant()
  const { id, secret } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  const manager = await merchant.asManager()
  const { body } = await manager.post(`/webhook-endpoints/${id}/rotate-secret`, { overlapHours: 1 })
  expect(body.secret).toMatch(/^whsec_/)
  expect(body.secret).not.toBe(secret)
  await queueSales(merchant)
  await sendDue()
  // The receiver knows the former one only.
  expect(receiver.unsigned).toEqual([])
  expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  receiver.trust(String(body.secret))
  await pass(merchant, '61 minutes')
  await queueSales(merchant, 1, 'later')
  await sendDue()
  expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})

test('an erased customer is in no payload and no response that was kept, and what waits is made anew', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['lead.created'] })
  receiver.answer((response) => response.writeHead(500).end('kim@buyer.example?'))
  await merchant.lead({ clickId: await merchant.click(), customerEmail: 'kim@buyer.example' })
  await sendDue()
  const manager = await merchant.asManager()
  const [customer] = (await merchant.get('/customers')).body.data as { id: string }[]
  await manager.post(`/customers/${customer?.id}/erase`)
  const [row] = await query<{ all: string }>(
    `select string_agg(coalesce(w.payload, '') || d.tries, '') as all from webhook_deliveries d join webhook_events w on w.id = d.event_id
     where d.workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect(row?.all).not.toContain('kim@')
  await pass(merchant, '1 hour')
  await sendDue()
  expect(receiver.received.at(-1)?.body).not.toContain('kim@')
})
