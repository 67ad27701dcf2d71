/**
 * A flood of visits does not fill the database, and costs no honest partner the credit for a sale.
 */
import { expect, test } from 'vitest'
import { dailyClicksOf } from '../../lib/tracking/clicks/click-budget.ts'
import { fold } from '../support/fold.ts'
import { codes, createMerchant, useDatabase } from '../support/merchant.ts'
import { checkoutSession, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

const BUDGET = 1_000
const NOON = '2026-03-01T12:00:00Z'

type Visit = {
  id?: string | undefined
  slug?: string
  landing?: string | null
  sub?: string | null
  held?: string | null
  at?: string
}

/** A merchant whose program has stored so many clicks on a day. */
const createBusy = async (stored = BUDGET, program = {}) => {
  const merchant = await createMerchant({ program })
  const { workspace, programId } = merchant
  const spend = (clicks: number, day: string) =>
    database.query(
      `insert into click_budgets (program_id, workspace_id, day, clicks) values ($1, $2, $3, $4)
       on conflict (program_id) do update set day = excluded.day, clicks = excluded.clicks`,
      [programId, workspace.id, day, clicks],
    )
  await spend(stored, '2026-03-01')
  let made = 0
  return {
    merchant,
    spend,
    /** The id that a visitor gets. */
    visit: async ({
      id,
      slug = 'maya',
      landing = null,
      sub = null,
      held = null,
      at = NOON,
    }: Visit = {}) => {
      const [row] = await database.query<{ saved: { id: string } | null }>(
        'select save_click($1, $2, $3, $4, null, $5, true, $6, $7, $7, $8) as saved',
        [id ?? `clk_visit${made++}`, programId, slug, landing, sub, held, at, BUDGET],
      )
      return row?.saved?.id
    },
    clicks: () =>
      database.query<{ id: string; slug: string; at: Date }>(
        `select c.id, p.slug, c.created_at as at from clicks c join partners p on p.id = c.partner_id
         where c.workspace_id = $1 order by c.created_at, p.slug`,
        [workspace.id],
      ),
    /**
     * The visits of charts, by page. The ledger's verification counts them again, before and after
     * they are folded.
     */
    counted: async () => {
      expect(await database.violations(workspace.id)).toEqual([])
      await fold(database, merchant)
      expect(await database.violations(workspace.id)).toEqual([])
      const rows = await database.query<{ page: string; clicks: number }>(
        `select value as page, sum(clicks)::integer as clicks from totals
         where workspace_id = $1 and level = 'partner' and dimension = 'page' and unit = 'day' group by value order by value`,
        [workspace.id],
      )
      return Object.fromEntries(rows.map(({ page, clicks }) => [page, clicks]))
    },
    stored: async () =>
      (
        await database.query<{ day: string; clicks: number }>(
          'select day::text, clicks::integer from click_budgets where program_id = $1',
          [programId],
        )
      )[0],
  }
}

test('a flood of one partner’s link stores one click a minute, and all of its visits are counted', async () => {
  const { visit, clicks, counted } = await createBusy()
  const ids = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      visit({ landing: `https://shop.example/${n % 2}`, sub: 'mail' }),
    ),
  )
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toMatch(/^clk_[A-Za-z0-9]{24}$/)
  const later = await visit({ at: '2026-03-01T12:01:00Z', landing: 'https://shop.example/0' })
  expect((await clicks()).map(({ id }) => id)).toEqual([ids[0], later])
  expect(await counted()).toEqual({ 'https://shop.example/0': 26, 'https://shop.example/1': 25 })
})

test('each partner has a click of its own, and each program a budget of its own', async () => {
  const { merchant, visit, clicks } = await createBusy()
  const { seed, workspace } = merchant
  await seed.addPartner(workspace.id, merchant.programId, { slug: 'leo', email: 'leo@x.example' })
  expect(await visit()).not.toBe(await visit({ slug: 'leo' }))
  expect((await clicks()).map(({ slug }) => slug)).toEqual(['leo', 'maya'])
  const other = await seed.addProgram(workspace.id, { name: 'Other' })
  await seed.addPartner(workspace.id, other, { slug: 'maya', email: 'maya@x.example' })
  const [row] = await database.query<{ saved: { id: string } }>(
    'select save_click($1, $2, $3, null, null, null, true, null, $4, $4, $5) as saved',
    ['clk_own', other, 'maya', NOON, BUDGET],
  )
  expect(row?.saved.id).toBe('clk_own')
})

test('the budget is counted in steps of 64, and renewed each day', async () => {
  const { visit, stored, spend, clicks } = await createBusy(BUDGET - 128)
  const [step, second, next] = await database.query<{ id: string }>(
    `select id from (select 'clk_step' || n as id from generate_series(1, 1000) n) ids
     where hashtext(id) & 63 = 0 order by id limit 3`,
  )
  const [none] = await database.query<{ id: string }>(
    "select id from (select 'clk_none' || n as id from generate_series(1, 1000) n) ids where hashtext(id) & 63 <> 0 limit 1",
  )
  expect(await visit({ id: none?.id })).toBe(none?.id)
  expect(await stored()).toEqual({ day: '2026-03-01', clicks: BUDGET - 128 })
  // A repeat after a commit that was not seen counts nothing.
  for (const _ of ['once', 'twice']) {
    expect(await visit({ id: step?.id })).toBe(step?.id)
    expect(await stored()).toEqual({ day: '2026-03-01', clicks: BUDGET - 64 })
  }
  expect(await visit({ id: second?.id })).toBe(second?.id)
  expect(await visit({ id: second?.id, at: '2026-03-01T12:00:01Z' })).not.toBe(second?.id)
  expect(await stored()).toEqual({ day: '2026-03-01', clicks: BUDGET })
  expect(await visit()).not.toMatch(/^clk_visit/)
  expect(await visit({ at: '2026-03-02T00:00:00Z' })).toMatch(/^clk_visit/)
  await spend(BUDGET, '2026-02-28')
  expect(await visit()).toMatch(/^clk_visit/)
  expect(await visit({ id: next?.id })).toBe(next?.id)
  expect(await stored()).toEqual({ day: '2026-03-01', clicks: 64 })
  expect(await clicks()).toHaveLength(7)
})

test('a repeated arrival within 30 minutes is counted once, and the first click stands where it is credited', async () => {
  const { merchant, visit, counted } = await createBusy(BUDGET, { attribution: 'first' })
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
    email: 'leo@x.example',
  })
  const first = await visit({ landing: 'https://shop.example/' })
  const again = {
    held: first ?? null,
    landing: 'https://shop.example/',
    at: '2026-03-01T12:20:00Z',
  }
  expect(await visit(again)).toBe(first)
  expect(await visit({ ...again, slug: 'leo' })).toBe(first)
  expect(await counted()).toEqual({ 'https://shop.example/': 2 })
})

/** A merchant whose budget of today is spent. */
const createSpent = async () => {
  const merchant = await createMerchant({
    group: { leadReward: { amountCents: 500n, currency: 'USD' } },
  })
  await database.query(
    'insert into click_budgets (program_id, workspace_id, day, clicks) values ($1, $2, utc_day(now()), $3)',
    [merchant.programId, merchant.workspace.id, dailyClicksOf({})],
  )
  return merchant
}

test('reports that name a click beyond the budget credit its partner', async () => {
  const merchant = await createSpent()
  const clickId = await merchant.click()
  const [stored] = await database.query(
    'select is_counted from clicks where workspace_id = $1 and id = $2',
    [merchant.workspace.id, clickId],
  )
  expect(stored).toEqual({ is_counted: false })
  expect((await merchant.lead({ clickId })).body).toEqual({
    eventId: expect.any(String),
    attributed: true,
  })
  const { body } = await merchant.sale({ clickId })
  expect(codes(await merchant.explain(body.eventId))?.slice(0, 1)).toEqual(['click'])
  await merchant.sale({ externalId: 'inv_2', customerExternalId: 'user_2', clickId })
  const earned = await database.query(
    'select partner_id as id from commissions where workspace_id = $1 group by partner_id having count(*) = 3',
    [merchant.workspace.id],
  )
  expect(earned).toEqual([{ id: merchant.partnerId }])
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('so does a checkout of Stripe’s', async () => {
  const merchant = await createSpent()
  const stripe = await useStripe(merchant)
  const session = checkoutSession({
    payment_intent: stripeId('pi'),
    customer: stripeId('cus'),
    client_reference_id: await merchant.click(),
  })
  await stripe.deliver(stripeEvent('checkout.session.completed', session))
  const earned = await database.query(
    'select partner_id as id, kind from commissions where workspace_id = $1',
    [merchant.workspace.id],
  )
  expect(earned).toEqual([{ id: merchant.partnerId, kind: 'sale' }])
})

test.each(['-1', '0', '1.5', 'many'])('the setting %j is refused', (setting) => {
  expect(() => dailyClicksOf({ DAILY_CLICKS: setting })).toThrow('must be a whole number')
  expect(dailyClicksOf({ DAILY_CLICKS: '' })).toBe(100_000)
})
