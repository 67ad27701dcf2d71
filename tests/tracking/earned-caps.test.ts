/** Sales under caps, through the API: which of them earn what, and in what order. */
import { describe, expect, inject, test } from 'vitest'
import { sha256 } from '../../lib/platform/sha256.ts'
import type { Cap } from '../../lib/rules/rewards/caps.ts'
import type { WhatIfResponse } from '../../lib/tracking/what-if/what-if.responses.ts'
import { openPool } from '../support/databases.ts'
import { codes, createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'
import { paying, setCaps, usdCap } from '../support/reward-rules.ts'
import { invoice, stripeId } from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'

const database = useDatabase()

const DAY_MS = 24 * 60 * 60_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** A merchant whose program pays 20%, up to some caps. */
const openCapped = async (caps: Cap[], options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  await setCaps(database, merchant.programId, caps)
  return merchant
}

const clickDaysAgo = async (merchant: Merchant, days: number, slug?: string) => {
  const id = await merchant.click(slug)
  await database.query(
    `update clicks set created_at = $2, expires_at = $2::timestamptz + interval '90 days'
     where workspace_id = $3 and id = $1`,
    [id, daysAgo(days), merchant.workspace.id],
  )
  return id
}

/** Adds to a sale what its report lacked. */
const correct = async ({ seed, workspace }: Merchant, externalId: string, body: object) => {
  const key = await seed.addApiKey(workspace.id, { scopes: ['write'] })
  const { status } = await send(new URL(`/api/track/sale/${externalId}`, inject('baseUrl')), {
    ...{ method: 'PATCH', body, headers: { Authorization: `Bearer ${key}` } },
  })
  expect(status).toBe(200)
}

/** What each sale of a merchant earns at present, by its id. */
const earned = async ({ workspace }: Merchant) => {
  const rows = await database.query<{ id: string; cents: string | null }>(
    `select e.external_id as id, c.amount_cents::text as cents
     from events e left join commissions c on c.id = e.commission_id
     where e.workspace_id = $1 and e.kind = 'sale' order by e.occurred_at, e.id`,
    [workspace.id],
  )
  return Object.fromEntries(rows.map(({ id, cents }) => [id, Number(cents ?? 0)]))
}

const isSound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

describe('a cap per sale', () => {
  test('cuts what is above it, and a refund reverses a share of what is left', async () => {
    const merchant = await openCapped([usdCap('sale', 5_000)])
    const clickId = await merchant.click()
    const { body } = await merchant.sale({ externalId: 'a', clickId, amountCents: 100_000 })
    const event = await merchant.explain(body.eventId)
    expect(event.commission?.amountCents).toBe(5_000)
    expect(codes(event)).toEqual(['click', 'program_reward', 'cap_applied', 'commission_created'])
    await merchant.refund({ externalId: 'r1', saleExternalId: 'a', amountCents: 25_000 })
    expect((await merchant.explain(body.eventId)).commission).toMatchObject({
      reversedCents: 1_250,
    })
    await merchant.refund({ externalId: 'r2', saleExternalId: 'a' })
    expect((await merchant.explain(body.eventId)).commission).toMatchObject({
      reversedCents: 5_000,
    })
    await isSound(merchant)
  })

  test('cuts lines, whose refunds reverse what is left of them', async () => {
    const merchant = await createMerchant()
    const books = paying(50, { fact: 'product', in: ['book'] })
    await setCaps(database, merchant.programId, [usdCap('sale', 3_500)], { rules: [books] })
    const clickId = await merchant.click()
    const lines = [
      { productId: 'book', amountCents: 10_000 },
      { productId: 'pen', amountCents: 10_000 },
    ]
    const sale = { externalId: 'a', clickId, amountCents: 20_000, lines }
    const { body } = await merchant.sale(sale)
    await merchant.refund({ externalId: 'r1', saleExternalId: 'a', amountCents: 10_000 })
    expect((await merchant.explain(body.eventId)).commission).toMatchObject({
      ...{ amountCents: 3_500, reversedCents: 1_750 },
    })
    await merchant.refund({ externalId: 'r2', saleExternalId: 'a' })
    expect((await merchant.explain(body.eventId)).commission).toMatchObject({
      reversedCents: 3_500,
    })
    await isSound(merchant)
  })
})

describe('a cap per customer', () => {
  test('counts what earlier sales of the customer earned, also if it was refunded', async () => {
    const merchant = await openCapped([usdCap('customer', 5_000)])
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'a', clickId, amountCents: 20_000 })
    await merchant.refund({ externalId: 'r', saleExternalId: 'a' })
    await merchant.sale({ externalId: 'b', clickId, amountCents: 20_000 })
    await merchant.sale({ externalId: 'c', clickId, amountCents: 20_000 })
    const ben = { clickId, customerExternalId: 'ben' }
    await merchant.sale({ externalId: 'd', ...ben, amountCents: 30_000 })
    expect(await earned(merchant)).toEqual({ a: 4_000, b: 1_000, c: 0, d: 5_000 })
    await isSound(merchant)
  })

  test('counts in each currency by itself, and in each program', async () => {
    const eur = { per: 'customer' as const, amountCents: 3_000, currency: 'EUR' }
    const merchant = await openCapped([usdCap('customer', 5_000), eur])
    const { seed, workspace } = merchant
    const second = await seed.addProgram(workspace.id)
    await seed.addPartner(workspace.id, second, { slug: 'nora' })
    const clickId = await merchant.click()
    const other = await merchant.click('nora', second)
    await merchant.sale({ externalId: 'a', clickId, amountCents: 30_000 })
    await merchant.sale({ externalId: 'b', clickId, amountCents: 30_000, currency: 'EUR' })
    await merchant.sale({ externalId: 'c', clickId, amountCents: 30_000, currency: 'GBP' })
    await merchant.sale({ externalId: 'd', clickId: other, amountCents: 30_000 })
    expect(await earned(merchant)).toEqual({ a: 5_000, b: 3_000, c: 6_000, d: 6_000 })
    await isSound(merchant)
  })

  test('ends the same in which order ever dated sales arrive', async () => {
    const sales = ['a', 'b', 'c', 'd'].map((externalId, i) => ({
      ...{ externalId, amountCents: 10_000, occurredAt: daysAgo(20 - 2 * i) },
    }))
    const wanted = { a: 2_000, b: 2_000, c: 1_000, d: 0 }
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
    ]) {
      const merchant = await openCapped([usdCap('customer', 5_000)])
      const clickId = await clickDaysAgo(merchant, 30)
      for (const i of order) await merchant.sale({ ...sales[i], clickId })
      expect(await earned(merchant)).toEqual(wanted)
      await isSound(merchant)
    }
  })

  test('lets later sales earn what a rejected one has earned', async () => {
    const merchant = await openCapped([usdCap('customer', 5_000)])
    const clickId = await merchant.click()
    const { body } = await merchant.sale({ externalId: 'a', clickId, amountCents: 20_000 })
    await merchant.sale({ externalId: 'b', clickId, amountCents: 20_000 })
    expect(await earned(merchant)).toEqual({ a: 4_000, b: 1_000 })
    const { commission } = await merchant.explain(body.eventId)
    const manager = await merchant.asManager()
    await manager.post(`/commissions/${commission?.id}/hold`, { note: 'A test' })
    await manager.post(`/commissions/${commission?.id}/reject`, {})
    // Recomputes what is marked.
    await merchant.sale({ externalId: 'c', clickId, occurredAt: daysAgo(0.001) })
    expect(await earned(merchant)).toMatchObject({ a: 0, b: 4_000 })
    await isSound(merchant)
  })

  test('follows a credit by hand, and a correction', async () => {
    const merchant = await openCapped([usdCap('customer', 5_000)])
    const { seed, workspace, programId } = merchant
    const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const clickId = await merchant.click()
    const first = await merchant.sale({ externalId: 'a', clickId, amountCents: 20_000 })
    await merchant.sale({ externalId: 'b', clickId, amountCents: 20_000 })
    const manager = await merchant.asManager()
    const credit = (partnerId: string | undefined) =>
      manager.post(`/events/${first.body.eventId}/credit`, { partnerId, reason: 'A test' })
    expect((await credit(leo)).status).toBe(200)
    expect(await earned(merchant)).toEqual({ a: 4_000, b: 4_000 })
    expect((await credit(merchant.partnerId)).status).toBe(200)
    expect(await earned(merchant)).toEqual({ a: 4_000, b: 1_000 })
    // A sale before both lacked its click.
    await merchant.sale({ externalId: 'z', customerExternalId: 'order-1', amountCents: 5_000 })
    await database.query(
      `update events set occurred_at = occurred_at - interval '1 hour',
         report_occurred_at = report_occurred_at - interval '1 hour'
       where workspace_id = $1 and external_id = 'z'`,
      [workspace.id],
    )
    await correct(merchant, 'z', {
      ...{ clickId: await clickDaysAgo(merchant, 1), customerExternalId: 'user_1' },
    })
    expect(await earned(merchant)).toEqual({ z: 1_000, a: 4_000, b: 0 })
    await isSound(merchant)
  })

  test('is kept by concurrent sales of one customer', async () => {
    const merchant = await openCapped([usdCap('customer', 5_000)])
    const clickId = await merchant.click()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        merchant.sale({ externalId: `inv_${i}`, clickId, amountCents: 10_000 }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const cents = Object.values(await earned(merchant)).toSorted((a, b) => b - a)
    expect(cents).toEqual([2_000, 2_000, 1_000, 0, 0, 0, 0, 0])
    await isSound(merchant)
  })

  test('holds a partner’s own purchase that earns only after another one was rejected', async () => {
    const merchant = await openCapped([usdCap('customer', 1_000)])
    const clickId = await merchant.click()
    const own = { clickId, customerExternalId: 'maya@partner.example' }
    const { body } = await merchant.sale({ externalId: 'a', ...own })
    await merchant.sale({ externalId: 'b', ...own })
    await merchant.sale({ externalId: 'c', ...own })
    expect(await earned(merchant)).toEqual({ a: 980, b: 20, c: 0 })
    const { commission } = await merchant.explain(body.eventId)
    const manager = await merchant.asManager()
    await manager.post(`/commissions/${commission?.id}/reject`, {})
    // Recomputes what is marked.
    await merchant.lead({ externalId: 'l', ...own, occurredAt: daysAgo(0.0001) })
    expect(await earned(merchant)).toEqual({ a: 0, b: 980, c: 20 })
    const held = await database.query(
      `select e.external_id as id, h.reason, h.resolution
       from events e join commission_holds h on h.commission_id = e.commission_id
       where e.workspace_id = $1 order by 1`,
      [merchant.workspace.id],
    )
    expect(held).toEqual(
      ['b', 'c'].map((id) => ({ id, reason: 'self_referral', resolution: null })),
    )
    await isSound(merchant)
  })

  test('is kept by a batch that begins with a lead of the customer', async () => {
    const merchant = await openCapped([usdCap('customer', 1_000)])
    const of = { customerExternalId: 'user_1', clickId: await merchant.click() }
    const events = [
      { kind: 'lead', externalId: 'lead', eventName: 'signup', ...of },
      ...Array.from({ length: 40 }, (_, n) => ({
        ...{ kind: 'sale', externalId: `inv_${n}`, amountCents: 300, currency: 'USD', ...of },
      })),
    ]
    const { body } = await merchant.post('/api/track/batch', { events })
    expect(body.results).toEqual(
      events.map(() => ({ eventId: expect.any(String), attributed: true })),
    )
    const cents = Object.values(await earned(merchant)).toSorted((a, b) => b - a)
    expect(cents).toEqual([...Array(16).fill(60), 40, ...Array(23).fill(0)])
    await isSound(merchant)
  })

  test('leaves a one-time reward to a later sale if it leaves nothing', async () => {
    const merchant = await openCapped([usdCap('partner_month', 100)], {
      program: { reward_interval: 'one-time' },
    })
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'z', clickId, customerExternalId: 'ben' })
    await merchant.sale({ externalId: 'a', clickId })
    await setCaps(database, merchant.programId, [usdCap('sale', 100_000)])
    await merchant.sale({ externalId: 'b', clickId })
    await merchant.sale({ externalId: 'c', clickId })
    expect(await earned(merchant)).toEqual({ z: 100, a: 0, b: 980, c: 0 })
    await isSound(merchant)
  })
})

describe('a cap per partner and month', () => {
  test('leaves the rest of the month to the sale that is decided first', async () => {
    const merchant = await openCapped([usdCap('partner_month', 5_000)])
    const { seed, workspace, programId } = merchant
    await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const clickId = await merchant.click()
    const sale = (externalId: string, more: object = {}) =>
      merchant.sale({
        ...{ externalId, clickId, customerExternalId: `user of ${externalId}` },
        ...{ amountCents: 15_000, ...more },
      })
    await sale('a')
    await sale('b')
    await sale('c')
    await sale('d', { clickId: await merchant.click('leo') })
    expect(await earned(merchant)).toEqual({ a: 3_000, b: 2_000, c: 0, d: 3_000 })
    // A refund frees nothing, and a sale that is decided again keeps what it had.
    await merchant.refund({ externalId: 'r', saleExternalId: 'a' })
    await sale('e')
    const ids = ['a', 'b', 'c'].map((id) => `user of ${id}`)
    await database.query(
      `update customers set replan_from = '2020-01-01' where workspace_id = $1 and external_id = any($2)`,
      [workspace.id, ids],
    )
    for (const id of ids)
      await merchant.lead({ externalId: id, clickId, occurredAt: daysAgo(0.0001) })
    const marked = 'select from customers where workspace_id = $1 and replan_from is not null'
    expect(await database.query(marked, [workspace.id])).toEqual([])
    expect(await earned(merchant)).toEqual({ a: 3_000, b: 2_000, c: 0, d: 3_000, e: 0 })
    await isSound(merchant)
  })

  test('is that of the month in which a dated sale took place', async () => {
    const merchant = await openCapped([usdCap('partner_month', 5_000)])
    const clickId = await clickDaysAgo(merchant, 89)
    const sale = (externalId: string, occurredAt?: string) =>
      merchant.sale({
        ...{ externalId, clickId, amountCents: 20_000, customerExternalId: `of ${externalId}` },
        ...(occurredAt && { occurredAt }),
      })
    const lastMonth = new Date()
    lastMonth.setUTCDate(0)
    await sale('now')
    await sale('last', lastMonth.toISOString())
    await sale('last again', lastMonth.toISOString())
    await sale('now again')
    expect(await earned(merchant)).toMatchObject({
      ...{ now: 4_000, 'now again': 1_000, last: 4_000, 'last again': 1_000 },
    })
    await isSound(merchant)
  })

  test('is kept by a sale whose payment turns out to be of when the reward was capped', async () => {
    const shop = await openStripeShop(database)
    const { merchant } = shop
    const { programId } = merchant
    const rewardOf = () =>
      database.query<{ id: string }>('select reward_id as id from programs where id = $1', [
        programId,
      ])
    await setCaps(database, programId, [usdCap('partner_month', 1_000)])
    const [capped] = await rewardOf()
    const clickId = await shop.clickBefore()
    await merchant.sale({ externalId: 'a', clickId, amountCents: 50_000 })
    await setCaps(database, programId, [usdCap('sale', 100_000)])
    const id = stripeId('in')
    const ben = { clickId, customerExternalId: 'ben' }
    await merchant.sale({ externalId: id, ...ben, amountCents: 40_000 })
    expect(await earned(merchant)).toEqual({ a: 1_000, [id]: 8_000 })
    // As if the cap had been in force when it was paid.
    await database.query('update programs set reward_id = $2 where id = $1', [
      programId,
      capped?.id,
    ])
    const amounts = { amount_paid: 40_000, total: 40_000, total_excluding_tax: 40_000 }
    const metadata = { tributary_click: clickId }
    await shop.deliver('invoice.paid', invoice({ id, metadata, ...amounts }))
    expect(await earned(merchant)).toEqual({ a: 1_000, [id]: 0 })
    await isSound(merchant)
  })

  test('is kept by concurrent sales of different customers', async () => {
    const merchant = await openCapped([usdCap('partner_month', 5_000)])
    const clickId = await merchant.click()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        merchant.sale({
          ...{ externalId: `inv_${i}`, customerExternalId: `user_${i}`, clickId },
          amountCents: 10_000,
        }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const cents = Object.values(await earned(merchant)).toSorted((a, b) => b - a)
    expect(cents).toEqual([2_000, 2_000, 1_000, 0, 0, 0, 0, 0])
    await isSound(merchant)
  })

  test('is kept by a batch, and by a sale that comes while another is saved', async () => {
    const merchant = await openCapped([usdCap('partner_month', 5_000)])
    const clickId = await merchant.click()
    const sale = (n: number) => ({
      ...{ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId, amountCents: 5_000 },
    })
    const answers = await database.whileSaving(
      'select from clicks where workspace_id = $1 for update',
      [merchant.workspace.id],
      () => merchant.sale(sale(100)),
      () => merchant.sale(sale(101)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const events = Array.from({ length: 12 }, (_, n) => ({ kind: 'sale', ...sale(n) }))
    const { body } = await merchant.post('/api/track/batch', { events })
    expect(body.results).toEqual(
      events.map(() => ({ eventId: expect.any(String), attributed: true })),
    )
    const cents = Object.values(await earned(merchant)).toSorted((a, b) => b - a)
    expect(cents).toEqual([...Array(5).fill(1_000), ...Array(9).fill(0)])
    await isSound(merchant)
  })
})

describe('what-if', () => {
  test('cuts by the caps of the changed reward, with what was earned before', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 40)
    for (const [n, days] of [20, 10, 5, 1].entries())
      await merchant.sale({
        ...{ externalId: `inv_${n}`, clickId, amountCents: 10_000, occurredAt: daysAgo(days) },
      })
    await merchant.sale({ externalId: 'other', clickId, customerExternalId: 'ben' })
    const manager = await merchant.asManager()
    const preview = async (caps: Cap[]) => {
      const { body } = await manager.post(`/programs/${merchant.programId}/what-if`, {
        reward: { kind: 'percent', percent: 20, caps },
      })
      const [sums] = (body as unknown as WhatIfResponse).currencies
      return sums && [sums.currentCents, sums.changedCents]
    }
    expect(await preview([usdCap('customer', 5_000)])).toEqual([8_980, 5_980])
    expect(await preview([usdCap('sale', 500)])).toEqual([8_980, 2_500])
    expect(await preview([usdCap('sale', 500), usdCap('partner_month', 1)])).toEqual([
      8_980,
      new Set([20, 10, 5, 1, 0].map((days) => daysAgo(days).slice(0, 7))).size,
    ])
    // Two sales of the first customer were made before the 90 days, and earned 40.00.
    await database.query(
      `update events set occurred_at = occurred_at - interval '100 days'
       where workspace_id = $1 and external_id in ('inv_0', 'inv_1')`,
      [merchant.workspace.id],
    )
    expect(await preview([usdCap('customer', 5_000)])).toEqual([4_980, 1_980])
  })
})

describe('a report loads what was earned before', () => {
  const COUNTED = ['earned_before', 'earned_in_month', 'payments_before']
  /** Which functions `load_report` has called. */
  const load = (merchant: Merchant, clickId: string, kind = 'sale') =>
    openPool(inject('database').DATABASE_URL).onConnection(async (client) => {
      await client.query(`begin; set local track_functions = 'all'`)
      const { rows } = await client.query(
        `select load_report($1, $3, 'new', 'external', 'user_1', $2, 'new', true, now(), null,
           null, null) as facts`,
        [await sha256(merchant.apiKey), clickId, kind],
      )
      const called = await client.query<{ name: string }>(
        'select funcname as name from pg_stat_xact_user_functions where funcname = any ($1)',
        [COUNTED],
      )
      await client.query('rollback')
      const { ofCustomer, ofMonth } = rows[0].facts
      return { ofCustomer, ofMonth, called: called.rows.map(({ name }) => name).sort() }
    })

  test('only if a cap asks for it', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.sale({ clickId })
    const none = { ofCustomer: null, ofMonth: null, called: [] }
    expect(await load(merchant, clickId)).toEqual(none)
    await setCaps(database, merchant.programId, [usdCap('sale', 100)])
    expect(await load(merchant, clickId)).toEqual(none)
    const own = { partnerId: merchant.partnerId, currency: 'USD', cents: 980 }
    await setCaps(database, merchant.programId, [usdCap('customer', 100)])
    expect(await load(merchant, clickId)).toEqual({
      ...{ ofCustomer: [own], ofMonth: null, called: ['earned_before', 'payments_before'] },
    })
    expect(await load(merchant, clickId, 'lead')).toEqual(none)
    await setCaps(database, merchant.programId, [usdCap('partner_month', 100)])
    const month = `${new Date().toISOString().slice(0, 7)}-01`
    expect(await load(merchant, clickId)).toEqual({
      ...{ ofCustomer: null, ofMonth: { month, inMonth: [own] }, called: ['earned_in_month'] },
    })
  })
})
