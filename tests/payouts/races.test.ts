import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { timesOver } from '../support/thorough.ts'

const world = usePayouts()

const RUNS = 8
const PARTNERS = timesOver({ quick: 60, thorough: 500, exhaustive: 500 })
/** As many as make a test quick. */
const AT_ONCE = 10

test(`${RUNS} runs at once over ${PARTNERS} partners pay each of them once`, {
  tags: 'sampled',
}, async () => {
  const payer = await world.createPayer()
  const due: Record<string, string[]> = {}
  const add = async (index: number) => {
    const owed = [{ amountCents: 100 + index }, { amountCents: 7 }]
    const { account } = await payer.addPartner({ slug: `partner-${index}`, owed })
    due[account ?? ''] = [`${107 + index} usd`]
  }
  for (let index = 0; index < PARTNERS; index += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => add(index + offset)))
  }

  // The clock's run among them.
  const results = await Promise.all([
    payDue(world.env()),
    ...Array.from({ length: RUNS - 1 }, () => payer.run()),
  ])
  // One of them may have left before another had taken all.
  await payer.run()

  expect(payer.sent()).toEqual(due)
  const ids = results
    .flatMap((result) => (result && 'payouts' in result ? result.payouts : []))
    .map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const [sums] = await world.query(
    `select count(*)::int as payouts, count(distinct partner_id)::int as partners, count(paid_at)::int as paid
     from payouts where workspace_id = $1`,
    [payer.workspaceId],
  )
  expect(sums).toEqual({ payouts: PARTNERS, partners: PARTNERS, paid: PARTNERS })
  const [mails] = await world.query(
    `select count(*)::int as mails from mails where workspace_id = $1 and kind = 'payout_sent'`,
    [payer.workspaceId],
  )
  expect(mails).toEqual({ mails: PARTNERS })
  expect(await world.violations()).toEqual([])
})

test('concurrent runs are serialized, and no balance is split', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 100 }] })
  const [commission = ''] = maya.commissions
  const other = new pg.Client({ connectionString: world.env().DATABASE_URL })
  await other.connect()
  const ids = [newId(), newId()]

  // Another run has claimed the commission, and has not committed yet.
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `${payer.workspaceId} payouts`,
  ])
  await other.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values ($1, $3, 'stripe', now(), 'a manager', now(), now()) returning id
     ), payout as (
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents,
                            stripe_account_id, created_at, next_attempt_at)
       select $2, $3, id, $4, $5, 'USD', 100, $6, now(), now() from run returning id
     )
     update commissions set payout_id = $2 where id = $7`,
    [...ids, payer.workspaceId, payer.programId, maya.id, maya.account, commission],
  )
  // A refund comes in: together with the commission there are 40 left, alone it is less than
  // nothing.
  await payer.reverse(commission, 60)
  const second = payer.run()
  await sleep(300)
  await other.query('commit')
  await other.end()

  expect(await second).toMatchObject({
    payouts: [],
    skipped: [{ code: 'negative_balance', amountCents: -60 }],
  })
  // What the other run had claimed, this one has sent.
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['100 usd'] })
  expect(await world.violations()).toEqual([])
})

test.each([
  { who: 'a run of the cron', second: () => payDue(world.env()) },
  { who: 'a manager’s run', second: (payer: Payer) => payer.run() },
])('what a run has leased and not saved yet is not taken by $who', async ({ second }) => {
  const payer = await world.createPayer()
  for (const slug of ['maya', 'leo', 'nora']) {
    await payer.addPartner({ slug, owed: [{ amountCents: 100 }] })
  }
  const leases = () =>
    world.query<{ leaseId: string | null; paid: boolean }>(
      'select lease_id as "leaseId", paid_at is not null as paid from payouts where workspace_id = $1 order by id',
      [payer.workspaceId],
    )
  const { hooks } = world.stripe()
  let transfers = 0
  let during: unknown[] = []
  hooks.onCall = (method, path) => {
    if (method === 'POST' && path === '/v1/transfers') transfers++
  }
  // The first of the transfers is made, and the run does not know yet.
  hooks.afterCall = async (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    hooks.afterCall = undefined
    const before = await leases()
    await second(payer)
    during = [before, await leases()]
  }
  await payer.run()
  hooks.onCall = undefined

  const [{ leaseId } = { leaseId: null }] = await leases()
  const leased = Array.from({ length: 3 }, () => ({ leaseId, paid: false }))
  expect(leaseId).not.toBeNull()
  expect(during).toEqual([leased, leased])
  expect(transfers).toBe(3)
  expect(await leases()).toEqual(leased.map((row) => ({ ...row, paid: true })))
  expect(await world.violations()).toEqual([])
})
