// @module-tag thorough
/**
 * A database that is restored to an earlier time does not know what was sent since: it reads that
 * from Stripe before it pays anything, and nobody is paid twice.
 */
import { beforeEach, expect, test } from 'vitest'
import { StripeError } from '../../dev/fakes/stripe/errors.ts'
import { connect } from '../../lib/db/connection.ts'
import { readOverview } from '../../lib/overview/overview.queries.ts'
import { cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { periodOf } from '../../lib/values/periods.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { takeSnapshot } from '../support/restore.ts'

const world = usePayouts({ changesSchema: true })
beforeEach(() => {
  world.hoursLater(0)
  world.stripe().hooks.onCall = undefined
})

const PARTNERS = 4

/** A merchant with partners who are owed something. */
const stage = async () => {
  const payer = await world.createPayer()
  await payer.seed.addMember(payer.workspaceId, 'a manager', 'manager')
  const partners = []
  const due: Record<string, string[]> = {}
  for (let index = 0; index < PARTNERS; index++) {
    const partner = await payer.addPartner({
      slug: `partner-${index}`,
      owed: [{ amountCents: 1_000 + index }, { amountCents: 500, currency: 'EUR' }],
    })
    partners.push(partner)
    due[partner.account ?? ''] = [`${1_000 + index} usd`, '500 eur']
  }
  return { payer, partners, due }
}
type Stage = Awaited<ReturnType<typeof stage>>

/** What is true of a restored database, once payouts were run again. */
const expectPaidOnce = async ({ payer, due }: Pick<Stage, 'payer' | 'due'>) => {
  expect(payer.sent()).toEqual(due)
  const { ledger, books } = await payer.compareBooks()
  expect(ledger).toEqual(books)
  expect(await world.violations()).toEqual([])
}

const adoptedOf = ({ workspaceId }: Payer) =>
  world.query<{ deducted: boolean; count: number }>(
    `select (details ->> 'isDeducted')::boolean as deducted, count(*)::int as count from audit_entries
     where workspace_id = $1 and action = 'payout.adopted' group by 1 order by 1`,
    [workspaceId],
  )

/** How many transfers wait for their partner, as the overview says. */
const unknownOf = async ({ workspaceId }: Payer) => {
  const now = new Date()
  const { unknownTransfers } = await readOverview(
    connect(world.env()),
    workspaceId,
    periodOf(30, now),
    now,
  )
  return unknownTransfers
}

/** Who runs payouts first in the restored database. */
const RUNNERS: Record<string, (payer: Payer) => Promise<unknown>> = {
  'a manager': (payer) => payer.run(),
  'a manager, by bank': (payer) => payer.run({ method: 'manual' }),
  'the cron': () => payDue(world.env(), world.hoursLater(25)),
  'two managers and the cron': (payer) =>
    Promise.all([payer.run(), payer.run(), payDue(world.env())]),
}

test.each(Object.keys(RUNNERS))(
  'restored to before a run, it adopts what that sent before %s pays anything',
  async (runner) => {
    const staged = await stage()
    const restore = await takeSnapshot(world.query)
    const { runId } = await staged.payer.run()
    await restore()
    expect(
      await world.query('select from payouts where workspace_id = $1', [staged.payer.workspaceId]),
    ).toEqual([])

    await RUNNERS[runner]?.(staged.payer)
    await staged.payer.run()
    await payDue(world.env(), world.hoursLater(30))
    await staged.payer.run({}, {}, world.hoursLater(60))

    await expectPaidOnce(staged)
    // It shows the run as it was, and the audit log and a mail what was adopted.
    expect(
      await world.query(
        `select r.id, r.created_by, count(p.id)::int as payouts, bool_and(p.status = 'paid') as paid, count(c.id)::int as commissions
         from payout_runs r join payouts p on p.run_id = r.id join commissions c on c.payout_id = p.id
         where r.workspace_id = $1 group by r.id`,
        [staged.payer.workspaceId],
      ),
    ).toEqual([{ id: runId, created_by: 'Stripe', payouts: 8, paid: true, commissions: 8 }])
    expect(await adoptedOf(staged.payer)).toEqual([{ deducted: false, count: 8 }])
    expect(
      await world.query(
        `select from mails where workspace_id = $1 and kind = 'payout_problem' and details -> 'sums' @> '[{"code": "adopted"}]'`,
        [staged.payer.workspaceId],
      ),
    ).toHaveLength(1)
  },
)

test('restored to the middle of a run, what it has claimed is looked up, and what it lost is adopted', async () => {
  const staged = await stage()
  const { payer } = staged
  let restore = async () => {}
  world.stripe().hooks.onCall = async (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    world.stripe().hooks.onCall = undefined
    restore = await takeSnapshot(world.query)
    // As if it had been taken before the lease.
    await world.query(
      'update snapshot.payouts set key_used_at = null, lease_id = null, attempts = 0, next_attempt_at = now()',
    )
  }
  await payer.run()
  await restore()
  // Stripe has forgotten its keys.
  await payDue(world.env(), world.hoursLater(25))
  await payer.run({}, {}, world.hoursLater(26))
  await payer.run({}, {}, world.hoursLater(52))
  await expectPaidOnce(staged)
})

test.each(['was refused', 'was never asked for'])(
  'restored to before a run that another one paid after a cancel: what waits, and %s, is canceled',
  async (waits) => {
    const staged = await stage()
    const { payer, due } = staged
    const setBalances = (cents: number) => {
      for (const currency of ['usd', 'eur']) world.stripe().setBalance(currency, cents, payer.key)
    }
    world.stripe().hooks.onCall = async (method, path) => {
      if (method !== 'POST' || path !== '/v1/transfers') return
      world.stripe().hooks.onCall = undefined
      setBalances(0)
    }
    const { runId } = await payer.run()
    const restore = await takeSnapshot(world.query)
    if (waits === 'was never asked for')
      await world.query(
        'update snapshot.payouts set key_version = 1, lease_id = null, attempts = 0',
      )
    const act = { workspaceId: payer.workspaceId, actor: 'a manager', now: new Date() }
    await cancelRun(connect(world.env()), act, runId ?? '')
    setBalances(1_000_000)
    await payer.run()
    await restore()

    await payDue(world.env(), world.hoursLater(25))
    await payer.run({}, {}, world.hoursLater(26))
    await payDue(world.env(), world.hoursLater(52))
    await payDue(world.env(), world.hoursLater(53))
    await expectPaidOnce(staged)
    expect(await adoptedOf(payer)).toEqual([{ deducted: true, count: 8 }])
    // What the partners earn from then on is paid.
    for (const { id } of staged.partners) await payer.earn(id, { amountCents: 300 })
    await payer.run({}, {}, world.hoursLater(54))
    for (const [account, sums] of Object.entries(due)) due[account] = [...sums, '300 usd'].sort()
    await expectPaidOnce(staged)
  },
)

test('what was earned after the restored time is lost, and deducted once it is reported again', async () => {
  const staged = await stage()
  const { payer, due } = staged
  const [maya] = staged.partners
  if (!maya) throw new Error('There is nobody.')
  const restore = await takeSnapshot(world.query)
  await payer.earn(maya.id, { amountCents: 7_000 })
  await payer.run()
  await restore()
  const sent = payer.sent()
  await payer.run()
  expect(payer.sent()).toEqual(sent)
  // Reported again, with something more.
  await payer.earn(maya.id, { amountCents: 7_000 })
  await payer.earn(maya.id, { amountCents: 200 })
  await payer.run({}, {}, world.hoursLater(1))
  due[maya.account ?? ''] = ['200 usd', '500 eur', '8000 usd']
  await expectPaidOnce(staged)
})

test('partners who are imported again after the restore are not paid again', async () => {
  const payer = await world.createPayer()
  const restore = await takeSnapshot(world.query)
  const before = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 900 }] })
  await payer.run()
  await restore()
  await payDue(world.env(), world.hoursLater(25))
  expect(await unknownOf(payer)).toBe(1)

  // With another id, and another account.
  const after = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 900 }] })
  expect(after.id).not.toBe(before.id)
  await payer.run({}, {}, world.hoursLater(26))
  expect(payer.sent()).toEqual({ [before.account ?? '']: ['900 usd'] })
  expect(await unknownOf(payer)).toBe(0)
  await payer.earn(after.id, { amountCents: 50 })
  await payer.run({}, {}, world.hoursLater(27))
  await expectPaidOnce({
    payer,
    due: { [before.account ?? '']: ['900 usd'], [after.account ?? '']: ['50 usd'] },
  })
})

test('several months are adopted in order, over several pages and rounds', async () => {
  const payer = await world.createPayer()
  const partners = []
  for (let index = 0; index < 45; index++)
    partners.push(await payer.addPartner({ slug: `partner-${index}` }))
  const restore = await takeSnapshot(world.query)
  for (let month = 0; month < 3; month++) {
    for (const { id } of partners) await payer.earn(id, { amountCents: 100 + month })
    await payer.run({}, {}, world.hoursLater(month * 700))
  }
  const sent = payer.sent()
  await restore()
  for (const { id } of partners) await payer.earn(id, { amountCents: 100 })
  // A few fetches at a time.
  for (let round = 0; round < 30; round++)
    await payDue({ ...world.env(), MAX_FETCHES: '8' }, world.hoursLater(3_000 + round))
  await payer.run({}, {}, world.hoursLater(3_100))
  expect(payer.sent()).toEqual(sent)
  expect(await world.violations()).toEqual([])
  const { ledger, books } = await payer.compareBooks()
  expect(ledger).toEqual(books)
})

test('while Stripe does not list the transfers, no run begins, and nothing is sent', async () => {
  const staged = await stage()
  const restore = await takeSnapshot(world.query)
  await staged.payer.run()
  await restore()
  // All else works: only the transfers are not listed.
  world.stripe().hooks.onCall = (method, path) => {
    if (method === 'GET' && path === '/v1/transfers')
      throw new StripeError(500, { message: 'An error of Stripe.' })
  }
  await expect(staged.payer.run()).rejects.toThrow('transfers')
  await payDue(world.env(), world.hoursLater(25))
  world.stripe().hooks.onCall = undefined
  expect(
    await world.query('select from payout_runs where workspace_id = $1', [
      staged.payer.workspaceId,
    ]),
  ).toEqual([])
  await staged.payer.run()
  await expectPaidOnce(staged)
})

test('transfers of others are left alone: of another workspace, of none, without metadata', async () => {
  const staged = await stage()
  await staged.payer.run()
  const [one] = world.stripe().transfers(staged.payer.key)
  if (!one) throw new Error('Nothing was sent.')
  const other = await world.createPayer()
  await other.replaceKey(`${staged.payer.key}_rolled1`)
  await payDue(world.env(), world.hoursLater(25))
  expect(await unknownOf(other)).toBe(0)
  expect(await adoptedOf(other)).toEqual([])
  await expectPaidOnce(staged)
})
