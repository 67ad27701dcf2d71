/**
 * Partners whose accounts Stripe does not pay: what a run and the cron find out about them, and
 * what is done.
 */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { remindersAt } from '../../lib/payouts/notices/reminders.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { repeating } from '../support/repeated.ts'
import { everyNth } from '../support/thorough.ts'

const world = usePayouts()
beforeEach(async () => {
  world.hoursLater(0)
  world.stripe().plan()
  await world.empty()
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
  world.query('update payout_accounts set status = $2 where workspace_id = $1', [
    workspaceId,
    status,
  ])

const stage = async (status: string) => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await remember(payer, status)
  return { payer, maya, account: maya.account ?? '' }
}

describe('an account that became payable while its event was missed', () => {
  test.each(everyNth(2, ['onboarding', 'in_review', 'restricted', 'closed']))(
    'is paid by the next run, whether it was %s',
    { tags: 'sampled' },
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

  test('is paid by the next run, though the answer to which accounts are to be read is lost', async () => {
    const { payer, account } = await stage('restricted')
    expect((await repeating('set asked_at', () => payer.run())).payouts).toMatchObject([
      { status: 'paid' },
    ])
    expect(payer.sent()).toEqual({ [account]: ['1000 usd'] })
  })

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
    expect(await payDue(world.env(), inHours(50))).toMatchObject({ accounts: 0 })
  })

  test('whose bank refuses money is read too: Stripe pays out again once its owner has mended it', async () => {
    const payer = await world.createPayer()
    const { account = '' } = await payer.addPartner({ slug: 'maya' })
    const read = async () => {
      const [row] = await world.query('select status, pays_bank from payout_accounts')
      return row
    }
    world.stripe().refusePayout(world.stripe().payOut(account ?? '').id)
    await remember(payer, 'onboarding')
    expect(await payDue(world.env())).toMatchObject({ accounts: 1 })
    expect(await read()).toEqual({ status: 'enabled', pays_bank: false })
    world.stripe().changeBank(account ?? '')
    expect(await payDue(world.env(), inHours(25))).toMatchObject({ accounts: 1 })
    expect(await read()).toEqual({ status: 'enabled', pays_bank: true })
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
    // The transfers are read first.
    world.stripe().plan(null, 'cut_before')
    expect(await payer.run()).toMatchObject({
      payouts: [{ status: 'paid', amountCents: 500 }],
      skipped: [{ code: 'account_in_review' }],
    })
    expect(payer.sent()).toEqual({ [leo.account ?? '']: ['500 usd'] })
  })
})

describe('a preview says that accounts could not be read', () => {
  test('when Stripe does not answer about them, and still reads the balance', async () => {
    const { payer } = await stage('in_review')
    await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
    world.stripe().plan('cut_before')
    const expected = { payouts: [{ amountCents: 500 }], skipped: [{ code: 'account_in_review' }] }
    const first = await payer.run({ dryRun: true })
    expect(first).toMatchObject({ ...expected, unread: ['accounts'] })
    expect(first.available).not.toBeNull()
    const second = await payer.run({ dryRun: true })
    expect(second).toMatchObject({ unread: [], skipped: [] })
  })

  test('when the database takes too long to list them: it showed everything as covered', async () => {
    const { payer } = await stage('in_review')
    world.stripe().setBalance('usd', 100, payer.key)
    await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
    const real = fetch
    vi.stubGlobal('fetch', (async (input, init) => {
      if (String(init?.body).includes('of a skip locked'))
        throw new DOMException('Timed out.', 'TimeoutError')
      return real(input, init)
    }) satisfies typeof fetch)
    const preview = await payer.run({ dryRun: true }).finally(() => vi.unstubAllGlobals())
    expect(preview).toMatchObject({ payouts: [], unread: ['accounts'] })
    expect(preview.skipped).toContainEqual(expect.objectContaining({ code: 'insufficient_funds' }))
  })

  test('when there are more of them than a request can read', async () => {
    const payer = await world.createPayer()
    for (let index = 0; index < 20; index++)
      await payer.addPartner({ slug: `p${index}`, owed: [{ amountCents: 100 }] })
    await remember(payer, 'in_review')
    const few = await payer.run({ dryRun: true }, { MAX_FETCHES: '45' })
    expect(few.unread).toEqual(['accounts'])
    expect([few.payouts.length > 10, few.skipped.length > 0]).toEqual([true, true])
    expect((await payer.run({ dryRun: true }, { MAX_FETCHES: '45' })).unread).toEqual([])
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

test.each(
  everyNth(3, [
    { step: 'leave' as const, was: 'onboarding', code: 'not_connected' },
    { step: 'restrict' as const, was: 'enabled', code: 'account_restricted' },
    { step: 'close' as const, was: 'enabled', code: 'not_connected' },
  ]),
)(
  'a partner whose account is $was, and Stripe did $step, is skipped as $code',
  { tags: 'sampled' },
  async ({ step, was, code }) => {
    const { payer, account } = await stage(was)
    const {
      leaveOnboarding: leave,
      restrictAccount: restrict,
      closeAccount: close,
    } = world.stripe()
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

describe('reminders', () => {
  const DAY_MS = 24 * HOUR_MS
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
  const reminders = async ({ workspaceId }: Payer) =>
    world.query<{
      recipient: string
      amount: string
      problem: string
      program: string
      day: number
    }>(
      `select recipient, details->>'amount' as amount, details->>'problem' as problem,
              details->>'programName' as program, round(extract(epoch from created_at - now()) / 86400)::int as day
       from mails where workspace_id = $1 and kind = 'connect_reminder' order by created_at, recipient`,
      [workspaceId],
    )
  /** Lets the cron run at some time of each of these days, some Workers at once. */
  const pass = async (days: number[]) => {
    for (const day of days)
      await Promise.all([payDue(world.env(), inDays(day)), payDue(world.env(), inDays(day))])
  }
  const stageOwed = async (
    status: string | null = null,
    owed = [{ amountCents: 1_000, payableAt: new Date() }],
  ) => {
    const payer = await world.createPayer()
    const maya = await payer.addPartner({ slug: 'maya', owed, connected: status !== null })
    if (status === 'restricted') world.stripe().restrictAccount(maya.account ?? '')
    if (status) await remember(payer, status)
    return { payer, maya }
  }

  test('come 3, 10 and 30 days after money was due, and then every 30 days', () => {
    const now = new Date('2026-11-22T00:00:00Z')
    const days = remindersAt(now).map(
      ({ dueSince }) => (now.getTime() - dueSince.getTime()) / DAY_MS,
    )
    expect(days.slice(0, 6)).toEqual([3, 10, 30, 60, 90, 120])
    expect(
      remindersAt(now)
        .map(({ number }) => number)
        .slice(0, 3),
    ).toEqual([1, 2, 3])
  })

  test.each(
    everyNth(2, [
      { case: 'without an account', status: null, problem: 'not_connected' },
      {
        case: 'whose account Stripe restricted',
        status: 'restricted',
        problem: 'account_restricted',
      },
    ]),
  )('reach a partner $case, each once', { tags: 'sampled' }, async ({ status, problem }) => {
    const { payer, maya } = await stageOwed(status)
    await pass([0, 1, 2, 2.9, 3.1, 3.2, 4, 9, 10.1, 11, 29, 30.1, 31, 59, 60.1, 61, 91])
    const mail = { recipient: maya.email, amount: '10.00 USD', problem, program: 'A program' }
    expect(await reminders(payer)).toEqual([3, 10, 30, 60, 91].map((day) => ({ ...mail, day })))
    expect(await world.violations()).toEqual([])
  })

  test.each(everyNth(2, ['enabled', 'in_review']))(
    'do not reach a partner whose account is %s',
    { tags: 'sampled' },
    async (status) => {
      const { payer } = await stageOwed(status)
      world.stripe().plan(...Array(20).fill({ status: 500 }))
      await pass([4, 11])
      expect(await reminders(payer)).toEqual([])
    },
  )

  test('end when the money was paid, and begin again with the next money', async () => {
    const { payer, maya } = await stageOwed()
    await pass([3.1])
    await payer.run({ method: 'manual' })
    await pass([10.1, 30.1])
    expect(await reminders(payer)).toHaveLength(1)
    await payer.earn(maya.id, { amountCents: 500, payableAt: inDays(40) })
    await pass([41, 43.1])
    expect(await reminders(payer)).toMatchObject([{ day: 3 }, { day: 43, amount: '5.00 USD' }])
  })

  test('count from when the balance became positive, not from a sale that was refunded', async () => {
    const { payer, maya } = await stageOwed(null, [{ amountCents: 700, payableAt: inDays(-50) }])
    await payer.reverse(maya.commissions[0] ?? '')
    await payer.earn(maya.id, { amountCents: 200, payableAt: new Date() })
    await pass([1, 2.9])
    expect(await reminders(payer)).toEqual([])
    await pass([4])
    expect(await reminders(payer)).toMatchObject([{ amount: '2.00 USD', day: 4 }])
  })

  test('are one mail for all programs and currencies of a person in a workspace', async () => {
    const { payer, maya } = await stageOwed()
    const other = await payer.seed.addProgram(payer.workspaceId)
    const twin = await payer.seed.addPartner(payer.workspaceId, other, {
      slug: 'maya',
      email: maya.email,
    })
    await payer.earn(twin, { amountCents: 300, payableAt: inDays(1) })
    await payer.earn(twin, { amountCents: 200, currency: 'EUR', payableAt: inDays(1) })
    await pass([3.1, 4.1, 5.1])
    expect(await reminders(payer)).toMatchObject([{ amount: '2.00 EUR and 13.00 USD', day: 3 }])
  })

  test('are not sent to banned partners, below the minimum, or without a Stripe key', async () => {
    const { payer, maya } = await stageOwed()
    const { workspaceId } = payer
    const banned = await payer.addPartner({
      slug: 'leo',
      owed: [{ amountCents: 900 }],
      connected: false,
      status: 'banned',
    })
    await world.query('update programs set minimum_payout_cents = 1001 where workspace_id = $1', [
      workspaceId,
    ])
    await pass([5])
    await world.query('update programs set minimum_payout_cents = 0 where workspace_id = $1', [
      workspaceId,
    ])
    await world.query('delete from stripe_keys where workspace_id = $1', [workspaceId])
    await pass([6])
    expect(await reminders(payer)).toEqual([])
    await payer.replaceKey(payer.key)
    await pass([7])
    expect(await reminders(payer)).toMatchObject([{ recipient: maya.email, day: 7 }])
    expect(banned.email).not.toBe(maya.email)
  })
})

describe('what Stripe does not transfer', () => {
  test.each(
    everyNth(2, [
      { case: 'a partner who connects from elsewhere', note: true },
      { case: 'an account in another country', note: false },
    ]),
  )('to $case waits with a code, without reminders', { tags: 'sampled' }, async ({ note }) => {
    const payer = await world.createPayer()
    const { workspaceId } = payer
    const maya = await payer.addPartner({
      slug: 'maya',
      owed: [{ amountCents: 1_000 }],
      connected: !note,
    })
    await world.query(
      `update stripe_keys set transfer_countries = '{AT,FR}', countries_read_at = now() where workspace_id = $1`,
      [workspaceId],
    )
    if (note) {
      await world.query(`insert into unreachable_people values ($1, $2, 'KE', now())`, [
        workspaceId,
        maya.email,
      ])
    }
    expect(await payer.run()).toMatchObject({
      payouts: [],
      skipped: [{ code: 'country_not_supported' }],
    })
    await payDue(world.env(), inHours(1))
    expect(await world.query('select from mails where workspace_id = $1', [workspaceId])).toEqual(
      [],
    )
    expect(payer.sent()).toEqual({})
    // By bank, it is nobody's concern.
    expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([{ amountCents: 1_000 }])
  })

  test('is read from Stripe by the cron once a day', async () => {
    const payer = await world.createPayer()
    const countries = async () =>
      (
        await world.query<{ n: number | null }>(
          'select cardinality(transfer_countries) as n from stripe_keys',
        )
      )[0]?.n
    expect(await countries()).toBeNull()
    await payDue(world.env())
    expect(await countries()).toBeGreaterThan(100)
    await payer.replaceKey(`${payer.key}_from_de`)
    await payDue(world.env(), inHours(23))
    expect(await countries()).toBeGreaterThan(100)
    world.stripe().plan('cut_before')
    await payDue(world.env(), inHours(25))
    expect(await countries()).toBeGreaterThan(100)
    await payDue(world.env(), inHours(50))
    expect(await countries()).toBeLessThan(50)
  })

  test('in so small an amount fails once without a mail, to its managers neither, and waits for more', async () => {
    const payer = await world.createPayer()
    const { workspaceId } = payer
    await payer.seed.addMember(workspaceId, 'ann@shop.example', 'manager')
    const maya = await payer.addPartner({
      slug: 'maya',
      owed: [{ amountCents: 40, currency: 'CHF' }],
    })
    world.stripe().setMinimum('chf', 50)
    expect((await payer.run()).payouts).toMatchObject([{ status: 'failed' }])
    for (let run = 0; run < 3; run++) {
      expect(await payer.run()).toMatchObject({
        payouts: [],
        skipped: [{ code: 'amount_too_small' }],
      })
    }
    await payDue(world.env(), inHours(2))
    expect(await world.query('select from mails where workspace_id = $1', [workspaceId])).toEqual(
      [],
    )
    await payer.earn(maya.id, { amountCents: 20, currency: 'CHF' })
    expect((await payer.run()).payouts).toMatchObject([{ status: 'paid', amountCents: 60 }])
    world.stripe().setMinimum('chf', 1)
    expect(await world.violations()).toEqual([])
  })

  test.each(
    everyNth(3, [
      { currency: 'KWD', odd: 5_124, more: 6 },
      { currency: 'TND', odd: 5_005, more: 5 },
      { currency: 'MGA', odd: 5_050, more: 50 },
    ]),
  )(
    'in parts of its units of $currency waits until the balance is whole',
    { tags: 'sampled' },
    async ({ currency, odd, more }) => {
      const payer = await world.createPayer()
      const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: odd, currency }] })
      expect(await payer.run()).toMatchObject({
        payouts: [],
        skipped: [{ code: 'amount_too_fine' }],
      })
      await payer.earn(maya.id, { amountCents: more, currency })
      expect((await payer.run()).payouts).toMatchObject([
        { status: 'paid', amountCents: odd + more },
      ])
    },
  )

  test.each(everyNth(4, ['ISK', 'HUF', 'TWD', 'UGX']))(
    'is none of $0: it is transferred in any of its units',
    { tags: 'sampled' },
    async (currency) => {
      const payer = await world.createPayer()
      await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_045, currency }] })
      expect((await payer.run()).payouts).toMatchObject([{ status: 'paid', amountCents: 1_045 }])
    },
  )
})
