/** March 18 to 31: approvals, documents, failures, limits, debts, and the end. */
import { expect } from 'vitest'
import { addApprover } from '../../support/approvers.ts'
import { at, commissionOf, payable, ready, withCode } from './acts.ts'
import { MANAGER, type RunResult, SECOND } from './merchant.ts'
import type { Merchant } from './play.ts'
import type { Partner } from './terms.ts'

/**
 * March 18: runs above a sum wait for the second manager, who approves one and declines another.
 */
export const withApproval = async (merchant: Merchant): Promise<void> => {
  const {
    world,
    model,
    manager,
    second,
    secondPages,
    adjust,
    askedNow,
    bodyOf,
    comparePayouts,
    compareBooks,
  } = merchant
  await world.wait(600)
  // They have been managers, and have signed in, for days.
  for (const email of [MANAGER, SECOND])
    await addApprover(world.query, await merchant.workspaceId(), email)
  const mailBoth = () => {
    for (const recipient of [MANAGER, SECOND]) model.mail('workspace_notice', recipient)
  }
  await manager.patch('/settings', { approvalAboveCents: 20_000 })
  for (const partner of ready(merchant).slice(3, 9)) await adjust(partner, 'USD', 30_001)
  await world.wait()
  const asked = askedNow({ method: 'stripe' })
  model.readAccounts(asked)
  const started = await manager.post<RunResult>('/payouts/run', bodyOf(asked))
  expect(started).toMatchObject({ status: 'awaiting_approval', payouts: [] })
  await compareBooks()
  await world.wait()
  await adjust(at(payable(merchant), 0).partner, 'USD', 4_444)
  await manager.post(`/payout-runs/${started.runId}/approve`, undefined, 409)
  const approved = await secondPages.post(`/payouts/runs/${started.runId}/approve`, {})
  expect(approved.location).toContain('done=approve')
  mailBoth()
  await compareBooks()
  await world.wait()
  const now = { ...askedNow({ method: 'stripe' }), previewedAt: asked.at }
  const skipped = model.due(now)
  const made = merchant.claimAndSend(now)
  await merchant.cron()
  await comparePayouts(started.runId ?? '', made)
  model.notify(skipped)
  await compareBooks()

  for (const partner of ready(merchant).slice(3, 9)) await adjust(partner, 'USD', 20_001)
  await world.wait()
  const other = await second.post<RunResult>('/payouts/run', { method: 'stripe' })
  expect(other.status).toBe('awaiting_approval')
  await manager.post(`/payout-runs/${other.runId}/decline`)
  await world.wait()
  await merchant.cron()
  await comparePayouts(other.runId ?? '', [])
  const raised = await manager.patch<{ limitRequest: { id: string } }>('/settings', {
    approvalAboveCents: null,
  })
  await second.post(`/settings/limit-requests/${raised.limitRequest.id}/approve`)
  for (const _ of ['requested', 'approved']) mailBoth()
  await compareBooks()
}

/** March 20: whoever has not sent its documents waits. */
export const withDocuments = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, run, preview, compareBooks } = merchant
  await manager.patch('/settings', { requireDocuments: true })
  model.settings.requireDocuments = true
  await compareBooks()
  for (const [index, { partner }] of withCode(merchant, 'documents_missing').entries())
    if (index % 3 !== 0) {
      await manager.patch(`/partners/${partner.id}`, { documentsReceived: true })
      partner.hasDocuments = true
    }
  await world.wait()
  const { skipped } = await preview({ method: 'stripe' })
  expect(skipped.some(({ code }) => code === 'documents_missing')).toBe(true)
  await run({ method: 'stripe' })
  await compareBooks()
  await manager.patch('/settings', { requireDocuments: false })
  model.settings.requireDocuments = false
  await compareBooks()
}

/**
 * March 22: accounts that were closed or restricted unheard of, amounts that Stripe finds too
 * small, new accounts.
 */
export const failures = async (merchant: Merchant): Promise<void> => {
  const { world, model, adjust, run, connect, portal, compareBooks } = merchant
  await world.wait()
  const [closed, restricted, small, leaving] = [2, 4, 6, 8].map((index) =>
    at(ready(merchant), index),
  )
  if (!closed || !restricted || !small || !leaving) throw new Error('Too few are connected.')
  const accountOf = ({ person }: Partner) => {
    if (!person.account) throw new Error(`${person.address} has no account.`)
    return person.account
  }
  await adjust(small, 'EUR', 6_000)
  world.stripe().setMinimum('EUR', 6_001)
  model.least.EUR = 6_001
  await world.wait()
  expect((await run({ method: 'stripe' })).made.map(({ status }) => status)).toContain('failed')
  await world.wait(90)
  await merchant.cron()
  await compareBooks()

  for (const partner of [closed, restricted]) await adjust(partner, 'USD', 12_000)
  world.stripe().closeAccount(accountOf(closed).id)
  accountOf(closed).is = 'closed'
  world.stripe().restrictAccount(accountOf(restricted).id)
  accountOf(restricted).is = 'restricted'
  await world.wait()
  const { made } = await run({ method: 'stripe' })
  expect(made.filter(({ status }) => status === 'failed')).toHaveLength(2)
  model.mail('payout_problem', MANAGER)
  await world.wait(90)
  await merchant.cron()
  await compareBooks()

  await adjust(small, 'EUR', 1_000)
  await world.wait()
  await run({ method: 'stripe' })
  await compareBooks()

  const workspace = await merchant.workspaceId()
  model.mail('payout_account', closed.person.address)
  await connect(closed.person, 'finish', workspace)
  accountOf(restricted).is = 'enabled'
  world.stripe().restoreAccount(accountOf(restricted).id)
  await world.wait()
  const gone = await portal(leaving.person).post('/disconnect', { workspace })
  expect(gone.location).toContain('connect=disconnected')
  model.mail('payout_account', leaving.person.address)
  leaving.person.account = null
  await world.wait()
  await run({ method: 'stripe' })
  await compareBooks()
}

/**
 * March 25: what single partners are paid at least, a run's maximum, a run by bank that is
 * canceled, and debts.
 */
export const odds = async (merchant: Merchant): Promise<void> => {
  const {
    world,
    model,
    manager,
    pages,
    adjust,
    refund,
    preview,
    run,
    comparePayouts,
    compareBooks,
  } = merchant
  for (const [index, { partner }] of withCode(merchant, 'below_minimum').entries())
    if (index % 2 === 0) {
      await manager.patch(`/partners/${partner.id}`, { minimumPayoutCents: 100 })
      partner.minimumCents = 100
    }
  for (const [index, partner] of ready(merchant).slice(0, 6).entries())
    await adjust(partner, 'USD', 6_000 + 7 * index)
  await compareBooks()
  await manager.patch('/settings', { payoutOrder: 'largest_first' })
  model.settings.order = 'largest_first'
  await world.wait()
  const maximum = { USD: 20_000 }
  const { skipped } = await preview({ method: 'stripe', maximum })
  expect(skipped.some(({ code }) => code === 'over_maximum')).toBe(true)
  await run({ method: 'stripe', maximum })
  await compareBooks()

  await world.wait()
  const byBank = await run({ method: 'manual' })
  expect(byBank.made.length).toBeGreaterThan(3)
  await compareBooks()
  await world.wait()
  const canceled = await manager.patch(`/payout-runs/${byBank.runId}`, { status: 'canceled' })
  expect(canceled).toMatchObject({ status: 'canceled' })
  for (const one of byBank.made) model.letGo(one, 'canceled', world.now())
  await comparePayouts(byBank.runId, byBank.made)
  await compareBooks()

  // Refunds of what was paid out.
  const paid = model.earnings.filter(({ sale, payout }) => sale && payout?.status === 'paid')
  for (const one of paid.slice(0, 3)) await refund(one, one.sale?.amountCents ?? 0)
  await compareBooks()
  const owed = model
    .due({ at: world.now(), method: 'stripe' })
    .filter(({ code }) => code === 'negative_balance')
  expect(owed.length).toBeGreaterThan(1)
  const listed = await merchant.all<{ partnerId: string; amountCents: number; currency: string }>(
    '/balances?owed=true',
  )
  expect(listed.map(({ amountCents }) => amountCents).toSorted()).toEqual(
    owed.map(({ cents }) => cents).toSorted(),
  )
  const forgiven = at(owed, 0)
  const form = {
    partnerId: forgiven.partner.id,
    currency: forgiven.currency,
    amountCents: String(-forgiven.cents),
  }
  await world.wait()
  expect((await pages.post('/payouts/owed', form)).location).toContain('done=written_off')
  expect((await pages.post('/payouts/owed', form)).status).toBe(409)
  const now = world.now()
  model.earn(forgiven.partner, {
    kind: 'adjustment',
    currency: forgiven.currency,
    cents: -forgiven.cents,
    at: now,
    payableAt: now,
  })
  await compareBooks()
}

/**
 * March 31: the key is rolled, and everybody who can be paid is paid, by Stripe and then by bank.
 */
export const lastRuns = async (merchant: Merchant): Promise<void> => {
  const { world, model, manager, pages, key, run, preview, compareBooks, all } = merchant
  await world.wait(600)
  for (const earning of model.earnings)
    if (earning.hold === 'held') {
      const id = await commissionOf(merchant, earning.partner, earning.cents)
      await manager.post(`/commissions/${id}/release`)
      earning.hold = 'released'
    }
  world.stripe().setMinimum('EUR', 1)
  model.least.EUR = 1
  await manager.put('/stripe/key', { key: `${key}_rolled2` })
  await world.wait()
  await run({ method: 'stripe' })
  await compareBooks()
  await world.wait()
  await preview({ method: 'manual' })
  const { runId, made } = await run({ method: 'manual' })
  await manager.patch(`/payout-runs/${runId}`, { status: 'paid' })
  for (const one of made) model.pay(one, world.now())
  await pages.post(`/payouts/runs/${runId}`, { status: 'confirmed' })
  for (const { partner } of made) model.mail('payout_sent', partner.person.address)
  await merchant.cron()
  await compareBooks()

  // Nothing is left in the middle: what is not paid has ended, and its earnings are payable or were
  // paid again.
  const rows = await all<{ id: string; status: string }>('/payouts')
  expect(rows.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual(
    model.payouts.map(({ id, status }) => `${id} ${status}`).toSorted(),
  )
  expect(rows.filter(({ status }) => status === 'processing' || status === 'canceling')).toEqual([])
  expect(new Set(rows.map(({ status }) => status))).toEqual(
    new Set(['paid', 'failed', 'canceled', 'reversed', 'returned']),
  )
}
