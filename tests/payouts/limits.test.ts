/**
 * A run pays what was previewed and no more, less what is left out, up to its maximum, once it is
 * approved.
 */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { RunRequest } from '../../lib/payouts/payouts.rpc.ts'
import { decideRun } from '../../lib/payouts/runs/approvals.queries.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { claimPage } from '../../lib/payouts/runs/claims.queries.ts'
import { NO_LIMITS } from '../../lib/payouts/runs/limits.ts'
import { runPayouts } from '../../lib/payouts/runs/run.service.ts'
import { findRun } from '../../lib/payouts/runs/runs.queries.ts'
import { saveAdjustment } from '../../lib/tracking/ledger/adjustments.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { addApprover } from '../support/approvers.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const db = () => connect(world.env())

/** A merchant who owes 10.00 to maya and 20.00 to leo, with three managers. */
const createOwing = async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 2_000 }] })
  for (const name of ['ann', 'ben', 'cleo'])
    await addApprover(world.query, payer.workspaceId, `${name}@shop.example`)
  return { payer, maya, leo }
}

const request = (payer: Payer, more: Partial<RunRequest> = {}): RunRequest => ({
  workspaceId: payer.workspaceId,
  programId: null,
  method: 'stripe',
  dryRun: false,
  actor: 'ann@shop.example',
  ...more,
})

/** The request of the button that shows a preview. */
const asShown = (payer: Payer, preview: RunResultResponse): RunRequest =>
  request(payer, {
    limits: { ...NO_LIMITS, previewedAt: preview.previewedAt },
    expected: preview.totals,
  })

const start = (run: RunRequest) => runPayouts(world.env(), run)

const begun = async (run: RunRequest): Promise<RunResultResponse> => {
  const result = await start(run)
  if (!('runId' in result)) throw new Error(JSON.stringify(result))
  return result
}

const sums = (payer: Payer) => Object.values(payer.sent()).flat().sort()

/** Later than the clock's present millisecond. */
const tick = () => new Promise((resume) => setTimeout(resume, 2))

test('the amount shown is the amount paid: what an import adds in between is left to the next run', async () => {
  const { payer, maya } = await createOwing()
  const preview = await payer.run({ dryRun: true })
  expect(preview.totals).toEqual([{ currency: 'USD', amountCents: 3_000, count: 2 }])
  await tick()
  await payer.addPartner({ slug: 'late', owed: [{ amountCents: 10_000_000 }] })
  await payer.earn(maya.id, { amountCents: 900 })
  const run = await begun(asShown(payer, preview))
  expect(run.totals).toEqual(preview.totals)
  expect(sums(payer)).toEqual(['1000 usd', '2000 usd'])
  await payer.run()
  expect(sums(payer)).toEqual(['1000 usd', '10000000 usd', '2000 usd', '900 usd'])
  expect(await world.violations()).toEqual([])
})

test('a run that would pay more than was shown pays nobody, and shows what it would pay now', async () => {
  const { payer, maya } = await createOwing()
  const { totals } = await payer.run({ dryRun: true })
  await payer.earn(maya.id, { amountCents: 1 })
  const before = await world.query('select count(*)::int as runs from payout_runs')
  const result = await start(request(payer, { expected: totals }))
  expect(result).toMatchObject({
    changed: { runId: null, totals: [{ currency: 'USD', amountCents: 3_001, count: 2 }] },
  })
  expect(sums(payer)).toEqual([])
  expect(await world.query('select count(*)::int as runs from payout_runs')).toEqual(before)
  if (!('changed' in result)) throw new Error('The preview has not changed.')
  await begun(asShown(payer, result.changed))
  expect(sums(payer)).toEqual(['1001 usd', '2000 usd'])
})

test.each([
  { case: 'another currency', adds: { slug: 'new', owed: [{ amountCents: 1, currency: 'EUR' }] } },
  { case: 'another partner', adds: { slug: 'new', owed: [{ amountCents: 1 }] } },
])('$case than was shown is not paid', async ({ adds }) => {
  const { payer } = await createOwing()
  const { totals } = await payer.run({ dryRun: true })
  await payer.addPartner(adds)
  // There is room in the sum, but not in the number of payouts.
  const expected = totals.map((total) => ({ ...total, amountCents: total.amountCents + 100 }))
  expect(await start(request(payer, { expected }))).toHaveProperty('changed')
  expect(sums(payer)).toEqual([])
})

test('a refund or a ban after the preview reduces what is paid', async () => {
  const { payer, maya, leo } = await createOwing()
  const preview = await payer.run({ dryRun: true })
  await tick()
  await payer.reverse(maya.commissions[0] ?? '', 400)
  await world.query(`update partners set status = 'banned' where id = $1`, [leo.id])
  await begun(asShown(payer, preview))
  expect(sums(payer)).toEqual(['600 usd'])
  expect(await world.violations()).toEqual([])
})

test('a deduction after the preview reduces what is paid, unless it is due later', async () => {
  const { payer, maya, leo } = await createOwing()
  await payer.seed.addMember(payer.workspaceId, 'a manager', 'manager')
  const preview = await payer.run({ dryRun: true })
  await tick()
  const act = { workspaceId: payer.workspaceId, actor: 'a manager', now: new Date() }
  const about = { currency: 'USD', reason: 'Paid twice in May', eventId: null, commissionId: null }
  const deduct = (
    externalId: string,
    partnerId: string,
    amountCents: number,
    payableAt: Date | null,
  ) => saveAdjustment(db(), act, { ...about, externalId, partnerId, amountCents, payableAt })
  await deduct('at once', maya.id, -400, null)
  await deduct('next month', leo.id, -400, new Date(Date.now() + 30 * 86_400_000))
  await begun(asShown(payer, preview))
  expect(sums(payer)).toEqual(['2000 usd', '600 usd'])
  expect(await world.violations()).toEqual([])
})

test('nothing exceeds what was shown, however much is earned while the button is clicked', async () => {
  for (let round = 0; round < 4; round++) {
    const { payer, maya } = await createOwing()
    const preview = await payer.run({ dryRun: true })
    const answers = await Promise.all([
      payer.addPartner({ slug: 'late', owed: [{ amountCents: 50_000 }] }),
      start(asShown(payer, preview)),
      payer.earn(maya.id, { amountCents: 700 }),
      start(asShown(payer, preview)),
    ])
    for (const answer of [answers[1], answers[3]]) {
      const paid = 'totals' in answer ? answer.totals : []
      expect(paid.every(({ amountCents, count }) => amountCents <= 3_000 && count <= 2)).toBe(true)
    }
    expect(await world.violations()).toEqual([])
  }
})

test('what is recorded while the run claims its pages does not exceed what was shown', async () => {
  const { payer, maya, leo } = await createOwing()
  const now = new Date()
  const scope = {
    workspaceId: payer.workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
    limits: { ...NO_LIMITS, previewedAt: new Date(now.getTime() + 3_600_000) },
  }
  const expected = [{ currency: 'USD', amountCents: 3_000, count: 2 }]
  const run = await beginRun(db(), scope, { actor: 'ann@shop.example', now }, expected)
  const [last] = [maya.id, leo.id].sort().reverse()
  await payer.earn(last ?? '', { amountCents: 1 })
  const open = { ...scope, id: run?.id ?? '', isLimited: true }
  while ((await claimPage(db(), open, { partners: 1 }, now)) !== 'all');
  const [paid] = await world.query<{ cents: number; count: number }>(
    'select sum(amount_cents)::int as cents, count(*)::int as count from payouts where workspace_id = $1',
    [payer.workspaceId],
  )
  expect([paid?.count, (paid?.cents ?? 0) <= 3_000]).toEqual([1, true])
  expect(await world.violations()).toEqual([])
})

test('partners and commissions that a run leaves out are due in the next one', async () => {
  const { payer, maya, leo } = await createOwing()
  const other = await payer.earn(leo.id, { amountCents: 500 })
  await payer.reverse(other, 100)
  const limits = { ...NO_LIMITS, excludePartnerIds: [maya.id], excludeCommissionIds: [other] }
  const preview = await payer.run({ dryRun: true, limits })
  expect(preview.skipped).toEqual([
    { partnerId: maya.id, currency: 'USD', amountCents: 1_000, code: 'excluded' },
  ])
  const { runId } = await begun(request(payer, { limits, expected: preview.totals }))
  expect(sums(payer)).toEqual(['2000 usd'])
  expect(await findRun(db(), payer.workspaceId, runId ?? '')).toMatchObject({
    ...limits,
    previewedAt: expect.any(Date),
  })
  await payer.run()
  expect(sums(payer)).toEqual(['1000 usd', '2000 usd', '400 usd'])
  expect(await world.violations()).toEqual([])
})

test.each([
  { order: 'smallest_first', pays: ['1000 usd', '50 eur'] },
  { order: 'largest_first', pays: ['2000 usd', '50 eur'] },
])('a run pays no more than its maximum, $order, in its currency only', async ({ order, pays }) => {
  const { payer } = await createOwing()
  await payer.addPartner({ slug: 'eva', owed: [{ amountCents: 50, currency: 'EUR' }] })
  await world.query('update workspaces set payout_order = $2 where id = $1', [
    payer.workspaceId,
    order,
  ])
  const limits = { ...NO_LIMITS, maxAmountCents: { USD: 2_999 } }
  const preview = await payer.run({ dryRun: true, limits })
  expect(preview.skipped.map(({ code }) => code)).toEqual(['over_maximum'])
  await begun(request(payer, { limits }))
  expect(sums(payer)).toEqual(pays)
  const byBank = await payer.run({
    dryRun: true,
    method: 'manual',
    limits: { ...limits, maxAmountCents: { USD: 1 } },
  })
  expect([byBank.payouts, byBank.skipped.map(({ code }) => code)]).toEqual([[], ['over_maximum']])
  expect(await world.violations()).toEqual([])
})

const requireApproval = (payer: Payer, cents: number | null) =>
  world.query('update workspaces set approval_above_cents = $2 where id = $1', [
    payer.workspaceId,
    cents,
  ])

const decide = (payer: Payer, runId: string | null, wanted: 'approve' | 'decline', actor: string) =>
  decideRun(db(), { workspaceId: payer.workspaceId, actor, now: new Date() }, runId ?? '', {
    wanted,
    url: 'https://tributary.example/app/shop',
  }).then((decided) => decided?.run)

test('a run above the sum waits for a manager who did not start it, and pays what it showed then', async () => {
  const { payer } = await createOwing()
  await requireApproval(payer, 2_999)
  const run = await begun(request(payer))
  expect(run).toMatchObject({ status: 'awaiting_approval', payouts: [] })
  await tick()
  await payer.addPartner({ slug: 'late', owed: [{ amountCents: 10_000 }] })
  await payDue(world.env())
  expect(sums(payer)).toEqual([])
  expect((await decide(payer, run.runId, 'approve', 'ann@shop.example'))?.status).toBe(
    'awaiting_approval',
  )
  const approved = await Promise.all([
    decide(payer, run.runId, 'approve', 'ben@shop.example'),
    decide(payer, run.runId, 'approve', 'cleo@shop.example'),
  ])
  expect(new Set(approved.map((one) => one?.approvedBy)).size).toBe(1)
  await payDue(world.env())
  expect(sums(payer)).toEqual(['1000 usd', '2000 usd'])
  expect(await findRun(db(), payer.workspaceId, run.runId ?? '')).toMatchObject({
    expected: [{ currency: 'USD', amountCents: 3_000, count: 2 }],
    totals: [{ status: 'paid', payouts: 2, amountCents: 3_000 }],
  })
  expect(await world.violations()).toEqual([])
})

test('a run of the sum itself waits for nobody, and one of more in another currency waits', async () => {
  const { payer } = await createOwing()
  await requireApproval(payer, 3_000)
  expect((await begun(request(payer))).payouts).toHaveLength(2)
  await payer.addPartner({ slug: 'eva', owed: [{ amountCents: 3_001, currency: 'EUR' }] })
  expect((await begun(request(payer))).status).toBe('awaiting_approval')
})

test('a declined run pays nothing, and its commissions are payable still', async () => {
  const { payer } = await createOwing()
  await requireApproval(payer, 0)
  const run = await begun(request(payer))
  expect((await decide(payer, run.runId, 'decline', 'ann@shop.example'))?.status).toBe('declined')
  expect((await decide(payer, run.runId, 'approve', 'ben@shop.example'))?.status).toBe('declined')
  await payDue(world.env())
  expect(sums(payer)).toEqual([])
  await requireApproval(payer, null)
  await payer.run()
  expect(sums(payer)).toEqual(['1000 usd', '2000 usd'])
  expect(await world.violations()).toEqual([])
})

test('a scheduled run above the sum waits too, for two managers', async () => {
  const { payer } = await createOwing()
  await requireApproval(payer, 100)
  await world.query(
    `update programs set payout_schedule = 'weekly', payout_schedule_since = now() - interval '9 days'
     where workspace_id = $1`,
    [payer.workspaceId],
  )
  await payDue(world.env())
  const [run] = await world.query<{ id: string; needs_approval: boolean }>(
    'select id, needs_approval from payout_runs where workspace_id = $1',
    [payer.workspaceId],
  )
  expect([run?.needs_approval, sums(payer)]).toEqual([true, []])
  for (const _ of ['once', 'twice']) {
    const first = await decide(payer, run?.id ?? '', 'approve', 'ann@shop.example')
    await payDue(world.env())
    expect([first?.status, sums(payer)]).toEqual(['awaiting_approval', []])
  }
  await decide(payer, run?.id ?? '', 'approve', 'ben@shop.example')
  await payDue(world.env())
  expect(sums(payer)).toEqual(['1000 usd', '2000 usd'])
  expect(await world.violations()).toEqual([])
})
