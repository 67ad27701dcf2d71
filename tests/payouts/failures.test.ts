import { beforeEach, expect, test } from 'vitest'
import type { StripeFailure } from '../../dev/fakes/stripe/failures.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()
beforeEach(() => void world.hoursLater(0))

/** A merchant with one partner who is owed 10 dollars, and the payout of that, as it stands. */
const stage = async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const account = maya.account ?? ''
  const payouts = () =>
    world.query<{
      id: string
      key_version: number
      status: string
      last_error: string | null
      held: number
    }>(
      `select id, key_version, last_error,
              case when paid_at is not null then 'paid' when failed_at is not null then 'failed' else 'processing' end
                as status,
              (select count(*)::int from commissions c where c.payout_id = p.id) as held
       from payouts p where workspace_id = $1 order by id`,
      [payer.workspaceId],
    )
  const mails = async () =>
    (
      await world.query('select kind from mails where workspace_id = $1 order by id', [
        payer.workspaceId,
      ])
    ).map(({ kind }) => kind)
  return { payer, maya, account, payouts, mails }
}

const passing: { failure: StripeFailure; isDone: boolean }[] = [
  { failure: 'cut_before', isDone: false },
  { failure: 'cut_after', isDone: true },
  { failure: 'garbage', isDone: false },
  { failure: { status: 429 }, isDone: false },
  { failure: { status: 500, kept: 'undone' }, isDone: false },
  { failure: { status: 500, kept: 'done' }, isDone: true },
  { failure: { status: 503 }, isDone: false },
]

test.each(passing)(
  'after $failure, a payout is retried and sent once',
  async ({ failure, isDone }) => {
    const { payer, account, payouts, mails } = await stage()
    // The stripe package itself repeats what was cut, once.
    world.stripe().planTransfersOf(payer.key, failure, failure)
    await payer.run()
    world.stripe().planTransfersOf(payer.key)

    expect(await payouts()).toMatchObject([{ key_version: 1, held: 1 }])
    expect(payer.sent()).toEqual(isDone ? { [account]: ['1000 usd'] } : {})

    // A 500 that Stripe keeps is repeated for a day, whatever became of the transfer.
    await payer.run({}, {}, world.hoursLater(25))

    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
    expect(await payouts()).toMatchObject([{ status: 'paid', last_error: null }])
    expect(await mails()).toEqual(['payout_sent'])
    expect(await world.violations()).toEqual([])
  },
)

test('a payout that lacks funds is retried with a new key version, and sent once the balance suffices', async () => {
  const { payer, account, payouts, mails } = await stage()
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500, currency: 'CHF' }] })
  world.changeFundsAtTransfer(payer.key, 'usd', 999)
  await payer.run()
  const [short] = (await payouts()).filter(({ status }) => status === 'processing')
  expect(short).toMatchObject({
    key_version: 2,
    held: 1,
    last_error: expect.stringContaining('nsufficient'),
  })
  // Other currencies go on.
  expect(payer.sent()).toEqual({ [leo.account ?? '']: ['500 chf'] })

  world.stripe().setBalance('usd', 1_000, payer.key)
  await payer.run({}, {}, world.hoursLater(1.1))

  expect(payer.sent()).toEqual({ [account]: ['1000 usd'], [leo.account ?? '']: ['500 chf'] })
  expect(await mails()).toEqual(['payout_sent', 'payout_sent'])
})

test('a payout above what Stripe transfers fails with the reason, and is owed until it is paid by bank', async () => {
  const { payer, maya, payouts, mails } = await stage()
  await payer.earn(maya.id, { amountCents: 99_999_000 })
  await payer.run()
  expect(payer.sent()).toEqual({})
  expect(await payouts()).toMatchObject([
    {
      status: 'failed',
      held: 0,
      last_error: expect.stringContaining('greater than the maximum amount'),
    },
  ])
  expect(await mails()).toEqual(['payout_failed'])
  expect(await world.violations()).toEqual([])
})

test('a permanently refused payout fails, its commissions are payable again, and the partner is notified', async () => {
  const { payer, maya, account, payouts, mails } = await stage()
  world.stripe().closeAccount(account)

  const run = await payer.run()

  expect(run.payouts).toMatchObject([{ status: 'failed', amountCents: 1_000 }])
  expect(await payouts()).toMatchObject([
    { status: 'failed', held: 0, last_error: expect.any(String) },
  ])
  expect(await mails()).toEqual(['payout_failed'])
  expect(await world.violations()).toEqual([])

  // The account is known to be closed: the next run leaves the partner out, until there is another
  // one.
  expect((await payer.run()).skipped).toMatchObject([{ partnerId: maya.id, code: 'not_connected' }])
  await world.query('update payout_accounts set disconnected_at = now() where workspace_id = $1', [
    payer.workspaceId,
  ])
  const another = await payer.connectAccount(maya.email)
  await payer.run()
  expect(payer.sent()).toEqual({ [another]: ['1000 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a rejected key stops the run immediately, and a new key continues it', async () => {
  const { payer, account, payouts } = await stage()
  for (let index = 0; index < 20; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  world.stripe().revokeKey(payer.key)
  const before = world.stripe().calls()
  await payer.run()
  // The transfers, the balance, and as many transfers as are sent at once.
  expect(world.stripe().calls() - before).toBeLessThanOrEqual(7)
  expect(
    (await payouts()).every(
      ({ status, key_version: version }) => status === 'processing' && version === 1,
    ),
  ).toBe(true)

  await payer.replaceKey(`${payer.key}_rolled`)
  await payer.run({}, {}, world.hoursLater(1.1))
  expect(Object.keys(payer.sent())).toHaveLength(21)
  expect(payer.sent()[account]).toEqual(['1000 usd'])
})

test('the cron retries after the backoff, not before', async () => {
  const { payer, account, payouts } = await stage()
  world.stripe().planTransfersOf(payer.key, { status: 503 }, { status: 503 })
  await payer.run()
  world.stripe().planTransfersOf(payer.key)

  await payDue(world.env())
  expect(payer.sent()).toEqual({})
  await world.query(
    `update payouts set next_attempt_at = now() - interval '1 second' where workspace_id = $1`,
    [payer.workspaceId],
  )
  await payDue(world.env())
  expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  expect(await payouts()).toMatchObject([{ status: 'paid' }])
})

test('a transfer created despite a server error is found by its group a day later, and not repeated', async () => {
  const { payer, account, payouts } = await stage()
  world.stripe().planTransfersOf(payer.key, { status: 500, kept: 'done' })
  await payer.run()
  await payer.run({}, {}, world.hoursLater(25))
  expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  expect(await payouts()).toMatchObject([{ status: 'paid', key_version: 1 }])
})
