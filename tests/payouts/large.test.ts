/** Large balances are claimed in pages, as a payout that grows, and let go in pages. */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { beginRun } from '../../lib/payouts/begin-run.queries.ts'
import { cancelRun } from '../../lib/payouts/cancel.queries.ts'
import { claimPage, growPayout } from '../../lib/payouts/claims.queries.ts'
import { payDue } from '../../lib/payouts/run.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()
const db = () => connect(world.env())
const PAGE = { partners: 10, commissions: 2 }

/** A partner with seven commissions of 100, and a run that has claimed two of them. */
const stage = async () => {
  const payer = await world.createPayer()
  const owed = Array.from({ length: 7 }, () => ({ amountCents: 100 }))
  const maya = await payer.addPartner({ slug: 'maya', owed })
  const now = new Date()
  const scope = {
    workspaceId: payer.workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
  }
  const begun = await beginRun(db(), scope, { actor: 'a manager', now })
  const run = { ...scope, id: begun?.id ?? '' }
  expect(await claimPage(db(), run, PAGE, now)).toBe('growing')
  const payout = async () =>
    (
      await world.query(
        'select amount_cents::int as cents, claimed_at is not null as claimed, status from payouts where run_id = $1',
        [run.id],
      )
    )[0]
  return { payer, maya, run, now, payout, act: { workspaceId: payer.workspaceId, actor: 'a manager', now } }
}

test('a balance of more commissions than a page becomes one payout, which is not sent before it is whole', async () => {
  const { payer, maya, run, now, payout } = await stage()
  expect(await payout()).toEqual({ cents: 200, claimed: false, status: 'processing' })
  expect(await world.violations()).toEqual([])

  // Nobody else takes the rest, and nothing is sent.
  const other = await payer.run()
  expect(other).toMatchObject({ payouts: [], skipped: [] })
  expect(payer.sent()).toEqual({})

  await growPayout(db(), run, now, 2)
  expect(await payout()).toEqual({ cents: 400, claimed: false, status: 'processing' })
  expect(await claimPage(db(), run, PAGE, now)).toBe('growing')
  // The cron finishes what was interrupted.
  await payDue(world.env())
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['700 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a payout that a refund has left nothing of while it grew is canceled, and the balance carried forward', async () => {
  const { payer, maya, payout } = await stage()
  for (const id of maya.commissions) await payer.reverse(id)
  await payDue(world.env())
  expect(await payout()).toMatchObject({ status: 'canceled' })
  expect(payer.sent()).toEqual({})
  expect(await world.violations()).toEqual([])
})

test('a run that is canceled while a payout of it grows lets go what it has claimed', async () => {
  const { payer, maya, run, now, act } = await stage()
  expect(await cancelRun(db(), act, run.id)).toMatchObject({ status: 'canceled' })
  await growPayout(db(), run, now, 2)
  expect(await claimPage(db(), run, PAGE, now)).toBe('all')
  expect(await world.violations()).toEqual([])
  await payer.run()
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['700 usd'] })
})
