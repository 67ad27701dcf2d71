import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { readStatement } from '../../lib/papers/statements.queries.ts'
import { monthOf } from '../../lib/rules/statements/statements.ts'
import { type EarnedSums, earnedQuery } from '../../lib/totals/balances.queries.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { DELTAS_PER_PAGE, fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { endOld, LONG_DAYS } from '../support/removed-clicks.ts'

const database = useDatabase()

const db = () => connect(inject('database'))

const INVARIANTS = new Set([
  'totals are what they sum up',
  'a partner was last active on its newest day',
])
/** The row of a partner by which the list of partners is sorted. */
const LISTED = `level = 'partner' and dimension = 'all' and unit = 'all_time' and currency = ''`

const violationsOf = async ({ workspace }: Merchant) =>
  (await database.violations(workspace.id)).filter(({ invariant }) => INVARIANTS.has(invariant))

/** The total of a merchant's days. */
const happened = async ({ workspace }: Merchant) =>
  (
    await database.query(
      `select sum(clicks)::int as clicks, sum(leads)::int as leads, sum(sales)::int as sales, sum(customers)::int as customers,
              sum(revenue_cents)::int as revenue, sum(earned_cents)::int as earned
       from totals where workspace_id = $1 and level = 'program' and dimension = 'all' and unit = 'day'`,
      [workspace.id],
    )
  )[0]

/** The same sums, of all commissions one by one. */
const sumOneByOne = async ({ workspace }: Merchant, now: Date) =>
  database.query<Record<keyof EarnedSums, unknown>>(
    `select currency, coalesce(sum(amount_cents) filter (where status = 'held'), 0)::bigint as "heldCents",
            coalesce(sum(amount_cents) filter (where status = 'pending'), 0)::bigint as "pendingCents",
            coalesce(sum(amount_cents) filter (where status = 'payable'), 0)::bigint as "payableCents",
            coalesce(sum(amount_cents) filter (where status = 'processing'), 0)::bigint as "processingCents",
            coalesce(sum(amount_cents) filter (where status = 'paid'), 0)::bigint as "paidCents"
     from (select c.*, case when p.paid_at is not null then 'paid' when p.id is not null then 'processing'
                            when h.commission_id is not null then 'held' when c.payable_at > $2 then 'pending' else 'payable' end as status
           from commissions c left join payouts p on p.id = c.payout_id
           left join commission_holds h on h.commission_id = coalesce(c.reverses_id, c.id) and h.resolved_at is null
           where c.workspace_id = $1) c
     group by currency order by currency`,
    [workspace.id, now],
  )

const sums = async ({ workspace }: Merchant, now: Date) =>
  (await earnedQuery(workspace.id, now).execute(db())).rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  )

test('totals are exact while sales, a correction of one and folding happen at once', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const writing = Array.from({ length: 12 }, (_, n) =>
    n % 4 === 3
      ? merchant.lead({ externalId: `lead_${n}`, clickId })
      : merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n % 5}`, clickId }),
  )
  const folding = Array.from({ length: 6 }, () => foldTotals(db(), 3))
  await Promise.all([...writing, ...folding])
  expect(await violationsOf(merchant)).toEqual([])
  await database.query(
    `update events set amount_cents = 100, occurred_at = occurred_at - interval '40 days'
     where workspace_id = $1 and external_id = 'inv_0'`,
    [merchant.workspace.id],
  )
  expect(await violationsOf(merchant)).toEqual([])
  await fold(database, merchant)
  expect(await violationsOf(merchant)).toEqual([])
  expect(await happened(merchant)).toEqual({
    clicks: 1,
    leads: 3,
    sales: 9,
    customers: 8,
    revenue: 8 * 4_900 + 100,
    earned: 9 * 980,
  })
})

test('the last activity of a partner moves back when what was newest is older', async () => {
  const merchant = await createMerchant()
  const lastActive = async () => {
    await fold(database, merchant)
    expect(await violationsOf(merchant)).toEqual([])
    const rows = await database.query<{ days: number | null }>(
      `select utc_day(now()) - last_active_on as days from totals where ${LISTED} and workspace_id = $1`,
      [merchant.workspace.id],
    )
    return rows.map(({ days }) => days)
  }
  const move = (clickId: string, days: number) =>
    database.query(
      'update clicks set created_at = created_at - make_interval(days => $2) where id = $1',
      [clickId, days],
    )
  expect(await lastActive()).toEqual([])
  await move(await merchant.click(), 9)
  expect(await lastActive()).toEqual([9])
  const newest = await merchant.click()
  expect(await lastActive()).toEqual([0])
  await move(newest, 4)
  expect(await lastActive()).toEqual([4])
  await move(newest, 20)
  expect(await lastActive()).toEqual([9])
})

test.each([
  [
    'the day of the last activity',
    `update totals set last_active_on = last_active_on + 1 where ${LISTED}`,
  ],
  ['the clicks of the list of partners', `update totals set clicks = clicks + 1 where ${LISTED}`],
  ['a partner of the list', `delete from totals where ${LISTED}`],
  [
    'the revenue of the list of partners',
    `update totals set revenue_cents = revenue_cents - 1
     where level = 'partner' and unit = 'all_time' and currency = 'USD'`,
  ],
])('%s is checked by verify_ledger', async (_, change) => {
  const merchant = await createMerchant()
  await merchant.sale({ clickId: await merchant.click() })
  await fold(database, merchant)
  expect(await violationsOf(merchant)).toEqual([])
  await database.query(`${change} and workspace_id = $1`, [merchant.workspace.id])
  expect(await violationsOf(merchant)).toHaveLength(1)
})

test('the sums of a statement are those of the commissions that were made in a month, before and after folding', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  for (const month of ['2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z']) {
    const { body } = await merchant.sale({ externalId: month, customerExternalId: month, clickId })
    // As a processor reports a purchase: made when it was paid, also if that is known months later.
    await database.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, amount_cents,
                                currency, payable_at, created_at)
       select gen_random_uuid(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'reversal', id, -80, currency,
              payable_at, $2
       from commissions where event_id = $1`,
      [body.eventId, month],
    )
  }
  const [partner] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1',
    [merchant.workspace.id],
  )
  const sumsOf = async (key: string) => {
    const month = monthOf(key)
    const of = { workspaceId: merchant.workspace.id }
    const read = month && (await readStatement(db(), of, partner?.id ?? '', month, 10))
    return { sums: read?.sums, lines: read?.lines.map(({ kind, cents }) => `${kind} ${cents}`) }
  }
  const january = {
    sums: [{ currency: 'USD', kind: 'reversal', beforeCents: 0n, cents: -80n }],
    lines: ['reversal -80'],
  }
  const february = {
    sums: [{ currency: 'USD', kind: 'reversal', beforeCents: -80n, cents: -80n }],
    lines: ['reversal -80'],
  }
  expect(await sumsOf('2026-01')).toEqual(january)
  expect(await sumsOf('2026-02')).toEqual(february)
  await fold(database, merchant)
  expect(await violationsOf(merchant)).toEqual([])
  expect(await sumsOf('2026-01')).toEqual(january)
  expect(await sumsOf('2026-02')).toEqual(february)
  const now = await sumsOf(new Date().toISOString().slice(0, 7))
  expect(now.sums).toEqual(
    expect.arrayContaining([
      { currency: 'USD', kind: 'reversal', beforeCents: -160n, cents: 0n },
      { currency: 'USD', kind: 'sale', beforeCents: 0n, cents: 1_960n },
    ]),
  )
  await database.query(
    `update totals set amount_cents = amount_cents + 1 where workspace_id = $1 and dimension = 'kind'`,
    [merchant.workspace.id],
  )
  expect(await violationsOf(merchant)).toHaveLength(3)
})

test('balances by status are the sums of all commissions, before and after folding, at any time of the day', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  for (let n = 0; n < 6; n++)
    await merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId })
  // Past and coming days, and this one before and after now; one is held, with its refund; two are
  // paid and being paid.
  await database.query(
    `with own as (select id, row_number() over (order by id) as n from commissions where workspace_id = $1)
     insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, amount_cents,
                              currency, payable_at, created_at)
     select gen_random_uuid(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'reversal', c.id, -n * 10,
            currency, case n when 1 then now() - interval '9 days' when 2 then now() - interval '1 minute'
                             when 3 then now() + interval '1 minute' else payable_at end, now()
     from commissions c join own using (id)`,
    [merchant.workspace.id],
  )
  await database.query(
    `insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
     select id, workspace_id, 'manual', 'A test', 'test', now() from commissions
     where workspace_id = $1 and kind = 'sale' order by id limit 1`,
    [merchant.workspace.id],
  )
  const payOut = (place: number) =>
    database.query(
      `with chosen as (
         select coalesce(c.reverses_id, c.id) as id from commissions c where workspace_id = $1 and kind = 'sale' order by id offset $2 limit 1
       ), run as (
         insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
         values (gen_random_uuid(), $1, 'manual', now(), 'test', now(), now()) returning id
       ), made as (
         insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
         select gen_random_uuid(), $1, run.id, min(c.program_id::text)::uuid, min(c.partner_id::text)::uuid, min(c.currency),
                sum(c.amount_cents), now(), now()
         from run, chosen join commissions c on coalesce(c.reverses_id, c.id) = chosen.id group by run.id returning id
       )
       update commissions c set payout_id = made.id from made, chosen where coalesce(c.reverses_id, c.id) = chosen.id returning c.payout_id as id`,
      [merchant.workspace.id, place],
    )
  await payOut(4)
  const [paid] = await payOut(5)
  await database.query('update payouts set paid_at = now() where id = $1', [paid?.id])

  const midnight = new Date()
  midnight.setUTCHours(0, 0, 0, 0)
  const times = [-11, 0, 1, 29.5, 31].map((days) => new Date(Date.now() + days * 86_400_000))
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    for (const now of [midnight, ...times]) {
      expect(await sums(merchant, now)).toEqual(await sumOneByOne(merchant, now))
    }
  }
  const [partner] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1',
    [merchant.workspace.id],
  )
  const { rows } = await earnedQuery(merchant.workspace.id, new Date(), partner?.id).execute(db())
  expect(rows.map(({ paidCents }) => String(paidCents))).toEqual([String(980 - 60)])
  expect(await violationsOf(merchant)).toEqual([])
})

const cutoffOf = async ({ workspace }: Merchant) =>
  (
    await database.query<{ at: Date; next: Date }>(
      `select nullif(cutoff_at, '-infinity') as at, nullif(next_at, 'infinity') as next from balance_cutoffs where workspace_id = $1`,
      [workspace.id],
    )
  )[0]

/** Commissions of the only partner, each payable so many seconds from now. */
const earn = ({ workspace }: Merchant, seconds: number[]) =>
  database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select gen_random_uuid(), p.workspace_id, p.program_id, p.id, 'adjustment', 100, 'USD', now() + s * interval '1 second', now()
     from partners p, unnest($2::float[]) s where p.workspace_id = $1`,
    [workspace.id, seconds],
  )

/**
 * Folds until the cutoff has moved on: a call does nothing while another test's works.
 * @returns the cutoff, in milliseconds
 */
const movedOn = async (merchant: Merchant, since: number): Promise<number> => {
  for (;;) {
    await foldTotals(db(), DELTAS_PER_PAGE)
    const at = (await cutoffOf(merchant))?.at?.getTime() ?? 0
    if (at > since) return at
  }
}

test('what becomes payable between two folds is counted once, whether it was folded, paid or reversed before', async () => {
  const merchant = await createMerchant()
  const expectExact = async () => {
    expect(await violationsOf(merchant)).toEqual([])
    for (const now of [
      new Date(),
      new Date(Date.now() - 3_600_000),
      new Date(Date.now() + 3_600_000),
    ])
      expect(await sums(merchant, now)).toEqual(await sumOneByOne(merchant, now))
  }
  const payOut = (count: number) =>
    database.query(
      `with run as (
         insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
         values (gen_random_uuid(), $1, 'manual', now(), 'test', now(), now()) returning id
       ), chosen as (
         select id from commissions where workspace_id = $1 and payout_id is null order by payable_at limit $2
       ), made as (
         insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
         select gen_random_uuid(), $1, run.id, p.program_id, p.id, 'USD', $2 * 100, now(), now()
         from run, partners p where p.workspace_id = $1 returning id
       )
       update commissions c set payout_id = made.id from made, chosen where c.id = chosen.id`,
      [merchant.workspace.id, count],
    )
  await earn(merchant, [-7_200, -60, 1, 2, 600])
  await expectExact()
  await fold(database, merchant)
  await expectExact()
  const first = await movedOn(merchant, 0)
  // One that is payable at the cutoff, and one that is not yet.
  await payOut(3)
  await earn(merchant, [-30, 1])
  await expectExact()
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  await expectExact()
  // Both in one call: the differences of what becomes payable are folded with it.
  await Promise.all(Array.from({ length: 4 }, () => foldTotals(db(), 1_000_000)))
  await expectExact()
  await fold(database, merchant)
  await database.query("update balance_cutoffs set next_at = '-infinity' where workspace_id = $1", [
    merchant.workspace.id,
  ])
  await movedOn(merchant, first)
  await expectExact()
  await database.query(
    `update totals set due_cents = due_cents + 1 where workspace_id = $1 and dimension = 'all' and unit = 'all_time' and currency <> ''`,
    [merchant.workspace.id],
  )
  expect(await violationsOf(merchant)).toHaveLength(2)
})

test('a cutoff moves no further than the commissions of one call, and never back when totals are counted again', async () => {
  const merchant = await createMerchant()
  await earn(merchant, [-50, -40, -30, -20, -10, 86_400])
  await fold(database, merchant)
  await database.age(merchant, '0 days')
  const before = await cutoffOf(merchant)
  await earn(merchant, [-5])
  // In pages of two, which others' tests share. Some of these leave thousands of differences, which
  // are folded at once.
  for (let call = 0; ; call++) {
    const found = await foldTotals(db(), call < 100 ? 2 : DELTAS_PER_PAGE)
    expect(await violationsOf(merchant)).toEqual([])
    const cutoff = await cutoffOf(merchant)
    if (found === 0 && cutoff && cutoff.next > new Date()) break
  }
  const after = await cutoffOf(merchant)
  expect(after?.at.getTime()).toBeGreaterThanOrEqual(before?.at?.getTime() ?? 0)
  const now = new Date()
  expect(await sums(merchant, now)).toEqual(await sumOneByOne(merchant, now))
})

const clicksOf = ({ workspace }: Merchant) =>
  database.query<{ id: string }>('select id from clicks where workspace_id = $1', [workspace.id])

test('clicks are removed once they have expired long enough, unless an event names them, and still count', async () => {
  const merchant = await createMerchant()
  const named = await merchant.click()
  await merchant.click()
  await merchant.sale({ clickId: named })
  await database.age(merchant, `${LONG_DAYS} days`)
  const recent = await merchant.click()
  await endOld(database)
  expect((await clicksOf(merchant)).map(({ id }) => id).sort()).toEqual([named, recent].sort())
  expect(await violationsOf(merchant)).toEqual([])
  await fold(database, merchant)
  expect(await happened(merchant)).toMatchObject({ clicks: 3, sales: 1 })
  await database.age(merchant, '1 day') // counts everything again
  await fold(database, merchant)
  expect(await happened(merchant)).toMatchObject({ clicks: 3, sales: 1 })
  expect(await violationsOf(merchant)).toEqual([])
})

test('a sale that names a click which is removed at the same moment is saved, as one with an unknown click', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const sale = await database.whileUncommitted('delete from clicks where id = $1', [clickId], () =>
    merchant.sale({ clickId }),
  )
  expect(sale.body).toEqual({ eventId: null, attributed: false })
  const { steps } = (await merchant.explainReport('sale', 'inv_1')) ?? { steps: [] }
  expect(steps.map(({ code }) => code)).toEqual(['unknown_click'])
  expect(await violationsOf(merchant)).toEqual([])
})
