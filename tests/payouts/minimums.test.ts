/** The minimum of a payout is compared with what is due to a person in all programs. */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { listPartnerBalances } from '../../lib/payouts/balances/balances.queries.ts'
import { writeOff } from '../../lib/payouts/corrections/write-off.queries.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { claimPage } from '../../lib/payouts/runs/claims.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const MINIMUM = { minimum_payout_cents: 5_000 }

/** Maya is a partner of two programs with a minimum of 50.00, and is owed something in each. */
const createMaya = async (
  first: number,
  second: number,
  { minimum = 5_000, currency = 'USD' }: { minimum?: number; currency?: string } = {},
) => {
  const payer = await world.createPayer(MINIMUM)
  const maya = await payer.addPartner({ slug: 'maya' })
  const other = await payer.seed.addProgram(payer.workspaceId, { minimum_payout_cents: minimum })
  const otherId = await payer.seed.addPartner(payer.workspaceId, other, {
    slug: 'maya',
    email: maya.email,
  })
  if (first) await payer.earn(maya.id, { amountCents: first })
  if (second) await payer.earn(otherId, { amountCents: second, currency })
  return { payer, maya, otherId, other }
}

const sums = (payer: Payer) => Object.values(payer.sent()).flat().sort()

const skipped = async (payer: Payer) =>
  (await payer.run({ dryRun: true })).skipped
    .map(({ amountCents, code }) => `${amountCents} ${code}`)
    .sort()

/** An adjustment, as a manager makes it. */
const adjust = (payer: Payer, partnerId: string, amountCents: number, at: string) =>
  world.query(
    `with own as (
       insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'Correction', 'ann@shop.example', '') returning commission_id)
     insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select own.commission_id, $1, p.program_id, p.id, 'adjustment', $3, 'USD', $4, $4
     from own, partners p where p.id = $2`,
    [payer.workspaceId, partnerId, amountCents, at],
  )

test('49 in each of two programs under a minimum of 50 is paid', async () => {
  const { payer } = await createMaya(4_900, 4_900)
  expect(await skipped(payer)).toEqual([])
  await payer.run()
  expect(sums(payer)).toEqual(['4900 usd', '4900 usd'])
  expect(await world.violations()).toEqual([])
})

test('also if the run claims the two in different pages', async () => {
  const { payer } = await createMaya(4_900, 4_900)
  const now = new Date()
  const { workspaceId } = payer
  const scope = {
    workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
  }
  const run = await beginRun(connect(world.env()), scope, { actor: 'ann@shop.example', now })
  while (
    (await claimPage(
      connect(world.env()),
      { ...scope, id: run?.id ?? '' },
      { partners: 1 },
      now,
    )) !== 'all'
  );
  await payDue(world.env())
  expect(sums(payer)).toEqual(['4900 usd', '4900 usd'])
})

test('also if each program pays by its own schedule, or a run pays one program', async () => {
  const { payer } = await createMaya(4_900, 4_900)
  await world.query(
    `update programs set payout_schedule = 'weekly', payout_schedule_since = now() - interval '9 days'
     where workspace_id = $1`,
    [payer.workspaceId],
  )
  await payDue(world.env())
  expect(sums(payer)).toEqual(['4900 usd', '4900 usd'])

  const one = await createMaya(4_900, 4_900)
  await one.payer.run({ programId: one.payer.programId })
  expect(sums(one.payer)).toEqual(['4900 usd'])
})

test.each([
  {
    case: 'less than the minimum in both together',
    due: [2_400, 2_500],
    left: ['2400 below_minimum', '2500 below_minimum'],
  },
  {
    case: 'the rest in another currency',
    due: [4_900, 4_900],
    currency: 'EUR',
    left: ['4900 below_minimum', '4900 below_minimum'],
  },
  {
    case: 'the other program has a larger minimum',
    due: [4_900, 4_900],
    minimum: 10_000,
    left: ['4900 below_minimum'],
  },
])('$case waits', async ({ due: [first = 0, second = 0], left, ...other }) => {
  const { payer } = await createMaya(first, second, other)
  expect(await skipped(payer)).toEqual(left)
})

test('what the person owes in another program is not deducted from what is due, and a ban there does not help', async () => {
  const owing = await createMaya(5_000, 0)
  await adjust(owing.payer, owing.otherId, -4_000, '2026-02-01T00:00:00Z')
  expect(await skipped(owing.payer)).toEqual(['-4000 negative_balance'])

  const banned = await createMaya(4_900, 4_900)
  await world.query(`update partners set status = 'banned' where id = $1`, [banned.otherId])
  expect(await skipped(banned.payer)).toEqual(['4900 below_minimum', '4900 partner_banned'])
})

test('the same address in another workspace is another account', async () => {
  const { payer, maya } = await createMaya(4_900, 0)
  const other = await world.createPayer()
  const id = await other.seed.addPartner(other.workspaceId, other.programId, {
    slug: 'maya',
    email: maya.email,
  })
  await other.earn(id, { amountCents: 4_900 })
  expect(await skipped(payer)).toEqual(['4900 below_minimum'])
})

test.each([
  { own: 1_000, owed: 1_000, left: [] },
  { own: 0, owed: 1, left: [] },
  { own: 9_000, owed: 8_999, left: ['8999 below_minimum'] },
  { own: null, owed: 4_999, left: ['4999 below_minimum'] },
])(
  'a partner’s own minimum of $own replaces the program’s of 5000',
  async ({ own, owed, left }) => {
    const { payer, maya } = await createMaya(owed, 0)
    await world.query('update partners set minimum_payout_cents = $2 where id = $1', [maya.id, own])
    expect(await skipped(payer)).toEqual(left)
  },
)

const owed = async (payer: Payer) =>
  (
    await listPartnerBalances(
      connect(world.env()),
      payer.workspaceId,
      { owed: true, limit: 10, cursor: undefined },
      new Date(),
    )
  ).map(({ amountCents, code, owedSince }) => [
    Number(amountCents),
    code,
    owedSince?.toISOString().slice(0, 10),
  ])

test('a balance is owed since it last became negative', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya' })
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
  for (const [cents, day] of [
    [-100, '2026-02-01'],
    [300, '2026-03-01'],
    [-250, '2026-04-01'],
    [40, '2026-05-01'],
    [-10, '2026-06-01'],
  ] as const)
    await adjust(payer, maya.id, cents, `${day}T00:00:00Z`)
  expect(await owed(payer)).toEqual([[-20, 'negative_balance', '2026-04-01']])
})

test('is written off once, by whoever of several managers is first, and only as it was seen', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya' })
  await adjust(payer, maya.id, -700, '2026-02-01T00:00:00Z')
  const off = (amountCents: number, actor: string) =>
    writeOff(
      connect(world.env()),
      { workspaceId: payer.workspaceId, actor, now: new Date() },
      { partnerId: maya.id, currency: 'USD', amountCents },
    )
  expect(await off(600, 'ann@shop.example')).toBe(false)
  expect(
    await Promise.all(['ann', 'ben', 'cleo'].map((name) => off(700, `${name}@shop.example`))),
  ).toContain(true)
  expect(await owed(payer)).toEqual([])
  await off(700, 'dan@shop.example')
  const [sum] = await world.query<{ cents: number; rows: number }>(
    'select sum(amount_cents)::int as cents, count(*)::int as rows from commissions where partner_id = $1',
    [maya.id],
  )
  expect(sum).toEqual({ cents: 0, rows: 2 })
  expect(await world.violations()).toEqual([])
})
