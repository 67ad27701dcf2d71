/**
 * The last exit: Stripe cannot be asked any more whether a payout that is being canceled was sent,
 * and a manager decides.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { cancelPayout } from '../../lib/payouts/corrections/cancel.queries.ts'
import { resolvePayout } from '../../lib/payouts/corrections/resolution.queries.ts'
import {
  type Resolution,
  resolutionRefusalOf,
  resolvableFrom,
  unresolvableReason,
} from '../../lib/payouts/corrections/resolution.ts'
import { findPayout } from '../../lib/payouts/payouts.queries.ts'
import { removeStripeKey } from '../../lib/payouts/transfers/stripe-keys.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()
beforeEach(() => void world.hoursLater(0))
const db = () => connect(world.env())

const REASON = 'The partner’s account shows no such payment.'

/**
 * A payout of 10 dollars of which nobody knows whether it was sent, that is canceled, at an account
 * whose key is revoked.
 */
const stage = async (isDone: boolean) => {
  const payer = await world.createPayer()
  const { workspaceId, key } = payer
  await payer.seed.addMember(workspaceId, 'ann@shop.example', 'manager')
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  world.stripe().planTransfersOf(key, { status: 500, kept: isDone ? 'done' : 'undone' })
  const { payouts } = await payer.run()
  world.stripe().planTransfersOf(key)
  const id = payouts[0]?.id ?? ''
  const act = (now = new Date()) => ({ workspaceId, actor: 'ann@shop.example', now })
  await cancelPayout(db(), act(), id)
  world.stripe().revokeKey(key)
  const payout = async () => {
    const found = await findPayout(db(), workspaceId, id)
    if (!found) throw new Error('There is no such payout.')
    return found
  }
  /** Looks the payout up by the cron, so many times, so many hours later. */
  const lookUp = async (times: number, hours: number) => {
    for (let time = 0; time < times; time++) {
      await world.query('update payouts set next_attempt_at = now() where id = $1', [id])
      await payDue(world.env(), world.hoursLater(hours + time / 100))
    }
  }
  return {
    payer,
    id,
    account: maya.account ?? '',
    act,
    payout,
    lookUp,
    resolve: (outcome: Resolution, hours: number, reason = REASON) =>
      resolvePayout(db(), act(world.hoursLater(hours)), id, {
        outcome,
        reason,
        portalUrl: 'https://x.example',
      }),
    audit: () =>
      world.query(
        `select actor, action from audit_entries where workspace_id = $1 and action in ('payout.resolved', 'payout.found_sent') order by id`,
        [workspaceId],
      ),
    mails: async () =>
      (
        await world.query<{ kind: string }>(
          'select kind from mails where workspace_id = $1 order by id',
          [workspaceId],
        )
      ).map(({ kind }) => kind),
  }
}

/** The same, at an account that could not be asked for long enough. */
const stageUnreachable = async (isDone: boolean) => {
  const staged = await stage(isDone)
  await staged.lookUp(5, 25)
  return staged
}

test('a payout at an account that is gone for good stayed canceling: a manager marks it as not sent, and it is paid by bank', async () => {
  const { payer, payout, resolve, act, audit, mails } = await stageUnreachable(false)
  expect(await payout()).toMatchObject({
    status: 'canceling',
    failedLookUps: 5,
    unreachableSince: expect.any(Date),
  })
  expect(await removeStripeKey(db(), act())).toBe('payouts_in_flight')

  for (const _ of ['once', 'twice'])
    expect(await resolve('not_sent', 50)).toMatchObject({
      status: 'canceled',
      resolutionReason: REASON,
      lastError: null,
    })
  expect(await resolve('sent', 50)).toMatchObject({ status: 'canceled' })
  expect(await audit()).toEqual([{ actor: 'ann@shop.example', action: 'payout.resolved' }])
  expect(await mails()).not.toContain('payout_sent')
  expect(await world.violations()).toEqual([])

  expect(await removeStripeKey(db(), act())).toBe('removed')
  expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([{ amountCents: 1_000 }])
})

test('marked as sent, it is paid, its partner is mailed once, and no run pays it again', async () => {
  const { payer, payout, resolve, mails } = await stageUnreachable(true)
  for (const _ of ['once', 'twice'])
    expect(await resolve('sent', 50)).toMatchObject({ status: 'paid', transferId: null })
  expect((await mails()).filter((kind) => kind === 'payout_sent')).toHaveLength(1)
  expect((await payer.run({ method: 'manual' })).payouts).toEqual([])
  expect(await world.violations()).toEqual([])

  // With a working key again, its transfer is found.
  await payer.replaceKey(`${payer.key}_rolled2`)
  await payDue(world.env(), world.hoursLater(75))
  expect(await payout()).toMatchObject({
    status: 'paid',
    transferId: expect.stringMatching(/^tr_/),
  })
  expect(await world.violations()).toEqual([])
})

test('of one marked as not sent whose transfer is found later, managers are mailed once, because it may be paid twice', async () => {
  const { payer, payout, resolve, audit, mails } = await stageUnreachable(true)
  await resolve('not_sent', 50)
  await payDue(world.env(), world.hoursLater(51))
  expect(await payout()).toMatchObject({ status: 'canceled', foundTransferId: null })

  await payer.replaceKey(`${payer.key}_rolled2`)
  for (const hours of [80, 120, 160]) await payDue(world.env(), world.hoursLater(hours))
  expect(await payout()).toMatchObject({
    status: 'canceled',
    foundTransferId: expect.stringMatching(/^tr_/),
  })
  expect(await audit()).toEqual([
    { actor: 'ann@shop.example', action: 'payout.resolved' },
    { actor: 'Stripe', action: 'payout.found_sent' },
  ])
  const problems = await world.query<{ details: { sums: unknown } }>(
    `select details from mails where workspace_id = $1 and kind = 'payout_problem' and details -> 'sums' @> '[{"code": "found_sent"}]'`,
    [payer.workspaceId],
  )
  expect(problems).toHaveLength(1)
  expect(await mails()).not.toContain('payout_sent')
  expect(await world.violations()).toEqual([])
})

test('a transfer that was reversed in full is not reported: nobody is paid twice', async () => {
  const { payer, payout, resolve, audit } = await stageUnreachable(true)
  await resolve('not_sent', 50)
  world.stripe().reverse(world.stripe().transfers(payer.key)[0]?.id ?? '')
  await payer.replaceKey(`${payer.key}_rolled2`)
  await payDue(world.env(), world.hoursLater(80))
  expect(await payout()).toMatchObject({ foundTransferId: null })
  expect(await audit()).toHaveLength(1)
})

describe('nobody decides', () => {
  test.each([
    { case: 'before the key can act no more', times: 9, from: 20, at: 23 },
    { case: 'after too few look-ups', times: 4, from: 25, at: 100 },
    { case: 'within a day of the first failed look-up', times: 9, from: 25, at: 23 },
  ])('$case', async ({ times, from, at }) => {
    const { lookUp, resolve, audit } = await stage(false)
    await lookUp(times, from)
    expect(await resolve('not_sent', at)).toMatchObject({ status: 'canceling', resolvedAt: null })
    expect(await audit()).toEqual([])
  })

  test('once a key works: Stripe says what became of it, and failed look-ups count anew', async () => {
    const { payer, payout, resolve, lookUp, account } = await stageUnreachable(true)
    await payer.replaceKey(`${payer.key}_rolled2`)
    await lookUp(1, 30)
    expect(await resolve('not_sent', 60)).toMatchObject({
      status: 'paid',
      transferId: expect.any(String),
    })
    expect(await payout()).toMatchObject({ resolvedAt: null })
    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  })

  test('by two decisions at the same time: one of them counts', async () => {
    const { resolve, audit } = await stageUnreachable(false)
    const answers = await Promise.all([
      resolve('sent', 50),
      resolve('not_sent', 50),
      resolve('not_sent', 50),
    ])
    expect(new Set(answers.map((answer) => answer?.resolvedAt?.getTime())).size).toBe(1)
    expect(await audit()).toHaveLength(1)
    expect(await world.violations()).toEqual([])
  })
})

describe('rules', () => {
  const at = new Date('2026-11-22T12:00:00Z')
  const unclear = {
    status: 'canceling' as const,
    paidAt: null,
    unreachableSince: at,
    failedLookUps: 5,
    resolvedAt: null,
    resolutionReason: null,
  }
  const later = new Date('2026-11-23T12:00:00Z')

  test.each([
    {
      case: 'a payout that is still being sent',
      payout: { ...unclear, status: 'processing' as const },
      says: 'Cancel this payout first',
    },
    {
      case: 'a payout that was sent',
      payout: { ...unclear, status: 'paid' as const },
      says: 'is known',
    },
    {
      case: 'a payout that Stripe answered about',
      payout: { ...unclear, unreachableSince: null },
      says: 'still asked',
    },
    {
      case: 'a payout with four failed look-ups',
      payout: { ...unclear, failedLookUps: 4 },
      says: 'still asked',
    },
    {
      case: 'a payout that was decided about',
      payout: {
        ...unclear,
        status: 'canceled' as const,
        resolvedAt: at,
        resolutionReason: 'Asked Stripe.',
      },
      says: 'marked as not sent before: Asked Stripe.',
    },
  ])('$case is not decided about', ({ payout, says }) => {
    expect(unresolvableReason(payout, later)).toContain(says)
  })

  test('from 24 hours on it is, and a repeat of the decision is no conflict', () => {
    expect(resolvableFrom(unclear)).toEqual(later)
    expect(unresolvableReason(unclear, later)).toBeNull()
    expect(unresolvableReason(unclear, new Date(later.getTime() - 1))).toContain('still asked')
    const decided = {
      ...unclear,
      status: 'paid' as const,
      paidAt: later,
      resolvedAt: later,
      resolutionReason: REASON,
    }
    expect(resolutionRefusalOf(decided, { outcome: 'sent', reason: REASON }, later)).toBeNull()
    for (const other of [
      { outcome: 'not_sent' as const, reason: REASON },
      { outcome: 'sent' as const, reason: 'x' },
    ])
      expect(resolutionRefusalOf(decided, other, later)).toContain('marked as sent before')
  })
})
