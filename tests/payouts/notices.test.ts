/** Mails to managers about payout runs: before and after scheduled ones, and about failures. */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { decideRun } from '../../lib/payouts/runs/approvals.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { addApprover } from '../support/approvers.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()

/**
 * A time on a day, in the morning. A run that waits for approval pays what was recorded before: its
 * days are in 2036.
 */
const on = (day: string) => new Date(`${day}T06:00:00Z`)

type Details = {
  programName: string
  day: string | null
  url: string
  messages: string[]
  sums: { code: string; payouts: number; amount: string }[]
}
type Mail = {
  kind: 'payout_approval' | 'payout_report' | 'payout_preview' | 'payout_problem'
  recipient: string
  details: Details
}

/**
 * A merchant who pays on the first of each month, with two managers, one of whom wants no mails,
 * and a member.
 */
const stage = async (schedule: 'manual' | 'monthly' = 'monthly') => {
  await world.empty()
  const payer = await world.createPayer({
    payout_schedule: schedule,
    payout_schedule_since: on('2026-10-10'),
  })
  const { workspaceId, seed } = payer
  await seed.addMember(workspaceId, 'ann@shop.example', 'manager')
  await seed.addMember(workspaceId, 'quiet@shop.example', 'manager')
  await seed.addMember(workspaceId, 'bob@shop.example', 'member')
  await world.query(`update members set payout_mails = false where email = 'quiet@shop.example'`)
  const mails = () =>
    world.query<Mail>(
      `select kind, recipient, details from mails
       where workspace_id = $1 and (kind like 'payout_r%' or kind in ('payout_approval', 'payout_preview', 'payout_problem')) order by id`,
      [workspaceId],
    )
  return {
    payer,
    mails,
    /** The mails as "kind to recipient: totals". */
    mailed: async () =>
      (await mails()).map(
        ({ kind, recipient, details }) =>
          `${kind} to ${recipient}: ${details.sums.map(({ code, payouts, amount }) => `${payouts} ${code}, ${amount}`).join('; ')}`,
      ),
  }
}

test('after a scheduled run, managers read what was sent, what failed and what the balance lacks, once', async () => {
  const { payer, mails, mailed } = await stage()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 2_000 }] })
  await payer.addPartner({ slug: 'kim', owed: [{ amountCents: 3_000, currency: 'EUR' }] })
  await payer.addPartner({ slug: 'zoe', owed: [{ amountCents: 700 }], connected: false })
  world.stripe().closeAccount(leo.account ?? '')
  await world.query(`update payout_accounts set status = 'enabled', checked_at = now()`)
  world.stripe().setBalance('EUR', 100, payer.key)
  for (const _ of ['once', 'twice']) await payDue(world.env(), on('2026-11-01'))
  expect(await mailed()).toEqual([
    'payout_report to ann@shop.example: 1 failed, 20.00 USD; 1 paid, 10.00 USD; 1 insufficient_funds, 30.00 EUR; 1 not_connected, 7.00 USD',
  ])
  const [mail] = await mails()
  const [run] = await world.query<{ id: string }>(
    'select id from payout_runs where workspace_id = $1',
    [payer.workspaceId],
  )
  expect(mail?.details).toMatchObject({
    day: '2026-11-01',
    url: `https://tributary.example/app/${payer.slug}/payouts/runs/${run?.id}`,
    messages: [expect.any(String)],
  })
  if (!mail) return
  const { subject, text } = outboxContent(mail)
  expect(subject).toBe('Payouts of A program: 10.00 USD paid')
  expect(text).toContain(
    'Failed: 1 payout, 20.00 USD. Their commissions are payable again with the next run.',
  )
  expect(text).toContain('Not covered by your Stripe balance: 1 payout, 30.00 EUR. Top up')
  expect(text).toContain('Without a Stripe account: 1 payout, 7.00 USD.')
})

test('a run that pays nobody is not reported, and one whose payouts all failed is', async () => {
  const { payer, mailed } = await stage()
  await payDue(world.env(), on('2026-11-01'))
  expect(await mailed()).toEqual([])
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 2_000 }] })
  world.stripe().closeAccount(leo.account ?? '')
  await world.query(`update payout_accounts set status = 'enabled', checked_at = now()`)
  await payDue(world.env(), on('2026-12-01'))
  expect(await mailed()).toEqual(['payout_report to ann@shop.example: 1 failed, 20.00 USD'])
})

test('three days before a scheduled run, managers get its preview, once, with what will be payable by then', async () => {
  const { payer, mails, mailed } = await stage()
  await world.query(`update programs set payout_schedule_since = '2026-11-10'`)
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.earn(maya.id, { amountCents: 500, payableAt: on('2026-11-30') })
  await payer.earn(maya.id, { amountCents: 90, payableAt: on('2026-12-02') })
  await payDue(world.env(), new Date('2026-11-27T23:59:00Z'))
  expect(await mailed()).toEqual([])
  for (const day of ['2026-11-28', '2026-11-28', '2026-11-29']) await payDue(world.env(), on(day))
  expect(await mailed()).toEqual(['payout_preview to ann@shop.example: 1 payable, 15.00 USD'])
  const [mail] = await mails()
  expect(mail && outboxContent(mail).subject).toBe('Payouts of A program: 15.00 USD on 2026-12-01')
  await payDue(world.env(), on('2026-12-01'))
  expect(await mailed()).toEqual([
    'payout_preview to ann@shop.example: 1 payable, 15.00 USD',
    'payout_report to ann@shop.example: 1 paid, 15.00 USD',
  ])
})

test('no preview without a key, nor of a run that would pay nobody', async () => {
  const { payer, mailed } = await stage()
  await payDue(world.env(), on('2026-11-29'))
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await world.query('delete from stripe_keys')
  await payDue(world.env(), on('2026-12-30'))
  expect(await mailed()).toEqual([])
})

test('failures of a run are one mail per reason, not one per payout, whoever started it', async () => {
  const { payer, mailed } = await stage('manual')
  world.hoursLater(0)
  for (const slug of ['maya', 'leo']) {
    const { account } = await payer.addPartner({ slug, owed: [{ amountCents: 1_000 }] })
    world.stripe().closeAccount(account ?? '')
  }
  await world.query(`update payout_accounts set status = 'enabled', checked_at = now()`)
  const kim = await payer.addPartner({
    slug: 'kim',
    owed: [{ amountCents: 1_000, currency: 'EUR' }],
  })
  world.changeFundsAtTransfer(payer.key, 'EUR', 0)
  await payer.run()
  for (const hours of [0, 2, 4]) await payDue(world.env(), world.hoursLater(hours))
  const first = 'payout_problem to ann@shop.example: 2 failed, 20.00 USD; 1 processing, 10.00 EUR'
  expect(await mailed()).toEqual([first])

  await payer.addPartner({ slug: 'zoe', owed: [{ amountCents: 500 }] })
  const second = await payer.run({}, {}, world.hoursLater(5))
  expect(second.payouts).toMatchObject([{ amountCents: 500, status: 'paid' }])
  world.stripe().setBalance('EUR', 1_000_000, payer.key)
  world.stripe().closeAccount(kim.account ?? '')
  for (const hours of [6, 8]) await payDue(world.env(), world.hoursLater(hours))
  expect(await mailed()).toEqual([first])
})

test('a problem of another kind that comes later is another mail', async () => {
  const { payer, mailed } = await stage('manual')
  world.hoursLater(0)
  const kim = await payer.addPartner({
    slug: 'kim',
    owed: [{ amountCents: 1_000, currency: 'EUR' }],
  })
  world.changeFundsAtTransfer(payer.key, 'EUR', 0)
  await payer.run()
  for (const hours of [0, 2]) await payDue(world.env(), world.hoursLater(hours))
  world.stripe().setBalance('EUR', 1_000_000, payer.key)
  world.stripe().closeAccount(kim.account ?? '')
  for (const hours of [4, 6]) await payDue(world.env(), world.hoursLater(hours))
  expect(await mailed()).toEqual([
    'payout_problem to ann@shop.example: 1 processing, 10.00 EUR',
    'payout_problem to ann@shop.example: 1 failed, 10.00 EUR',
  ])
})

test('a scheduled run with a review period is fixed and mailed at once, and sent after it', async () => {
  const { payer, mailed, mails } = await stage()
  await world.query('update programs set review_days = 3')
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payDue(world.env(), on('2026-11-01'))
  await payer.earn(maya.id, { amountCents: 500 })
  await payDue(world.env(), on('2026-11-03'))
  expect(payer.sent()).toEqual({})
  expect(await mailed()).toEqual(['payout_review to ann@shop.example: 1 payable, 10.00 USD'])
  const [mail] = await mails()
  expect(mail && outboxContent(mail).text).toContain(
    'It is sent on 2026-11-04 unless a manager stops it.',
  )

  // A run of a manager meanwhile pays what is new, and sends nothing that is in review.
  await payer.run({}, {}, on('2026-11-03'))
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['500 usd'] })

  await payDue(world.env(), on('2026-11-04'))
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd', '500 usd'] })
  expect((await mailed()).at(-1)).toBe('payout_report to ann@shop.example: 1 paid, 10.00 USD')
  expect(await world.violations()).toEqual([])
})

/** Requires approval for every run, and gives the workspace two managers who may. */
const requireApproval = async ({ workspaceId }: Awaited<ReturnType<typeof stage>>['payer']) => {
  for (const name of ['cleo', 'ann'])
    await addApprover(world.query, workspaceId, `${name}@shop.example`)
  await world.query('update workspaces set approval_above_cents = 0')
}
const requests = () =>
  world.query(
    `select actor, details from audit_entries where action = 'payout_run.approval_requested'`,
  )
const approve = async ({ workspaceId }: { workspaceId: string }, now: Date) => {
  const [run] = await world.query<{ id: string }>('select id from payout_runs')
  // The first of two, where a schedule began it.
  for (const actor of ['ann@shop.example', 'cleo@shop.example'])
    await decideRun(connect(world.env()), { workspaceId, actor, now }, run?.id ?? '', {
      wanted: 'approve',
      url: 'https://tributary.example/app/shop',
    })
}

test('a run that waits for a second manager is mailed once to all who may approve, and is in the audit log', async () => {
  const { payer, mailed, mails } = await stage('manual')
  await requireApproval(payer)
  await addApprover(world.query, payer.workspaceId, 'fay@shop.example', 'finance')
  await addApprover(world.query, payer.workspaceId, 'sue@shop.example', 'support')
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.addPartner({ slug: 'kim', owed: [{ amountCents: 3_000, currency: 'EUR' }] })
  await payer.run({ actor: 'ann@shop.example' })
  for (const _ of ['once', 'twice']) await payDue(world.env())
  expect((await mailed()).sort()).toEqual(
    ['ann', 'cleo', 'fay', 'quiet'].map(
      (name) => `payout_approval to ${name}@shop.example: 2 payable, 30.00 EUR and 10.00 USD`,
    ),
  )
  expect(await requests()).toEqual([
    {
      actor: 'ann@shop.example',
      details: {
        expected: { EUR: { amountCents: 3_000, count: 1 }, USD: { amountCents: 1_000, count: 1 } },
      },
    },
  ])
  const [mail] = await mails()
  if (!mail) return
  const { subject, text } = outboxContent(mail)
  expect(subject).toMatch(/: 30\.00 EUR and 10\.00 USD to approve$/)
  expect(text).toContain(
    'A payout run is above the sum that one person may pay, and waits for approval. Until then, nothing is paid.',
  )
})

test('a run that was approved before its mail was due is not mailed for approval', async () => {
  const { payer, mailed } = await stage('manual')
  await requireApproval(payer)
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.run({ actor: 'ann@shop.example' })
  await approve(payer, new Date())
  for (const _ of ['once', 'twice']) await payDue(world.env())
  expect(await mailed()).toEqual([])
  expect(Object.values(payer.sent())).toEqual([['1000 usd']])
})

test.each([
  {
    case: 'approved during its review, a scheduled run is sent at its end',
    day: '2036-11-03',
    reviewed: true,
  },
  {
    case: 'approved after its review has ended, a scheduled run is sent upon approval',
    day: '2036-11-06',
  },
])('$case', async ({ day, reviewed = false }) => {
  const { payer, mailed, mails } = await stage()
  await requireApproval(payer)
  await world.query('update programs set review_days = 3')
  const { account } = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payDue(world.env(), on('2036-11-01'))
  await payDue(world.env(), on('2036-11-02'))
  const asked = ['ann', 'cleo', 'quiet'].map(
    (name) => `payout_approval to ${name}@shop.example: 1 payable, 10.00 USD`,
  )
  expect((await mailed()).sort()).toEqual(asked)
  const [mail] = await mails()
  expect(mail && outboxContent(mail).text).toContain(
    'It is sent on 2036-11-04, or when it is approved, if that is later.',
  )
  expect(await requests()).toMatchObject([{ actor: 'Schedule' }])
  if (!reviewed) await payDue(world.env(), on('2036-11-05'))
  expect(payer.sent()).toEqual({})

  await world.query('delete from mails')
  await approve(payer, on(day))
  await payDue(world.env(), on(day))
  expect(payer.sent()).toEqual(reviewed ? {} : { [account ?? '']: ['1000 usd'] })
  const toBoth = (kind: string, code: string) =>
    ['ann', 'cleo'].map((name) => `${kind} to ${name}@shop.example: 1 ${code}, 10.00 USD`)
  if (reviewed) {
    expect((await mailed()).sort()).toEqual(toBoth('payout_review', 'payable'))
    await world.query('delete from mails')
    await payDue(world.env(), on('2036-11-04'))
    expect(payer.sent()).toEqual({ [account ?? '']: ['1000 usd'] })
  }
  expect((await mailed()).sort()).toEqual(toBoth('payout_report', 'paid'))
  expect(await world.violations()).toEqual([])
})
