/** POST /api/track/batch: up to 500 sales and leads, each as if it had been reported alone. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addPartners, bodyOf, programOf, type Report, report, terms } from '../support/account.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

type Result = { eventId?: string | null; attributed?: boolean; error?: { code: string } }
const send = async (merchant: Merchant, events: unknown[]) => {
  const { status, body, headers } = await merchant.post('/api/track/batch', { events })
  const mismatches = headers.get('Idempotency-Mismatch')
  return { status, body, results: (body.results ?? []) as Result[], mismatches }
}
const sale = (externalId: string, more: object = {}) => ({
  kind: 'sale',
  externalId,
  customerExternalId: 'user_1',
  amountCents: 4_900,
  ...more,
})
const credited = { eventId: expect.any(String), attributed: true }

describe('a batch', () => {
  test('records sales and leads in order, and answers each in its place', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const events = [
      { kind: 'lead', externalId: 'user_1', clickId, customerEmail: 'ann@example.com' },
      sale('first', { clickId }),
      sale('without a click'),
      sale('of somebody else', { customerExternalId: 'user_2', clickId }),
    ]
    const { status, results } = await send(merchant, events)
    expect(status).toBe(200)
    expect(results).toEqual([credited, credited, { eventId: null, attributed: false }, credited])
    expect(await database.counts(merchant)).toEqual({ events: 4, customers: 2, commissions: 2 })
    const { body } = await merchant.sale({ externalId: 'first', clickId })
    expect(body).toEqual(results[1])
  })

  test('sent again gets the same answers and changes nothing, also beside what is new', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const events = [sale('a', { clickId }), sale('b', { clickId, customerExternalId: 'user_2' })]
    const first = await send(merchant, events)
    const again = await send(merchant, [
      sale('c', { clickId }),
      ...events,
      sale('a', { clickId: null }),
    ])
    expect(again.results).toEqual([credited, ...first.results, first.results[0]])
    expect({ first: first.mismatches, again: again.mismatches }).toEqual({
      first: null,
      again: '3',
    })
    expect(await database.counts(merchant)).toEqual({ events: 3, customers: 2, commissions: 3 })
  })

  test('with the same report twice records it once', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const { results, mismatches } = await send(merchant, [
      sale('a', { clickId }),
      sale('a', { clickId }),
      sale('a', { clickId, amountCents: 1 }),
      sale('b', { amountCents: 0 }),
      sale('a', { clickId, amountCents: 2 }),
    ])
    const refused = { error: expect.objectContaining({ code: 'invalid_body' }) }
    expect(results).toEqual([credited, results[0], results[0], refused, results[0]])
    expect(mismatches).toBe('2, 4')
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
  })

  test('refuses what is invalid by itself, and records the rest', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const { status, results } = await send(merchant, [
      sale('a', { clickId }),
      sale('b', { amountCents: 0 }),
      { ...sale('c'), kind: 'refund' },
      null,
      'sale',
      sale('nul \0'),
      sale('deep', { metadata: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }),
      sale('future', { occurredAt: '2126-01-01T00:00:00Z' }),
      sale('d', { clickId, customerExternalId: 'user_2' }),
    ])
    expect(status).toBe(200)
    expect(results.map(({ error, attributed }) => error?.code ?? attributed)).toEqual([
      true,
      ...Array(7).fill('invalid_body'),
      true,
    ])
    expect(results[1]).toMatchObject({
      error: { details: [{ path: 'amountCents', message: 'Must be at least 1.' }] },
    })
    expect(await database.counts(merchant)).toMatchObject({ events: 2 })
  })

  test.each([
    { case: 'no events', body: { events: [] }, code: 'invalid_body' },
    { case: 'events that are no list', body: { events: {} }, code: 'invalid_body' },
    { case: 'another body', body: [sale('a')], code: 'invalid_body' },
    { case: '501 events', body: { events: Array(501).fill(sale('a')) }, code: 'too_many_rows' },
    {
      case: 'a megabyte',
      body: { events: [sale('x'.repeat(1024 * 1024))] },
      code: 'body_too_large',
    },
  ])('with $case is refused as a whole', async ({ body, code }) => {
    const merchant = await createMerchant()
    const answer = await merchant.post('/api/track/batch', body)
    expect(answer.body).toMatchObject(errorShape(code))
    expect(await database.counts(merchant)).toEqual({ events: 0, customers: 0, commissions: 0 })
  })

  test('is refused with a key that is unknown, revoked or lacks the scope', async () => {
    const merchant = await createMerchant()
    const other = await createMerchant()
    await database.query('update api_keys set revoked_at = now() where workspace_id = $1', [
      other.workspace.id,
    ])
    const reader = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['read'] })
    const call = async (key: string) =>
      (
        await merchant.post(
          '/api/track/batch',
          { events: [sale('a')] },
          { Authorization: `Bearer ${key}` },
        )
      ).body
    expect(await call(other.apiKey)).toEqual(errorShape('invalid_api_key'))
    expect(await call('trib_live_mistyped')).toEqual(errorShape('invalid_api_key'))
    expect(await call(reader)).toEqual(errorShape('insufficient_scope'))
    expect(await database.counts(merchant)).toMatchObject({ events: 0 })
  })

  test('of a workspace names no click or customer of another', async () => {
    const [merchant, other] = [await createMerchant(), await createMerchant()]
    await other.lead({ externalId: 'user_1', clickId: await other.click() })
    const { results } = await send(merchant, [sale('a', { clickId: await other.click() })])
    expect(results).toEqual([{ eventId: null, attributed: false }])
  })

  test('of 500 dated sales of ten customers, the latest first, ends in the ledger of the earliest first', {
    tags: 'thorough',
    timeout: 240_000,
  }, async () => {
    const merchant = await createMerchant({
      program: { reward_duration_months: 2, attribute_known_customers: true },
    })
    const clickId = await merchant.click()
    await database.query(
      `update clicks set created_at = now() - interval '300 days', expires_at = now() - interval '210 days' where id = $1`,
      [clickId],
    )
    const day = (n: number) => new Date(Date.now() - n * 24 * 60 * 60_000).toISOString()
    const events = Array.from({ length: 500 }, (_, n) =>
      sale(`order_${n}`, {
        customerExternalId: `user_${n % 10}`,
        clickId,
        occurredAt: day(5 + n / 2),
      }),
    )
    for (let attempt = 0; attempt < 10; attempt++) {
      const { status, results } = await send(merchant, events)
      expect(status).toBe(200)
      if (results.every(({ error }) => !error)) break
    }
    const rows = await database.query<{ first: number; last: number }>(
      `select extract(day from now() - min(e.occurred_at))::int as first,
              extract(day from now() - max(e.occurred_at) filter (where e.commission_id is not null))::int as last
       from events e where e.workspace_id = $1 group by customer_external_id`,
      [merchant.workspace.id],
    )
    expect(rows).toHaveLength(10)
    // The first sale was about 250 days ago, and two months after it nothing is earned.
    for (const { first, last } of rows) expect(first - last).toBeGreaterThan(50)
    for (const { first, last } of rows) expect(first - last).toBeLessThan(63)
  })
})

test('eight copies of a batch at once record each report once, and get the same answers', async () => {
  const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
  const clickId = await merchant.click()
  const events = Array.from({ length: 60 }, (_, n) =>
    n % 3 === 0
      ? {
          kind: 'lead',
          externalId: `user_${n % 7}_${n}`,
          customerExternalId: `user_${n % 7}`,
          clickId,
        }
      : sale(`order_${n}`, { customerExternalId: `user_${n % 7}`, clickId }),
  )
  const shuffled = (by: number) => [...events.slice(by), ...events.slice(0, by)]
  const answers = await Promise.all(
    Array.from({ length: 8 }, async (_, copy) => {
      const by = copy * 7
      const { status, results } = await send(merchant, shuffled(by))
      expect(status).toBe(200)
      return [...results.slice(60 - by), ...results.slice(0, 60 - by)]
    }),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]).toEqual(events.map(() => credited))
  expect(await database.counts(merchant)).toEqual({ events: 60, customers: 7, commissions: 7 })
})

describe('a history', () => {
  const send = async (
    merchant: Merchant,
    history: Report[],
    sizes: number[],
    isBatched: boolean,
  ) => {
    const names = await addPartners(merchant)
    const reports = history.map((event) => ({
      kind: event.kind,
      ...bodyOf(event, names),
      ...(event.kind === 'sale' && { amountCents: 4_900 }),
    }))
    const post = async (events: typeof reports): Promise<Result[]> => {
      if (isBatched)
        return (await merchant.post('/api/track/batch', { events })).body.results as Result[]
      const results = []
      for (const { kind, ...one } of events) results.push((await merchant[kind](one)).body)
      return results
    }
    const answers = []
    const known = new Set<string>()
    for (let at = 0, n = 0; at < reports.length; n++) {
      const events = reports.slice(at, at + (sizes[n % sizes.length] ?? 1))
      const results = await post(events)
      at += events.length
      // A repeat is answered as all the others leave its event.
      for (const [n, event] of events.entries()) {
        const id = `${event.kind} ${event.externalId}`
        const again = !isBatched && known.has(id) ? await post([event]) : []
        known.add(id)
        answers.push((again[0] ?? results[n])?.attributed)
      }
    }
    return answers
  }
  const ledgerOf = async ({ workspace }: Merchant) => ({
    events: await database.query(
      `select e.kind, e.external_id, p.slug, (select coalesce(sum(amount_cents), 0)::int from commissions c where c.event_id = e.id) as cents
       from events e left join partners p on p.id = e.partner_id where e.workspace_id = $1 order by 1, 2`,
      [workspace.id],
    ),
    owners: await database.query(
      'select cu.external_id, p.slug from customers cu join partners p on p.id = cu.partner_id where cu.workspace_id = $1 order by 1',
      [workspace.id],
    ),
  })

  test('in batches leaves the ledger, and gets the answers, of one report after the other', {
    tags: 'sampled',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        terms,
        fc.array(report, { minLength: 1, maxLength: 14 }),
        fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: 4 }),
        async (terms, history, sizes) => {
          const open = () =>
            createMerchant({
              program: programOf(terms),
              group: { leadReward: { amountCents: 500n, currency: 'USD' } },
            })
          const [alone, together] = [await open(), await open()]
          const answers = await send(alone, history, sizes, false)
          expect(await send(together, history, sizes, true)).toEqual(answers)
          expect(await ledgerOf(together)).toEqual(await ledgerOf(alone))
        },
      ),
      { seed: SEEDS[0], numRuns: timesOver({ quick: 4, thorough: 25, exhaustive: 120 }) },
    )
  })
})
