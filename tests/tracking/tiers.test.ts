/** Sales that are decided by the tier of their partner. docs/tiers.md. */
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { tierOfToday } from '../../lib/portal/tier.queries.ts'
import { MEASURES, TIER_PERIODS, type Tiers } from '../../lib/rules/tiers/tiers.ts'
import type { WhatIfResponse } from '../../lib/tracking/what-if/what-if.responses.ts'
import { openShop } from '../support/buyers.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { paying, setCaps, setRules, usdCap } from '../support/reward-rules.ts'
import { paymentIntent } from '../support/stripe.ts'

const database = useDatabase()

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** At noon, so that no test is on two days. */
const noon = (days: number) =>
  new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS - 12 * HOUR_MS)

const SALES: Tiers = {
  ...{ by: 'sales', period: 'ever', timeZone: 'UTC' },
  levels: [
    { name: 'Silver', atLeast: 2 },
    { name: 'Gold', atLeast: 4 },
  ],
}
const NET: Tiers = {
  ...{ by: 'netSales', currency: 'USD', period: 'ever', timeZone: 'UTC' },
  levels: [{ name: 'Gold', atLeastCents: 10_000 }],
}

const setTiers = (programId: string, tiers: Tiers | null) =>
  database.query('update programs set tiers = $2 where id = $1', [
    programId,
    tiers && JSON.stringify(tiers),
  ])

/** A merchant whose program pays 10%, 20% for Silver partners, and 50% for Gold ones. */
const openTiered = async (tiers: Tiers = SALES) => {
  const merchant = await createMerchant({ program: { attribution_days: 400 } })
  await setTiers(merchant.programId, tiers)
  await setRules(database, merchant.programId, [
    paying(50, { fact: 'tier', in: ['Gold'] }),
    paying(20, { fact: 'tier', in: ['Silver'] }),
  ])
  return merchant
}

/** A click that all dated sales may follow. */
const oldClick = async (merchant: Merchant, slug = 'maya', programId = merchant.programId) => {
  const id = await merchant.click(slug, programId)
  await database.query(
    `update clicks set created_at = now() - interval '380 days', expires_at = now() + interval '90 days'
     where workspace_id = $2 and id = $1`,
    [id, merchant.workspace.id],
  )
  return id
}

let sales = 0
/** Reports a sale of 49.00 USD of a new customer. @returns its id */
const sell = async (
  merchant: Merchant,
  clickId: string,
  at?: Date,
  fields: Record<string, unknown> = {},
): Promise<string> => {
  sales += 1
  const externalId = `order-${sales}`
  const { status, body } = await merchant.sale({
    ...{ externalId, customerExternalId: `user-${sales}`, clickId },
    ...(at && { occurredAt: at.toISOString() }),
    ...fields,
  })
  expect({ status, body }).toMatchObject({ status: 200, body: { attributed: true } })
  return String(fields.externalId ?? externalId)
}

const tierOfSale = async (merchant: Merchant, externalId: string) => {
  const event = await merchant.explainReport('sale', externalId)
  const step = event?.steps.find(({ code }) => code === 'tier')
  return step?.facts as { tier: string | null; day: string; reached: number } | undefined
}

const earnedBy = async (merchant: Merchant, externalId: string) =>
  (await merchant.explainReport('sale', externalId))?.commission?.amountCents ?? null

/** Makes everything of a merchant a day older. */
const nextDay = async (merchant: Merchant) => {
  await database.age(merchant, '1 day')
  await database.query('update tier_figures set day = day - 1 where workspace_id = $1', [
    merchant.workspace.id,
  ])
}

describe('the tier of a sale', () => {
  test('is what its partner had reached before its day, and is kept in its step', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    const ids = [
      await sell(merchant, clickId, noon(3)),
      await sell(merchant, clickId, noon(3)),
      await sell(merchant, clickId, noon(2)),
      await sell(merchant, clickId, noon(2)),
      await sell(merchant, clickId),
    ]
    const tiers = await Promise.all(ids.map((id) => tierOfSale(merchant, id)))
    expect(tiers.map((tier) => [tier?.tier, tier?.reached])).toEqual([
      [null, 0],
      [null, 0],
      ['Silver', 2],
      ['Silver', 2],
      ['Gold', 4],
    ])
    expect(await Promise.all(ids.map((id) => earnedBy(merchant, id)))).toEqual([
      490, 490, 980, 980, 2_450,
    ])
    const event = await merchant.explainReport('sale', ids[4] ?? '')
    expect(event?.steps.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^The partner’s tier was “Gold”: 4 sales before \d+ \w+ \d{4}\.$/),
    )
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('is the same for all sales of a day, whatever is refunded or reported late meanwhile', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    const early = [await sell(merchant, clickId, noon(5)), await sell(merchant, clickId, noon(5))]
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      tier: 'Silver',
    })
    await sell(merchant, clickId, noon(4))
    await sell(merchant, clickId, noon(4))
    const { status } = await merchant.refund({ saleExternalId: early[0] })
    expect(status).toBe(200)
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      ...{ tier: 'Silver', reached: 2 },
    })
    await nextDay(merchant)
    // Two of the first day are left, and one of two, and the two of yesterday.
    expect((await tierOfSale(merchant, await sell(merchant, clickId)))?.tier).toBe('Gold')
  })

  test('is not asked for where no reward of the partner asks for it, or the program has no tiers', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    await setRules(database, merchant.programId, [paying(50, { fact: 'quantity', atLeast: 2 })])
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toBeUndefined()
    await setRules(database, merchant.programId, [paying(50, { fact: 'tier', in: ['Gold'] })])
    await setTiers(merchant.programId, null)
    const id = await sell(merchant, clickId)
    expect([await tierOfSale(merchant, id), await earnedBy(merchant, id)]).toEqual([undefined, 490])
    expect(
      await database.query('select from tier_figures where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    ).toEqual([])
  })

  test('counts neither another currency, nor duplicates, self-referrals and what a manager rejected', async () => {
    const merchant = await openTiered(NET)
    const clickId = await oldClick(merchant)
    await sell(merchant, clickId, noon(9), { amountCents: 9_000 })
    await sell(merchant, clickId, noon(8), { amountCents: 9_000, currency: 'EUR' })
    await sell(merchant, clickId, noon(7), {
      ...{ amountCents: 9_000, customerExternalId: 'maya@partner.example' },
    })
    const rejected = await sell(merchant, clickId, noon(6), { amountCents: 9_000 })
    const other = await sell(merchant, clickId, noon(5), { amountCents: 9_000 })
    await database.query(
      `update events set is_duplicate = true where workspace_id = $1 and external_id = $2`,
      [merchant.workspace.id, other],
    )
    await database.query(
      `update events set steps = steps || '[{"code": "commission_rejected", "facts": {}}]'
       where workspace_id = $1 and external_id = $2`,
      [merchant.workspace.id, rejected],
    )
    await sell(merchant, clickId, noon(4), { amountCents: 9_000 })
    await database.query(
      `update events set steps = '[{"code": "sale_expected_from_stripe", "facts": {"processor": "stripe"}}]'
       where workspace_id = $1 and external_id = $2`,
      [merchant.workspace.id, `order-${sales}`],
    )
    const id = await sell(merchant, clickId)
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: null, reached: 9_000 })
  })

  test.each(['hold', 'refuse'] as const)(
    'does not count a partner’s own purchase that would earn nothing anyway: %s',
    async (mode) => {
      const merchant = await createMerchant({ program: { self_referrals: mode } })
      await setTiers(merchant.programId, SALES)
      await setCaps(database, merchant.programId, [usdCap('partner_month', 100)])
      const clickId = await merchant.click()
      await sell(merchant, clickId)
      const own = await sell(merchant, clickId, undefined, {
        customerExternalId: 'maya@partner.example',
      })
      const event = await merchant.explainReport('sale', own)
      expect(event?.commission ?? null).toBeNull()
      expect(event?.steps.map(({ code }) => code)).toEqual([
        ...['click', 'program_reward', 'cap_applied', 'self_referral'],
      ])
      const [figures] = await database.query(
        `select sales::int from partner_figures($1, '-infinity', 'infinity', 'USD')`,
        [merchant.partnerId],
      )
      expect(figures).toEqual({ sales: 1 })
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )

  test('counts a self-referral once a manager has released its commission', async () => {
    const merchant = await createMerchant()
    await setTiers(merchant.programId, SALES)
    await sell(merchant, await merchant.click(), undefined, {
      customerExternalId: 'maya@partner.example',
    })
    const sold = async () => {
      const [figures] = await database.query<{ sales: number }>(
        `select sales::int from partner_figures($1, '-infinity', 'infinity', 'USD')`,
        [merchant.partnerId],
      )
      return figures?.sales
    }
    expect(await sold()).toBe(0)
    const as = await merchant.asManager()
    const [commission] = await database.query<{ id: string }>(
      'select id from commissions where workspace_id = $1',
      [merchant.workspace.id],
    )
    const { status } = await as.post(`/commissions/${commission?.id}/release`)
    expect(status).toBe(200)
    expect(await sold()).toBe(1)
  })

  test('is by what is left of net sales, and a refund demotes from the next day on', async () => {
    const merchant = await openTiered(NET)
    const clickId = await oldClick(merchant)
    const id = await sell(merchant, clickId, noon(5), { amountCents: 10_000 })
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      ...{ tier: 'Gold', reached: 10_000 },
    })
    await database.query(
      `update events set returned_cents = 6_000 where workspace_id = $1 and external_id = $2`,
      [merchant.workspace.id, id],
    )
    expect((await tierOfSale(merchant, await sell(merchant, clickId)))?.tier).toBe('Gold')
    await nextDay(merchant)
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      ...{ tier: 'Gold', reached: 4_000 + 2 * 4_900 },
    })
    await database.query(
      `update events set returned_cents = amount_cents where workspace_id = $1`,
      [merchant.workspace.id],
    )
    await nextDay(merchant)
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      ...{ tier: null, reached: 0 },
    })
  })

  test('counts the customers who bought, each once', async () => {
    const merchant = await openTiered({ ...SALES, by: 'customers' })
    const clickId = await oldClick(merchant)
    for (const customerExternalId of ['a', 'a', 'b', 'b', 'a'])
      await sell(merchant, clickId, noon(5), { customerExternalId })
    expect(await tierOfSale(merchant, await sell(merchant, clickId))).toMatchObject({
      ...{ tier: 'Silver', reached: 2 },
    })
  })

  test('is of a partner in one program, by the sales of that program', async () => {
    const merchant = await openTiered()
    const { seed, workspace } = merchant
    const other = await seed.addProgram(workspace.id)
    await seed.addPartner(workspace.id, other, { slug: 'maya' })
    await setTiers(other, SALES)
    await setRules(database, other, [paying(50, { fact: 'tier', in: ['Silver'] })])
    const [here, there] = [await oldClick(merchant), await oldClick(merchant, 'maya', other)]
    for (const _ of ['once', 'twice']) await sell(merchant, here, noon(3))
    expect((await tierOfSale(merchant, await sell(merchant, here)))?.tier).toBe('Silver')
    expect((await tierOfSale(merchant, await sell(merchant, there)))?.tier).toBe(null)
  })

  test('is of the day by which a dated sale is reported, and by the tiers in force then', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    for (const _ of ['once', 'twice']) await sell(merchant, clickId, noon(9))
    const manager = await merchant.asManager()
    const levels = [{ name: 'Silver', atLeast: 100 }]
    const { status } = await manager.patch(`/programs/${merchant.programId}`, {
      tiers: { ...SALES, levels },
    })
    expect(status).toBe(200)
    expect((await tierOfSale(merchant, await sell(merchant, clickId)))?.tier).toBe(null)
    expect(await tierOfSale(merchant, await sell(merchant, clickId, noon(5)))).toMatchObject({
      ...{ tier: 'Silver', day: noon(5).toISOString().slice(0, 10) },
    })
    expect((await tierOfSale(merchant, await sell(merchant, clickId, noon(20))))?.tier).toBe(null)
  })
})

test('a sale counts that a processor whose clock is ahead reports before its period begins', async () => {
  const merchant = await openTiered()
  await sell(merchant, await oldClick(merchant))
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000)
  await database.query('update events set occurred_at = $2 where workspace_id = $1', [
    ...[merchant.workspace.id, at(120)],
  ])
  const [figures] = await database.query(
    `select net_cents::int as cents, customers::int, sales::int
     from partner_figures($1, $2, $3, 'USD')`,
    [merchant.partnerId, at(60), at(3_600)],
  )
  expect(figures).toEqual({ cents: 4_900, customers: 1, sales: 1 })
})

test('the portal’s tier of today is that of today’s sales, and null without tiers', async () => {
  const merchant = await openTiered()
  const { partnerId, programId } = merchant
  const clickId = await oldClick(merchant)
  for (const _ of ['once', 'twice', 'thrice']) await sell(merchant, clickId, noon(3))
  const db = connect(inject('database'))
  const today = await tierOfToday(db, partnerId, new Date())
  expect(today).toMatchObject({ tier: 'Silver', reached: 3, next: { tier: 'Gold', atLeast: 4 } })
  expect(await tierOfSale(merchant, await sell(merchant, clickId))).toEqual(today)
  await setTiers(programId, null)
  expect(await tierOfToday(db, partnerId, new Date())).toBe(null)
})

test('a lead is decided by the tier of its partner, and says so', async () => {
  const merchant = await openTiered()
  const { seed, workspace, programId, partnerId } = merchant
  const groupId = await seed.addGroup(workspace.id, programId)
  await database.query('update partners set group_id = $2 where id = $1', [partnerId, groupId])
  const flat = (amountCents: number) => ({ kind: 'flat', amountCents, currency: 'USD' })
  const when = { all: [{ fact: 'tier', in: ['Silver'] }] }
  const leadReward = { ...flat(100), rules: [{ name: 'Silver', when, pay: flat(900) }] }
  const manager = await merchant.asManager()
  expect(await manager.patch(`/groups/${groupId}`, { leadReward })).toMatchObject({ status: 200 })

  const clickId = await oldClick(merchant)
  const earnedByLead = async (externalId: string) => {
    await merchant.lead({ externalId, customerExternalId: externalId, clickId })
    const lead = await merchant.explainReport('lead', externalId)
    return [lead?.commission?.amountCents, lead?.steps.some(({ code }) => code === 'tier')]
  }
  for (const _ of ['once', 'twice']) await sell(merchant, clickId, noon(3))
  expect(await earnedByLead('new')).toEqual([900, true])
  await database.query('delete from tier_figures where workspace_id = $1', [workspace.id])
  await setTiers(programId, { ...SALES, levels: [{ name: 'Silver', atLeast: 9 }] })
  expect(await earnedByLead('later')).toEqual([100, true])
})

describe('the day of tiers', () => {
  /** The day of a time, and from when until when sales count on it. */
  const periodOf = async (period: Tiers['period'], timeZone: string, at: string) => {
    const [row] = await database.query<Record<string, string>>(
      `select day::text, to_json(from_at at time zone 'UTC')::text as "from",
              to_json(to_at at time zone 'UTC')::text as "to", to_json(ends_at at time zone 'UTC')::text as "until"
       from tier_period($1, $2)`,
      [JSON.stringify({ period, timeZone }), at],
    )
    const times = [row?.from, row?.to, row?.until]
    return [row?.day, ...times.map((time) => time?.replaceAll('"', '').replace(/:00$/, ''))]
  }

  test.each([
    // Daylight saving ends in Berlin on 25 October 2026 at 3:00, and begins on 29 March at 2:00.
    [
      'month',
      'Europe/Berlin',
      '2026-10-25T22:59:59Z',
      '2026-10-25',
      '2026-09-30T22:00',
      '2026-10-24T22:00',
      '2026-10-25T23:00',
    ],
    [
      'month',
      'Europe/Berlin',
      '2026-10-25T23:00:00Z',
      '2026-10-26',
      '2026-09-30T22:00',
      '2026-10-25T23:00',
      '2026-10-26T23:00',
    ],
    [
      'month',
      'Europe/Berlin',
      '2026-11-15T12:00:00Z',
      '2026-11-15',
      '2026-10-31T23:00',
      '2026-11-14T23:00',
      '2026-11-15T23:00',
    ],
    [
      'quarter',
      'Europe/Berlin',
      '2026-03-29T22:30:00Z',
      '2026-03-30',
      '2025-12-31T23:00',
      '2026-03-29T22:00',
      '2026-03-30T22:00',
    ],
    [
      'quarter',
      'Europe/Berlin',
      '2026-03-31T22:00:00Z',
      '2026-04-01',
      '2026-03-31T22:00',
      '2026-03-31T22:00',
      '2026-04-01T22:00',
    ],
    [
      'year',
      'Europe/Berlin',
      '2026-03-29T12:00:00Z',
      '2026-03-29',
      '2025-03-28T23:00',
      '2026-03-28T23:00',
      '2026-03-29T22:00',
    ],
    // In São Paulo, 4 November 2018 began at 1:00, and 17 February 2018 had 25 hours.
    [
      'month',
      'America/Sao_Paulo',
      '2018-11-04T03:00:00Z',
      '2018-11-04',
      '2018-11-01T03:00',
      '2018-11-04T03:00',
      '2018-11-05T02:00',
    ],
    [
      'month',
      'America/Sao_Paulo',
      '2018-02-18T02:59:59Z',
      '2018-02-17',
      '2018-02-01T02:00',
      '2018-02-17T02:00',
      '2018-02-18T03:00',
    ],
    [
      'quarter',
      'America/Sao_Paulo',
      '2026-12-31T23:59:00Z',
      '2026-12-31',
      '2026-10-01T03:00',
      '2026-12-31T03:00',
      '2027-01-01T03:00',
    ],
    [
      'year',
      'UTC',
      '2024-02-29T00:00:00Z',
      '2024-02-29',
      '2023-03-01T00:00',
      '2024-02-29T00:00',
      '2024-03-01T00:00',
    ],
  ] as const)('by %s in %s at %s', async (period, zone, at, day, from, to, until) => {
    expect(await periodOf(period, zone, at)).toEqual([day, from, to, until])
  })

  test('ever begins with the first sale', async () => {
    const [day, from] = await periodOf('ever', 'UTC', '2026-11-29T12:00:00Z')
    expect([day, from]).toEqual(['2026-11-29', '-infinity'])
  })

  test.each(TIER_PERIODS)('counts what was sold in the period before it: %s', async (period) => {
    const merchant = await openTiered({ ...SALES, period })
    const clickId = await oldClick(merchant)
    const days = [370, 364, 200, 95, 60, 40, 20, 10, 1]
    for (const days_ of days) await sell(merchant, clickId, noon(days_))
    const today = noon(-0.5)
    const first = {
      month: Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1),
      quarter: Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - (today.getUTCMonth() % 3), 1),
      year: Math.floor(Number(today) / DAY_MS) * DAY_MS - 365 * DAY_MS,
      ever: 0,
    }[period]
    const id = await sell(merchant, clickId)
    expect((await tierOfSale(merchant, id))?.reached).toBe(
      days.filter((ago) => Number(noon(ago)) >= first).length,
    )
  })

  test('is that of the time zone of the program', async () => {
    const at = noon(3)
    // In Kiritimati, it is the next day at noon.
    for (const [timeZone, tier] of [
      ['UTC', null],
      ['Pacific/Kiritimati', null],
      ['Pacific/Kiritimati', 'Silver'],
    ] as const) {
      const merchant = await openTiered({ ...SALES, timeZone })
      const clickId = await oldClick(merchant)
      const before = new Date(Number(at) - (tier ? 3 : 1) * HOUR_MS)
      for (const _ of ['once', 'twice']) await sell(merchant, clickId, before)
      expect((await tierOfSale(merchant, await sell(merchant, clickId, at)))?.tier).toBe(tier)
    }
  })
})

describe('concurrent sales', () => {
  test('that are the first ones of a day get one tier', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    for (const _ of ['once', 'twice']) await sell(merchant, clickId, noon(3))
    const ids = await Promise.all(Array.from({ length: 12 }, () => sell(merchant, clickId)))
    const tiers = await Promise.all(ids.map((id) => tierOfSale(merchant, id)))
    expect(new Set(tiers.map((tier) => tier?.reached))).toEqual(new Set([2]))
    expect(
      await database.query(
        `select reached::int from tier_figures where workspace_id = $1 order by day desc limit 1`,
        [merchant.workspace.id],
      ),
    ).toEqual([{ reached: 2 }])
  })

  test('read again what another has kept meanwhile', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    // As another sale of the day that was decided before a sale of the day before was known.
    const id = await database.whileUncommitted(
      `insert into tier_figures (workspace_id, partner_id, day, measure, period, currency, reached)
       values ($1, $2, utc_day(now()), 'sales', 'ever', '', 3)`,
      [merchant.workspace.id, merchant.partnerId],
      () => sell(merchant, clickId),
    )
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: 'Silver', reached: 3 })
  })

  test('of a batch get the tier of their day, in whatever order they are in it', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    const at = (days: number, n: number) => ({
      ...{ kind: 'sale', externalId: `${days}-${n}`, customerExternalId: `b-${days}-${n}` },
      ...{ amountCents: 4_900, clickId, occurredAt: noon(days).toISOString() },
    })
    await merchant.post('/api/track/batch', { events: [at(5, 1), at(5, 2), at(5, 3)] })
    await merchant.post('/api/track/batch', { events: [at(3, 2), at(4, 1), at(3, 1), at(4, 2)] })
    const reached = async (id: string) => (await tierOfSale(merchant, id))?.reached
    expect(await reached('4-1')).toBe(3)
    expect(await reached('4-2')).toBe(3)
    expect(await reached('3-1')).toBe(await reached('3-2'))
  })
})

test('a tier never depends on the order of the sales of its day', async () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 8_000 }), { maxLength: 4 })
  const days = fc.array(amounts, { minLength: 2, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(days, fc.boolean(), async (of, isAtOnce) => {
      const merchant = await openTiered(NET)
      const clickId = await oldClick(merchant)
      let before = 0
      for (const [n, cents] of of.entries()) {
        const at = (place: number) => new Date(Number(noon(9 - n)) + place * 1_000)
        const sales = cents.map(
          (amountCents, place) => () => sell(merchant, clickId, at(place), { amountCents }),
        )
        const ids: string[] = []
        if (isAtOnce) ids.push(...(await Promise.all(sales.map((sale) => sale()))))
        else for (const sale of sales.toReversed()) ids.push(await sale())
        for (const id of ids) {
          const expected = { reached: before, tier: before < 10_000 ? null : 'Gold' }
          expect(await tierOfSale(merchant, id)).toMatchObject(expected)
        }
        before += cents.reduce((sum, one) => sum + one, 0)
      }
    }),
    { numRuns: 6 },
  )
})

describe('a recorded sale', () => {
  test('keeps its tier when it is decided again, whatever the figures and the tiers are since', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    for (const _ of ['once', 'twice']) await sell(merchant, clickId, noon(9))
    const id = await sell(merchant, clickId, noon(5))
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: 'Silver', reached: 2 })
    for (const _ of ['once', 'twice']) await sell(merchant, clickId, noon(8))
    await setTiers(merchant.programId, {
      ...SALES,
      levels: [{ name: 'Bronze', atLeast: 1 }],
    })
    await database.query('delete from tier_figures where workspace_id = $1', [
      merchant.workspace.id,
    ])
    const event = await merchant.explainReport('sale', id)
    const manager = await merchant.asManager()
    const { status } = await manager.post(`/events/${event?.id}/credit`, {
      ...{ partnerId: merchant.partnerId, reason: 'Asked by phone', customer: false },
    })
    expect(status).toBe(200)
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: 'Silver', reached: 2 })
    expect(await earnedBy(merchant, id)).toBe(980)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('gets the tier of another partner to whom it is credited by hand, and counts for that one', async () => {
    const merchant = await openTiered()
    const { seed, workspace, programId } = merchant
    const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const [maya, ofLeo] = [await oldClick(merchant), await oldClick(merchant, 'leo')]
    for (const _ of ['once', 'twice']) await sell(merchant, ofLeo, noon(9))
    const id = await sell(merchant, maya, noon(5))
    expect((await tierOfSale(merchant, id))?.tier).toBe(null)
    const event = await merchant.explainReport('sale', id)
    const manager = await merchant.asManager()
    await manager.post(`/events/${event?.id}/credit`, {
      ...{ partnerId: leo, reason: 'Referred by phone', customer: false },
    })
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: 'Silver', reached: 2 })
    expect(await tierOfSale(merchant, await sell(merchant, ofLeo))).toMatchObject({ reached: 3 })
    expect(await tierOfSale(merchant, await sell(merchant, maya))).toMatchObject({ reached: 0 })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('has its tier under what-if, and one without gets that of its day', async () => {
    const merchant = await openTiered()
    const clickId = await oldClick(merchant)
    for (const days of [9, 9, 5, 5, 3]) await sell(merchant, clickId, noon(days))
    const earned = [490, 490, 980, 980, 2_450]
    const sum = earned.reduce((all, cents) => all + cents, 0)
    const manager = await merchant.asManager()
    const whatIf = async (fields: Record<string, unknown>) => {
      const { status, body } = await manager.post(`/programs/${merchant.programId}/what-if`, fields)
      expect(status).toBe(200)
      const [usd] = (body as unknown as WhatIfResponse).currencies
      return [usd?.currentCents, usd?.changedCents]
    }
    expect(await whatIf({ attribution: 'first' })).toEqual([sum, sum])
    await database.query(
      `update events set steps = (select jsonb_agg(step) from jsonb_array_elements(steps) step where step ->> 'code' <> 'tier')
       where workspace_id = $1`,
      [merchant.workspace.id],
    )
    expect(await whatIf({ attribution: 'first' })).toEqual([sum, sum])
    for (const by of MEASURES.filter((one) => one !== 'netSales'))
      for (const period of TIER_PERIODS) {
        await setTiers(merchant.programId, { ...SALES, by, period })
        const cents = await Promise.all(
          [9, 9, 5, 5, 3].map(async (days) => {
            const [row] = await database.query<{ reached: number }>(
              `select (reached_by($1, $2, $3) ->> 'reached')::int as reached`,
              [merchant.partnerId, JSON.stringify({ ...SALES, by, period }), noon(days)],
            )
            const { reached } = row ?? { reached: 0 }
            return reached < 2 ? 490 : reached < 4 ? 980 : 2_450
          }),
        )
        const expected = cents.reduce((all, one) => all + one, 0)
        expect(await whatIf({ attribution: 'first' })).toEqual([expected, expected])
      }
  })
})

describe('a payment that Stripe reports', () => {
  const openTieredShop = async () => {
    const shop = await openShop(database)
    const { programId } = shop.merchant
    await setTiers(programId, SALES)
    await setRules(database, programId, [
      paying(50, { fact: 'tier', in: ['Gold'] }),
      paying(20, { fact: 'tier', in: ['Silver'] }),
    ])
    /** A payment of a new buyer, so many days before noon. @returns its id, and how to repeat it */
    const pay = async (days: number) => {
      const buyer = shop.buyer()
      const clickId = await buyer.click('maya', 300)
      const at = Math.floor((Number(noon(days)) - shop.start * 1_000) / 1_000)
      const pi = buyer.id('pi')
      await buyer.checkout({ at, client_reference_id: clickId })
      return { id: pi, buyer, at }
    }
    return { ...shop, pay }
  }

  test('has the tier of its day, also of several at once, and of one that is reported late', async () => {
    const { merchant, pay } = await openTieredShop()
    const first = [await pay(5), await pay(5)]
    const next = await Promise.all(Array.from({ length: 5 }, () => pay(4)))
    const late = await pay(5)
    const reached = (paid: { id: string }[]) =>
      Promise.all(paid.map(async ({ id }) => (await tierOfSale(merchant, id))?.reached))
    expect(await reached(first)).toEqual([0, 0])
    expect(await reached(next)).toEqual([2, 2, 2, 2, 2])
    expect(await reached([late])).toEqual([0])
    expect(await reached([await pay(3)])).toEqual([8])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('keeps its tier when more is known of it', async () => {
    const { merchant, pay } = await openTieredShop()
    for (const _ of ['once', 'twice']) await pay(5)
    const { id, buyer, at } = await pay(4)
    const before = await merchant.explainReport('sale', id)
    expect(await tierOfSale(merchant, id)).toMatchObject({ tier: 'Silver', reached: 2 })
    for (const _ of ['once', 'twice']) await pay(5)
    await setTiers(merchant.programId, { ...SALES, levels: [{ name: 'Gold', atLeast: 1 }] })
    await database.query('delete from tier_figures where workspace_id = $1', [
      merchant.workspace.id,
    ])
    // Less was captured than the checkout asked for.
    const captured = { amount: 4_900, amount_received: 2_000, payment_details: null }
    await buyer.event(
      'payment_intent.succeeded',
      paymentIntent({ id, customer: buyer.id('cus'), ...captured }),
      at,
    )
    const after = await merchant.explainReport('sale', id)
    expect([before?.amountCents, after?.amountCents]).toEqual([4_900, 2_000])
    expect(after?.commission?.amountCents).toBe(400)
    expect(after?.steps.find(({ code }) => code === 'tier')?.facts).toMatchObject({
      ...{ tier: 'Silver', reached: 2 },
    })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})
