/** Reports that are decided by rules: their facts, and which payment of its customer a sale is. */
import { describe, expect, inject, test } from 'vitest'
import { sha256 } from '../../lib/platform/sha256.ts'
import type { Condition } from '../../lib/rules/rewards/conditions.ts'
import { openPool } from '../support/databases.ts'
import { codes, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { paying, setRules } from '../support/reward-rules.ts'

const database = useDatabase()

const DAY_MS = 24 * 60 * 60_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const first = paying(50, { fact: 'payment', atMost: 1 })
const renewal = paying(10, { fact: 'payment', atLeast: 2 })

/** A merchant whose program pays 50% of the first payment of a customer, and 10% of the others. */
const openNumbered = async (terms: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(terms)
  await setRules(database, merchant.programId, [first, renewal], 2_000)
  return merchant
}

/** What each sale of a merchant earns at present, by its id. */
const earned = async ({ workspace }: Merchant) => {
  const rows = await database.query<{ id: string; cents: string | null }>(
    `select e.external_id as id, c.amount_cents::text as cents
     from events e left join commissions c on c.id = e.commission_id
     where e.workspace_id = $1 and e.kind = 'sale' order by e.occurred_at, e.id`,
    [workspace.id],
  )
  return Object.fromEntries(
    rows.map(({ id, cents }) => [id, cents === null ? null : Number(cents)]),
  )
}

const clickDaysAgo = async (merchant: Merchant, days: number) => {
  const id = await merchant.click()
  await database.query(
    `update clicks set created_at = $2, expires_at = $2::timestamptz + interval '90 days'
     where workspace_id = $3 and id = $1`,
    [id, daysAgo(days), merchant.workspace.id],
  )
  return id
}

/** A reward of 20%, and of all where a condition holds, as the API takes it. */
const reward = (condition: Condition) => ({
  ...{ kind: 'percent', percent: 20 },
  rules: [{ name: 'All', when: { all: [condition] }, pay: { kind: 'percent', percent: 100 } }],
})

const setReward = async (merchant: Merchant, condition: Condition) => {
  const { status } = await (await merchant.asManager()).patch(`/programs/${merchant.programId}`, {
    reward: reward(condition),
  })
  expect(status).toBe(200)
}

describe('a rule decides by', () => {
  const lines = [
    { productId: 'annual', amountCents: 4_000, quantity: 3, metadata: { term: 'year' } },
    { productId: 'mug', amountCents: 1_000 },
  ]
  const facts: [string, Condition, number][] = [
    ['the product of a line', { fact: 'product', in: ['annual'] }, 4_000 + 200],
    ['its quantity', { fact: 'quantity', atLeast: 3 }, 4_000 + 200],
    ['its amount', { fact: 'lineAmount', currency: 'USD', belowCents: 2_000 }, 800 + 1_000],
    ['its metadata', { fact: 'metadata', key: 'term', in: ['year'] }, 4_000 + 200],
    ['the metadata of the sale', { fact: 'metadata', key: 'plan' }, 5_000],
    ['the amount of the sale', { fact: 'saleAmount', currency: 'USD', atLeastCents: 5_000 }, 5_000],
    ['the country', { fact: 'country', in: ['DE'] }, 5_000],
    ['another country', { fact: 'country', in: ['AT'] }, 1_000],
    ['the link', { fact: 'link', in: ['Maya'] }, 5_000],
    ['another link', { fact: 'link', in: ['leo'] }, 1_000],
    ['the channel of the link', { fact: 'sub', in: ['news'] }, 5_000],
    ['the coupon', { fact: 'coupon', in: ['SPRING'] }, 5_000],
    ['the first payment', { fact: 'payment', atMost: 1 }, 5_000],
    ['a later payment', { fact: 'payment', atLeast: 2 }, 1_000],
    ['a new customer', { fact: 'customerMonths', below: 1 }, 5_000],
  ]
  test.each(facts)('%s', async (_, when, cents) => {
    const merchant = await createMerchant()
    await setReward(merchant, when)
    const clickId = await merchant.click(
      'maya',
      undefined,
      undefined,
      'https://shop.example/?via=maya&sub=news',
    )
    const { body } = await merchant.sale({
      ...{ clickId, amountCents: 5_000, lines, customerCountry: 'de' },
      ...{ metadata: { plan: 'pro' }, couponCode: 'SPRING' },
    })
    const event = await merchant.explain(body.eventId)
    expect(event.commission?.amountCents).toBe(cents)
    expect(codes(event)?.filter((code) => code === 'line_reward')).toHaveLength(2)
  })

  test('the country of a lead', async () => {
    const merchant = await createMerchant({ group: { leadReward: { percent: 0 } } })
    const manager = await merchant.asManager()
    const groups = await manager.get(`/programs/${merchant.programId}/groups`)
    const [group] = groups.body.data as { id: string }[]
    const { status } = await manager.patch(`/groups/${group?.id}`, {
      leadReward: {
        ...{ kind: 'flat', amountCents: 100, currency: 'USD' },
        rules: [
          {
            name: 'Germany',
            when: { all: [{ fact: 'country', in: ['DE'] }] },
            pay: { kind: 'flat', amountCents: 500, currency: 'USD' },
          },
        ],
      },
    })
    expect(status).toBe(200)
    const clickId = await merchant.click()
    const lead = async (externalId: string, customerCountry: string) => {
      const { body } = await merchant.lead({ externalId, clickId, customerCountry })
      return (await merchant.explain(body.eventId)).commission?.amountCents ?? null
    }
    expect([await lead('a', 'de'), await lead('b', 'at')]).toEqual([500, 100])
  })
})

describe('the number of a payment', () => {
  test('counts all sales of the customer, also those that nobody was credited with', async () => {
    const merchant = await openNumbered()
    await merchant.sale({ externalId: 'a' })
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'b', clickId })
    await merchant.sale({ externalId: 'c' })
    await merchant.sale({ externalId: 'd', clickId })
    await merchant.sale({ externalId: 'e', clickId, customerExternalId: 'user_2' })
    expect(await earned(merchant)).toEqual({ a: null, b: 490, c: null, d: 490, e: 2_450 })
  })

  test('is that of the time of a dated sale, and of an imported customer', async () => {
    const merchant = await openNumbered({ program: { attribute_known_customers: true } })
    const clickId = await clickDaysAgo(merchant, 30)
    await merchant.sale({ externalId: 'b', clickId, occurredAt: daysAgo(10) })
    expect(await earned(merchant)).toEqual({ b: 2_450 })
    const sale = { customerExternalId: 'imported', clickId }
    const manager = await merchant.asManager()
    const imported = await manager.post('/customers/import', {
      rows: [
        {
          customerExternalId: 'imported',
          partnerEmail: 'maya@partner.example',
          startedAt: '2026-01-01',
        },
      ],
    })
    expect(imported.status).toBe(200)
    await merchant.sale({ externalId: 'c', ...sale })
    expect(await earned(merchant)).toMatchObject({ c: 490 })
  })

  test('changes when an earlier sale is reported late, also one that nobody is credited with', async () => {
    const merchant = await openNumbered()
    const clickId = await clickDaysAgo(merchant, 30)
    await merchant.sale({ externalId: 'd', clickId })
    expect(await earned(merchant)).toEqual({ d: 2_450 })
    await merchant.sale({ externalId: 'c', clickId, occurredAt: daysAgo(5) })
    expect(await earned(merchant)).toEqual({ c: 2_450, d: 490 })
    const uncredited = { externalId: 'b', occurredAt: daysAgo(8) }
    expect((await merchant.sale(uncredited)).body).toEqual({ eventId: null, attributed: false })
    expect(await earned(merchant)).toEqual({ b: null, c: 490, d: 490 })
    const again = await merchant.sale(uncredited)
    expect(again.headers.has('Idempotency-Mismatch')).toBe(false)
    const events = [
      { externalId: 'a', clickId, occurredAt: daysAgo(9) },
      { externalId: 'e', clickId },
    ].map((event) => ({
      ...{ kind: 'sale', customerExternalId: 'user_1', amountCents: 4_900 },
      ...event,
    }))
    await merchant.post('/api/track/batch', { events })
    expect(await earned(merchant)).toEqual({ a: 2_450, b: null, c: 490, d: 490, e: 490 })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('changes when a lead refers sales that nobody was credited with', async () => {
    const merchant = await openNumbered({ program: { late_lead_days: 30 } })
    const clickId = await clickDaysAgo(merchant, 10)
    await merchant.sale({ externalId: 'a', occurredAt: daysAgo(20) })
    await merchant.sale({ externalId: 'b', occurredAt: daysAgo(5) })
    await merchant.sale({ externalId: 'd', customerExternalId: 'other', clickId })
    await merchant.lead({ externalId: 'user_1', clickId })
    await merchant.sale({ externalId: 'c', clickId })
    expect(await earned(merchant)).toEqual({ a: null, b: 490, d: 2_450, c: 490 })
  })

  test('goes on in a batch, whatever sales it has before', async () => {
    const merchant = await openNumbered()
    const clickId = await merchant.click()
    const sale = (externalId: string, customerExternalId: string) => ({
      ...{ kind: 'sale', externalId, customerExternalId, amountCents: 1_000, clickId },
    })
    const events = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((id) => [
      sale(`${id}1`, 'user_1'),
      sale(`${id}2`, 'user_2'),
    ])
    const { body } = await merchant.post('/api/track/batch', { events })
    expect(body.results).toEqual(
      events.map(() => ({ eventId: expect.any(String), attributed: true })),
    )
    expect(Object.values(await earned(merchant))).toEqual([500, 500, ...Array(10).fill(100)])
  })
})

describe('of sales of one customer at once, one is the first payment', () => {
  const concurrently = async (merchant: Merchant, count: number) => {
    const clickId = await merchant.click()
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        merchant.sale({ externalId: `inv_${i}`, clickId, amountCents: 1_000 }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    return Object.values(await earned(merchant)).toSorted((x, y) => Number(x) - Number(y))
  }

  test('of a new one', async () => {
    const merchant = await openNumbered()
    expect(await concurrently(merchant, 8)).toEqual([...Array(7).fill(100), 500])
  })

  test('of a known one', async () => {
    const merchant = await openNumbered()
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
    expect(await concurrently(merchant, 8)).toEqual([...Array(7).fill(100), 500])
  })

  test('of one whose sales were reported before anybody was credited', async () => {
    const merchant = await openNumbered()
    await merchant.sale({ externalId: 'before' })
    expect(await concurrently(merchant, 5)).toEqual([null, ...Array(5).fill(100)])
  })

  test('also if one comes while another is saved', async () => {
    const merchant = await openNumbered()
    const clickId = await merchant.click()
    await merchant.lead({ externalId: 'user_1', clickId })
    const answers = await database.whileSaving(
      'select from customers where workspace_id = $1 for update',
      [merchant.workspace.id],
      () => merchant.sale({ externalId: 'a', clickId }),
      () => merchant.sale({ externalId: 'b', clickId }),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await earned(merchant)).toEqual({ a: 2_450, b: 490 })
  })

  test('also if one is credited to nobody', async () => {
    const merchant = await openNumbered()
    const clickId = await merchant.click()
    await merchant.lead({ externalId: 'user_1', clickId })
    const answers = await database.whileSaving(
      'select from customers where workspace_id = $1 for update',
      [merchant.workspace.id],
      () => merchant.sale({ externalId: 'a' }),
      () => merchant.sale({ externalId: 'b', clickId }),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await earned(merchant)).toEqual({ a: null, b: 490 })
  })
})

describe('a report loads what was paid before', () => {
  /** The history that `load_report` returns, and how often it asked what was paid before. */
  const load = (merchant: Merchant, clickId: string) =>
    openPool(inject('database').DATABASE_URL).onConnection(async (client) => {
      await client.query(`begin; set local track_functions = 'all'`)
      const { rows } = await client.query(
        `select load_report($1, 'sale', 'new', 'external', 'user_1', $2, 'new', true, now(), null,
           null, null) -> 'history' as history`,
        [await sha256(merchant.apiKey), clickId],
      )
      const called = await client.query(
        `select calls from pg_stat_xact_user_functions where funcname = 'payments_before'`,
      )
      await client.query('rollback')
      return { history: rows[0].history, called: called.rows.length }
    })

  test('also if only the partner’s own reward asks for it', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.sale({ clickId })
    const { status } = await (await merchant.asManager()).patch(`/partners/${merchant.partnerId}`, {
      reward: reward({ fact: 'customerMonths', below: 12 }),
    })
    expect(status).toBe(200)
    expect(await load(merchant, clickId)).toMatchObject({ history: { payments: 1 }, called: 1 })
  })

  test('only if a rule asks for it', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.sale({ clickId })
    expect(await load(merchant, clickId)).toEqual({ history: null, called: 0 })
    await setReward(merchant, { fact: 'product', in: ['payment'] })
    expect(await load(merchant, clickId)).toEqual({ history: null, called: 0 })
    await setReward(merchant, { fact: 'payment', atMost: 1 })
    expect(await load(merchant, clickId)).toEqual({
      history: { payments: 1, ofSubscription: null, firstSaleAt: expect.any(String) },
      called: 1,
    })
  })
})
