/**
 * The steps of a comparison: what a killed one leaves, what moves to another customer, and what
 * needs no comparison any more.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { findStale, listUploaded } from '../../lib/shadow/changes.queries.ts'
import { leaseRun, releaseRun } from '../../lib/shadow/comparison/compared-run.queries.ts'
import { loadBuckets, saveComparisons } from '../../lib/shadow/comparison/comparison.queries.ts'
import { compareRun } from '../../lib/shadow/comparison/comparison.service.ts'
import { useDatabase } from '../support/merchant.ts'
import { createShadowed, row, sell } from '../support/shadow.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

type Shadowed = Awaited<ReturnType<typeof createShadowed>>

const lease = async ({ workspace, programId }: Shadowed, owner = newId()) => {
  const run = await leaseRun(db(), workspace.id, programId, owner)
  if (!run) throw new Error('Another comparison works on the run.')
  return run
}

const outcomes = async (merchant: Shadowed) =>
  (await merchant.results()).data.map(({ outcome, reason, here, there }) => [
    here?.saleExternalId ?? null,
    there?.id ?? null,
    outcome,
    reason,
  ])

test('what a step has read and not saved is compared by the next one', async () => {
  const merchant = await createShadowed()
  await merchant.upload([row({ id: 'cm_1', saleIds: [], customerExternalId: 'user_nobody' })])
  const run = await lease(merchant)
  const resolved = await listUploaded(db(), run, 500)
  expect(resolved).toHaveLength(1)
  // It is killed here.
  await releaseRun(db(), run)
  await merchant.compare()
  expect(await outcomes(merchant)).toEqual([[null, 'cm_1', 'only_there', 'customer_not_imported']])
})

test('a commission that changes while it is compared is compared again, and a comparison that lost the run saves nothing', async () => {
  const merchant = await createShadowed()
  await sell(merchant, 'one')
  const commission = (amountCents: number) =>
    row({
      id: 'cm_1',
      saleIds: ['one'],
      customerExternalId: 'user_one',
      amountCents,
      partnerEmail: merchant.maya,
    })
  await merchant.upload([commission(980)])
  const slow = await lease(merchant)
  const resolved = await listUploaded(db(), slow, 500)
  const bucket = resolved[0]?.bucket ?? ''
  await loadBuckets(db(), slow, [bucket], resolved)
  await merchant.upload([commission(400)])
  await saveComparisons(db(), slow, {
    buckets: [bucket],
    resolved,
    found: [],
    after: null,
    waitingAfter: null,
  })
  expect((await merchant.api.get(merchant.path)).body).toMatchObject({ waiting: 1 })
  await releaseRun(db(), slow)
  await merchant.compare()
  expect(await outcomes(merchant)).toEqual([['one', 'cm_1', 'different', 'rate']])

  // Another comparison has the run by now.
  const last = {
    id: newId(),
    bucket,
    eventId: null,
    platformCommissionId: null,
    day: '2026-01-01',
    hereAt: null,
  }
  const nothing = {
    hereCents: null,
    hereCurrency: null,
    thereCents: null,
    thereCurrency: null,
    partnerId: null,
  }
  await saveComparisons(db(), slow, {
    buckets: [bucket],
    resolved,
    found: [{ ...last, ...nothing, outcome: 'only_there', reason: null }],
    after: newId(),
    waitingAfter: null,
  })
  expect(await outcomes(merchant)).toEqual([['one', 'cm_1', 'different', 'rate']])
})

test('a sale whose customer becomes known is compared there, and what it was compared with before is compared anew', async () => {
  const merchant = await createShadowed()
  const { programId, workspace } = merchant
  await sell(merchant, 'one')
  await sell(merchant, 'two')
  const of = (id: string, sale: string) =>
    row({ id, saleIds: [], customerExternalId: `user_${sale}`, partnerEmail: merchant.maya })
  await merchant.upload([of('cm_1', 'one'), of('cm_2', 'two')])
  await merchant.compare()
  const same = [
    ['two', 'cm_2', 'same', null],
    ['one', 'cm_1', 'same', null],
  ]
  expect(await outcomes(merchant)).toEqual(same)

  // Both were the same customer all along.
  await database.query(
    `update events set customer_id = (select customer_id from events where workspace_id = $1 and external_id = 'two')
     where workspace_id = $1 and external_id = 'one'`,
    [workspace.id],
  )
  await merchant.upload([
    row({ id: 'cm_3', saleIds: ['two'], customerExternalId: null, partnerEmail: merchant.maya }),
  ])
  await merchant.compare()
  const found = await outcomes(merchant)
  expect(found).toHaveLength(3)
  expect(found.filter(([, , outcome]) => outcome === 'same')).toHaveLength(2)
  const [waiting] = await database.query(
    'select count(*)::int as rows from platform_commissions where program_id = $1 and compared_at is null',
    [programId],
  )
  expect(waiting).toEqual({ rows: 0 })
})

test('sales that were compared with their commissions are not compared again, but for those that may have changed since', async () => {
  const merchant = await createShadowed()
  const { programId, workspace } = merchant
  for (const name of ['one', 'two', 'three']) await sell(merchant, name)
  await merchant.upload(
    ['one', 'two', 'three'].map((name) =>
      row({
        id: `cm_${name}`,
        saleIds: [],
        customerExternalId: `user_${name}`,
        partnerEmail: merchant.maya,
      }),
    ),
  )
  await merchant.compare()
  const before = await outcomes(merchant)
  // Long after the sales, but for one of the commissions, which was compared before.
  await database.query(
    `update shadow_comparisons set compared_at = now() + interval '1 hour' where program_id = $1`,
    [programId],
  )
  await database.query(
    `update platform_commissions set compared_at = now() + case key when 'cm_two' then interval '-1 hour' else '1 hour' end where program_id = $1`,
    [programId],
  )
  await database.query('update shadow_runs set compared_after = null where program_id = $1', [
    programId,
  ])
  const sales = await database.query<{ id: string; by: string }>(
    'select id, id as by from events where workspace_id = $1 order by id',
    [workspace.id],
  )
  const stale = await findStale(db(), await lease(merchant), sales, 60_000)
  expect(stale.buckets).toEqual([])
  expect(stale.resolved).toHaveLength(1)
  await database.query('update shadow_runs set compare_until = null where program_id = $1', [
    programId,
  ])

  const versions = () =>
    database.query<{ id: string; version: string }>(
      'select platform_commission_id as id, xmin::text as version from shadow_comparisons where program_id = $1 order by id',
      [programId],
    )
  const old = await versions()
  expect(
    await compareRun(
      db(),
      { workspaceId: workspace.id, programId, now: new Date() },
      newId(),
      () => true,
    ),
  ).toBe(false)
  expect(await outcomes(merchant)).toEqual(before)
  const kept = (await versions()).filter(({ version }) =>
    old.some((row) => row.version === version),
  )
  expect(kept).toHaveLength(2)
})
