/**
 * Canceling payouts and runs, and bans: nothing is sent from then on, and nobody is paid twice or
 * loses anything.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { changePartner } from '../../lib/partners/changes/change-partner.queries.ts'
import { balancesQuery } from '../../lib/payouts/balances/due.queries.ts'
import { cancelPayout, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { cancelRefusalOf } from '../../lib/payouts/corrections/cancel.ts'
import { findPayout, runPayoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import { changeRun } from '../../lib/payouts/runs/manual-runs.queries.ts'
import { findRun, listRunLines } from '../../lib/payouts/runs/runs.queries.ts'
import { removeStripeKey, saveStripeKey } from '../../lib/payouts/transfers/stripe-keys.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { everyNth } from '../support/thorough.ts'

const world = usePayouts()
beforeEach(() => void world.hoursLater(0))

const db = () => connect(world.env())
const actFor = ({ workspaceId }: Payer) => ({ workspaceId, actor: 'a manager', now: new Date() })
const ban = (payer: Payer, partnerId: string, status: 'banned' | 'approved' = 'banned') =>
  changePartner(db(), actFor(payer), partnerId, { status })

/** A merchant with one partner who is owed 10 dollars. */
const stage = async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 600 }, { amountCents: 400 }],
  })
  const account = maya.account ?? ''
  const payout = async (id: string) => {
    const found = await findPayout(db(), payer.workspaceId, id)
    if (!found) throw new Error('There is no such payout.')
    return found
  }
  return { payer, maya, account, payout }
}

/** The same, with a payout for which there was no money when it was to be sent. */
const stageWithoutFunds = async () => {
  const staged = await stage()
  world.changeFundsAtTransfer(staged.payer.key, 'usd', 0)
  const { runId, payouts } = await staged.payer.run()
  return { ...staged, runId: runId ?? '', payoutId: payouts[0]?.id ?? '' }
}

/** The same, with a payout of which nobody knows whether it was sent. */
const stageUnclear = async (isDone: boolean) => {
  const staged = await stage()
  world
    .stripe()
    .planTransfersOf(staged.payer.key, { status: 500, kept: isDone ? 'done' : 'undone' })
  const { runId, payouts } = await staged.payer.run()
  world.stripe().planTransfersOf(staged.payer.key)
  return { ...staged, runId: runId ?? '', payoutId: payouts[0]?.id ?? '' }
}

describe('rules', () => {
  test.each([
    { method: 'stripe', status: 'paid', refusal: 'reverse its transfer in Stripe' },
    { method: 'manual', status: 'paid', refusal: 'Mark its run as unpaid first' },
    { method: 'stripe', status: 'failed', refusal: 'payable already' },
    { method: 'stripe', status: 'reversed', refusal: 'was sent' },
  ] as const)('a $status payout by $method is not canceled', ({ refusal, ...payout }) => {
    expect(cancelRefusalOf(payout)).toContain(refusal)
  })

  test.each(['processing', 'canceling', 'canceled'] as const)(
    'a %s payout may be canceled',
    (status) => {
      expect(cancelRefusalOf({ method: 'stripe', status })).toBeNull()
    },
  )
})

test('a payout without funds is canceled at once, paid by bank, and a later top-up pays it no second time', async () => {
  const { payer, payout, payoutId } = await stageWithoutFunds()
  expect(await payout(payoutId)).toMatchObject({ status: 'processing' })

  expect(await cancelPayout(db(), actFor(payer), payoutId)).toMatchObject({ status: 'canceled' })
  expect(await cancelPayout(db(), actFor(payer), payoutId)).toMatchObject({ status: 'canceled' })
  const bank = await payer.run({ method: 'manual' })
  expect(bank.payouts).toMatchObject([{ amountCents: 1_000 }])

  world.stripe().setBalance('usd', 100_000, payer.key)
  await payer.run()
  await payDue(world.env(), world.hoursLater(50))
  expect(payer.sent()).toEqual({})
  const entries = await world.query(
    `select action, details from audit_entries where workspace_id = $1 and action = 'payout.canceled'`,
    [payer.workspaceId],
  )
  expect(entries).toEqual([
    { action: 'payout.canceled', details: { amountCents: 1_000, currency: 'USD' } },
  ])
  expect(await world.violations()).toEqual([])
})

test('the key goes, or another account’s comes, once a cancel has ended', async () => {
  const { payer, payoutId } = await stageWithoutFunds()
  expect(await removeStripeKey(db(), actFor(payer))).toBe('payouts_in_flight')
  await cancelPayout(db(), actFor(payer), payoutId)
  expect(await removeStripeKey(db(), actFor(payer))).toBe('removed')
})

test('a payout that may have been sent, and was not, is looked up for a day and then canceled', async () => {
  const { payer, payout, payoutId } = await stageUnclear(false)
  const requested = await cancelPayout(db(), actFor(payer), payoutId)
  expect(requested).toMatchObject({ status: 'canceling', canceledAt: null })
  const hours = ((requested?.lookedUpUntil?.getTime() ?? 0) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)
  expect(await removeStripeKey(db(), actFor(payer))).toBe('payouts_in_flight')

  // Its commissions are nobody else's until then.
  expect((await payer.run({ method: 'manual' })).payouts).toEqual([])
  await payer.run({}, {}, world.hoursLater(23.5))
  expect(await payout(payoutId)).toMatchObject({ status: 'canceling' })
  await payDue(world.env(), world.hoursLater(25))

  expect(await payout(payoutId)).toMatchObject({ status: 'canceled', lookedUpUntil: null })
  expect(payer.sent()).toEqual({})
  expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([{ amountCents: 1_000 }])
  expect(await world.violations()).toEqual([])
})

test('a payout that turns out to have been sent is paid, however it was canceled', async () => {
  const { payer, account, payout, payoutId } = await stageUnclear(true)
  await cancelPayout(db(), actFor(payer), payoutId)
  await payer.run()
  expect(await payout(payoutId)).toMatchObject({ status: 'paid' })
  expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a payout that is canceled while its transfer is under way is paid if that is made', async () => {
  const { payer, account, payout } = await stage()
  world.stripe().hooks.onCall = async (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    world.stripe().hooks.onCall = undefined
    const [row] = await world.query<{ id: string }>(
      'select id from payouts where workspace_id = $1',
      [payer.workspaceId],
    )
    const canceled = await cancelPayout(db(), actFor(payer), row?.id ?? '')
    expect(canceled).toMatchObject({ status: 'canceling' })
  }
  const { payouts } = await payer.run()
  expect(await payout(payouts[0]?.id ?? '')).toMatchObject({ status: 'paid' })
  expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
})

test('a payout that is canceled while its transfer is refused for lack of funds is canceled at once', async () => {
  const { payer, payout } = await stage()
  world.stripe().hooks.onCall = async (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    world.stripe().hooks.onCall = undefined
    world.stripe().setBalance('usd', 0, payer.key)
    const [row] = await world.query<{ id: string }>(
      'select id from payouts where workspace_id = $1',
      [payer.workspaceId],
    )
    await cancelPayout(db(), actFor(payer), row?.id ?? '')
  }
  const { payouts } = await payer.run()
  expect(await payout(payouts[0]?.id ?? '')).toMatchObject({ status: 'canceled' })
  expect(await world.violations()).toEqual([])
})

test('a payout that waits its turn was never asked for at Stripe, so that it is canceled at once', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 12; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  const { runId, payouts } = await payer.run({}, { MAX_FETCHES: '24' })
  const sent = payouts.filter(({ status }) => status === 'paid').length
  expect(sent).toBeLessThan(12)

  const canceled = await cancelRun(db(), actFor(payer), runId ?? '')
  expect(canceled).toMatchObject({ status: 'canceled' })
  await payDue(world.env(), world.hoursLater(50))
  expect(Object.values(payer.sent())).toHaveLength(sent)
  // The rest is payable again.
  await payer.run()
  expect(Object.values(payer.sent())).toHaveLength(12)
  expect(await world.violations()).toEqual([])
})

/** Does something at the next call of Stripe with this method for transfers. */
const atTransfers = (method: 'GET' | 'POST', work: () => Promise<unknown>) => {
  world.stripe().hooks.onCall = async (called, path) => {
    if (called !== method || path !== '/v1/transfers') return
    world.stripe().hooks.onCall = undefined
    await work()
  }
}

test('a run that is canceled while its first payouts are sent was sent to the end: the others had been leased', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 12; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  atTransfers('POST', async () => {
    const [run] = await world.query<{ id: string }>(
      'select id from payout_runs where workspace_id = $1',
      [payer.workspaceId],
    )
    await cancelRun(db(), actFor(payer), run?.id ?? '')
  })
  const { payouts } = await payer.run()
  const ends = (status: string) => payouts.filter((payout) => payout.status === status).length
  // Five at a time.
  expect([ends('paid'), ends('canceled')]).toEqual([5, 7])
  expect(Object.values(payer.sent())).toHaveLength(5)
  expect(await world.violations()).toEqual([])
})

test('a payout that is canceled while its transfer is looked up was sent after that', async () => {
  const { payer, payout, payoutId } = await stageUnclear(false)
  atTransfers('GET', () => cancelPayout(db(), actFor(payer), payoutId))
  await payDue(world.env(), world.hoursLater(1))
  expect(payer.sent()).toEqual({})
  expect(await payout(payoutId)).toMatchObject({ status: 'canceling' })
  await payDue(world.env(), world.hoursLater(25))
  expect(await payout(payoutId)).toMatchObject({ status: 'canceled' })
})

test('with the key gone, what was never sent is canceled at once', async () => {
  const { payer, payoutId } = await stageWithoutFunds()
  await world.query('delete from stripe_keys where workspace_id = $1', [payer.workspaceId])
  expect(await cancelPayout(db(), actFor(payer), payoutId)).toMatchObject({ status: 'canceled' })
})

test.each(everyNth(2, [true, false]))(
  'with the key gone, what may have been sent (%s) waits for a key of the account, by which it is looked up',
  { tags: 'sampled' },
  async (isDone) => {
    const { payer, payout, payoutId } = await stageUnclear(isDone)
    await world.query('delete from stripe_keys where workspace_id = $1', [payer.workspaceId])
    await cancelPayout(db(), actFor(payer), payoutId)
    await payDue(world.env(), world.hoursLater(30))
    expect(await payout(payoutId)).toMatchObject({
      status: 'canceling',
      lastError: expect.any(String),
    })

    await payer.replaceKey(`${payer.key}_rolled2`)
    await payDue(world.env(), world.hoursLater(60))
    expect(await payout(payoutId)).toMatchObject({ status: isDone ? 'paid' : 'canceled' })
    expect(Object.keys(payer.sent())).toHaveLength(isDone ? 1 : 0)
    expect(await world.violations()).toEqual([])
  },
)

test('a key of another account is refused while a payout is looked up under the present one', async () => {
  const { payer, payoutId } = await stageUnclear(false)
  await cancelPayout(db(), actFor(payer), payoutId)
  const other = {
    ciphertext: 'x',
    last4: 'xxxx',
    stripeAccountId: 'acct_other',
    livemode: false,
    readsLines: false,
    readsProducts: false,
    transferCountries: null,
  }
  expect(await saveStripeKey(db(), actFor(payer), other)).toEqual({ outcome: 'other_account' })
})

describe('a run by Stripe', () => {
  test('that is canceled sends nothing more, keeps what was sent, and can be canceled again', async () => {
    const { payer, runId } = await stageWithoutFunds()
    expect(await cancelRun(db(), actFor(payer), runId)).toMatchObject({ status: 'canceled' })
    expect(await cancelRun(db(), actFor(payer), runId)).toMatchObject({ status: 'canceled' })
    world.stripe().setBalance('usd', 5_000, payer.key)
    await payDue(world.env(), world.hoursLater(26))
    expect(payer.sent()).toEqual({})
    await payer.run()
    expect(Object.values(payer.sent())).toEqual([['1000 usd']])
  })

  test('that has ended is not canceled', async () => {
    const { payer, account } = await stage()
    const { runId } = await payer.run()
    expect(await cancelRun(db(), actFor(payer), runId ?? '')).toMatchObject({
      status: 'completed',
      canceledAt: null,
    })
    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  })

  test('is canceling until Stripe has been asked long enough', async () => {
    const { payer, runId } = await stageUnclear(false)
    expect(await cancelRun(db(), actFor(payer), runId)).toMatchObject({ status: 'canceling' })
    await payDue(world.env(), world.hoursLater(25))
    expect(await findRun(db(), payer.workspaceId, runId)).toMatchObject({ status: 'canceled' })
  })
})

test('one payout of a run by bank is canceled: it is in no file, is not marked as paid, and is payable again', async () => {
  const { payer, maya } = await stage()
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 300 }] })
  const { runId, payouts } = await payer.run({ method: 'manual' })
  const mayas = payouts.find(({ partnerId }) => partnerId === maya.id)?.id ?? ''
  expect(await cancelPayout(db(), actFor(payer), mayas)).toMatchObject({ status: 'canceled' })

  expect(await listRunLines(db(), payer.workspaceId, runId ?? '')).toMatchObject([
    { amountCents: 300n },
  ])
  const to = (status: 'paid' | 'processing' | 'confirmed') =>
    changeRun(db(), actFor(payer), runId ?? '', status, 'https://tributary.example')
  for (const status of ['paid', 'processing', 'paid', 'confirmed'] as const) {
    expect(await to(status)).toMatchObject({ status })
    expect(await world.violations()).toEqual([])
  }
  expect(
    (await runPayoutsQuery(db(), payer.workspaceId, runId ?? '').execute())
      .map(({ status }) => status)
      .sort(),
  ).toEqual(['canceled', 'paid'])
  const mails = await world.query(
    `select from mails where kind = 'payout_sent' and workspace_id = $1`,
    [payer.workspaceId],
  )
  expect(mails).toHaveLength(1)
  await payer.run()
  expect(Object.values(payer.sent())).toEqual([['1000 usd']])
})

describe('a ban', () => {
  test('between claim and transfer cancels the payout: a top-up paid a banned partner', async () => {
    const { payer, maya, account, payout, payoutId } = await stageWithoutFunds()
    await ban(payer, maya.id)
    expect(await payout(payoutId)).toMatchObject({ status: 'canceled' })
    world.stripe().setBalance('usd', 5_000, payer.key)
    await payer.run()
    await payDue(world.env(), world.hoursLater(50))
    expect(payer.sent()).toEqual({})

    // Approved again, the partner is paid by the next run.
    await ban(payer, maya.id, 'approved')
    await payer.run()
    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
    expect(await world.violations()).toEqual([])
  })

  test('keeps what was sent, and looks up what may have been', async () => {
    const { payer, maya, account, payout, payoutId } = await stageUnclear(true)
    await ban(payer, maya.id)
    expect(await payout(payoutId)).toMatchObject({ status: 'canceling' })
    await payDue(world.env(), world.hoursLater(1))
    expect(await payout(payoutId)).toMatchObject({ status: 'paid' })
    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  })

  test('leaves a payout by bank to the manager, who knows whether the bank has it', async () => {
    const { payer, maya, payout } = await stage()
    const { payouts } = await payer.run({ method: 'manual' })
    await ban(payer, maya.id)
    expect(await payout(payouts[0]?.id ?? '')).toMatchObject({ status: 'processing' })
  })
})

test('a balance whose commissions are being let go is claimed by no run', async () => {
  const { payer, runId, payoutId } = await stageWithoutFunds()
  await cancelRun(db(), actFor(payer), runId)
  // As if a part of the commissions were not let go yet.
  await world.query('update payouts set is_freeing = true where id = $1', [payoutId])
  await payer.run({ method: 'manual' })
  const scope = {
    workspaceId: payer.workspaceId,
    programId: null,
    cutoffAt: new Date(),
    cover: null,
  }
  expect((await balancesQuery({ ...scope, method: 'manual' }).execute(db())).rows).toEqual([])
  await payDue(world.env())
  expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([{ amountCents: 1_000 }])
})
