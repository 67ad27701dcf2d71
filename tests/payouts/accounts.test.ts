/** Partners whose accounts Stripe does not pay: what a run and the cron find out about them, and what is done. */
import { beforeEach, describe, expect, test } from 'vitest'
import { payDue } from '../../lib/payouts/run.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()
beforeEach(async () => {
  world.hoursLater(0)
  world.stripe().plan()
  await world.query('truncate workspaces cascade')
})

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS)

/** Accounts as the workspace knows them. */
const known = ({ workspaceId }: Payer) =>
  world.query<{ status: string; checked: boolean }>(
    'select status, checked_at is not null as checked from payout_accounts where workspace_id = $1 order by created_at',
    [workspaceId],
  )

/** Lets the workspace believe of its accounts what was true once. */
const remember = ({ workspaceId }: Payer, status: string) =>
  world.query('update payout_accounts set status = $2 where workspace_id = $1', [workspaceId, status])

const stage = async (status: string) => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await remember(payer, status)
  return { payer, maya, account: maya.account ?? '' }
}

describe('an account that became payable while its event was missed', () => {
  test.each(['onboarding', 'in_review', 'restricted', 'closed'])(
    'is paid by the next run, whether it was %s',
    async (status) => {
      const { payer, account } = await stage(status)
      expect((await payer.run({ dryRun: true })).payouts).toMatchObject([{ amountCents: 1_000 }])
      await remember(payer, status)
      expect((await payer.run()).payouts).toMatchObject([{ status: 'paid' }])
      expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
      expect(await known(payer)).toEqual([{ status: 'enabled', checked: true }])
      expect(await world.violations()).toEqual([])
    },
  )

  test('is read by the cron once a day, whether money is due or not', async () => {
    const payer = await world.createPayer()
    const { account } = await payer.addPartner({ slug: 'maya' })
    world.stripe().restrictAccount(account ?? '')
    await remember(payer, 'onboarding')
    expect(await payDue(world.env())).toMatchObject({ accounts: 1 })
    world.stripe().restoreAccount(account ?? '')
    expect(await payDue(world.env(), inHours(23))).toBeNull()
    expect(await payDue(world.env(), inHours(25))).toMatchObject({ accounts: 1 })
    expect(await known(payer)).toEqual([{ status: 'enabled', checked: true }])
    expect(await payDue(world.env(), inHours(50))).toBeNull()
  })

  test('is asked for again an hour after Stripe did not answer', async () => {
    const payer = await world.createPayer()
    await payer.addPartner({ slug: 'maya' })
    await remember(payer, 'in_review')
    world.stripe().plan('cut_before')
    await payDue(world.env())
    expect(await known(payer)).toEqual([{ status: 'in_review', checked: false }])
    expect(await payDue(world.env(), inHours(0.9))).toBeNull()
    expect(await payDue(world.env(), inHours(1.1))).toMatchObject({ accounts: 1 })
    expect(await known(payer)).toEqual([{ status: 'enabled', checked: true }])
  })

  test('delays nobody: a run pays the others when Stripe does not answer about it', async () => {
    const { payer } = await stage('in_review')
    const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
    world.stripe().plan('cut_before')
    expect(await payer.run()).toMatchObject({
      payouts: [{ status: 'paid', amountCents: 500 }],
      skipped: [{ code: 'account_in_review' }],
    })
    expect(payer.sent()).toEqual({ [leo.account ?? '']: ['500 usd'] })
  })
})

test('a Worker with few fetches reads some of the accounts, pays, and reads the others later', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 30; index++) {
    const { account } = await payer.addPartner({ slug: `p${index}` })
    if (index > 0) world.stripe().restrictAccount(account ?? '')
  }
  await remember(payer, 'in_review')
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
  expect((await payer.run({}, { MAX_FETCHES: '45' })).payouts).toMatchObject([{ status: 'paid' }])
  const unread = async () => (await known(payer)).filter(({ checked }) => !checked).length - 1
  // Nothing is owed to the others, so the run reads none of them.
  expect(await unread()).toBe(30)
  let minutes = 0
  while ((await unread()) > 0 && minutes < 5)
    await payDue({ ...world.env(), MAX_FETCHES: '45' }, inHours(++minutes / 60))
  expect(await unread()).toBe(0)
  expect(minutes).toBeGreaterThan(1)
})

test('a run reads the accounts of those to whom something is owed, each once, and within half of its fetches', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 30; index++) {
    await payer.addPartner({ slug: `p${index}`, owed: [{ amountCents: 100 }] })
  }
  await remember(payer, 'restricted')
  const before = world.stripe().calls()
  const { payouts } = await payer.run({}, { MAX_FETCHES: '45' })
  expect(payouts.length).toBeGreaterThan(10)
  expect(payouts.length).toBeLessThan(30)
  expect(world.stripe().calls() - before).toBeLessThan(45)
  for (let minute = 0; minute < 10; minute++) await payer.run({}, { MAX_FETCHES: '45' })
  expect(Object.values(payer.sent())).toEqual(Array(30).fill(['100 usd']))
  expect(await world.violations()).toEqual([])
})

test.each([
  { step: 'leave' as const, was: 'onboarding', code: 'not_connected' },
  { step: 'restrict' as const, was: 'enabled', code: 'account_restricted' },
  { step: 'close' as const, was: 'enabled', code: 'not_connected' },
])(
  'a partner whose account is $was, and Stripe did $step, is skipped as $code',
  async ({ step, was, code }) => {
    const { payer, account } = await stage(was)
    const { leaveOnboarding: leave, restrictAccount: restrict, closeAccount: close } = world.stripe()
    if (step === 'leave') world.stripe().restrictAccount(account)
    else ({ leave, restrict, close })[step](account)
    // Of an account that was enabled, a run finds out by the refusal of its transfer.
    const { payouts, skipped } =
      was === 'enabled' ? await payer.run().then(() => payer.run()) : await payer.run()
    expect(payouts).toEqual([])
    expect(skipped).toMatchObject([{ code, amountCents: 1_000 }])
    expect(await world.violations()).toEqual([])
  },
)
