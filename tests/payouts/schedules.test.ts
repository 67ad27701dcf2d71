import { expect, test } from 'vitest'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const day = (text: string) => new Date(`${text}T06:00:00Z`)

/**
 * A merchant whose program pays by a schedule that was set on some day, and has a partner who is
 * owed something.
 */
const stage = async (
  payout_schedule: 'weekly' | 'monthly' | 'twice_monthly',
  since: string,
  payout_days: number[] | null = null,
) => {
  const payer = await world.createPayer({
    payout_schedule,
    payout_days,
    payout_schedule_since: day(since),
  })
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const runs = async () =>
    (
      await world.query<{ scheduled_for: Date; program_id: string }>(
        'select scheduled_for, program_id from payout_runs where workspace_id = $1 order by id',
        [payer.workspaceId],
      )
    ).map(({ scheduled_for }) => scheduled_for.toISOString().slice(0, 10))
  return { payer, maya, runs }
}

test('a program pays once per occurrence, however often the cron runs', async () => {
  const { payer, maya, runs } = await stage('monthly', '2026-10-10')
  await payDue(world.env(), day('2026-10-31'))
  expect(await runs()).toEqual([])

  await Promise.all(Array.from({ length: 8 }, () => payDue(world.env(), day('2026-11-01'))))
  await payDue(world.env(), day('2026-11-02'))
  expect(await runs()).toEqual(['2026-11-01'])
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })

  await payer.earn(maya.id, { amountCents: 300 })
  await payDue(world.env(), day('2026-11-30'))
  expect(await runs()).toEqual(['2026-11-01'])
  await payDue(world.env(), day('2026-12-01'))
  expect(await runs()).toEqual(['2026-11-01', '2026-12-01'])
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd', '300 usd'] })
})

test('a new schedule creates no runs for past occurrences', async () => {
  const { payer, runs } = await stage('monthly', '2026-11-05')
  await payDue(world.env(), day('2026-11-06'))
  expect(await runs()).toEqual([])
  expect(payer.sent()).toEqual({})
})

test('after an outage only the latest occurrence runs', async () => {
  const { runs } = await stage('weekly', '2026-01-01')
  await payDue(world.env(), day('2026-11-21'))
  expect(await runs()).toEqual(['2026-11-16'])
})

test('a program pays on the days that were chosen, each of which may be the last one of a month', async () => {
  const monthEnd = await stage('twice_monthly', '2027-02-02', [15, 31])
  const friday = await stage('weekly', '2027-02-02', [5])
  for (const date of [
    '02-04',
    '02-05',
    '02-14',
    '02-15',
    '02-27',
    '02-28',
    '03-01',
    '03-30',
    '03-31',
  ]) {
    await payDue(world.env(), day(`2027-${date}`))
  }
  expect(await monthEnd.runs()).toEqual(['2027-02-15', '2027-02-28', '2027-03-15', '2027-03-31'])
  expect(await friday.runs()).toEqual(['2027-02-05', '2027-02-12', '2027-02-26', '2027-03-26'])
})

test('a scheduled run does not pay the other programs of the workspace', async () => {
  const { payer, maya } = await stage('monthly', '2026-10-10')
  const other = await payer.seed.addProgram(payer.workspaceId)
  const twin = await payer.seed.addPartner(payer.workspaceId, other, {
    slug: 'maya',
    email: maya.email,
  })
  await payer.earn(twin, { amountCents: 300 })
  await payDue(world.env(), day('2026-11-01'))
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
})

test('without a Stripe key, a schedule waits, and asks no partner to connect', async () => {
  const { payer, runs } = await stage('monthly', '2026-10-10')
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }], connected: false })
  await world.query('delete from stripe_keys where workspace_id = $1', [payer.workspaceId])
  await payDue(world.env(), day('2026-11-01'))
  expect(await runs()).toEqual([])
  expect(
    await world.query('select from mails where workspace_id = $1', [payer.workspaceId]),
  ).toEqual([])
})

test('an interrupted run is continued by the next cron, whoever started it', async () => {
  const { payer, maya } = await stage('monthly', '2026-10-10')
  // As much as begins a run, and no more.
  await payDue({ ...world.env(), MAX_FETCHES: '2' }, day('2026-11-01'))
  expect(payer.sent()).toEqual({})
  await payDue(world.env(), day('2026-11-01'))
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
})

test('due payouts are sent from every workspace in turn', async () => {
  await world.query(`update programs set payout_schedule = 'manual', payout_days = null`)
  const many = await stage('monthly', '2026-12-10')
  for (let index = 0; index < 8; index++) {
    await many.payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  const few = await stage('monthly', '2026-12-10')
  // As much as claims for both, and sends some of the payouts.
  await payDue({ ...world.env(), MAX_FETCHES: '36' }, day('2027-01-01'))
  expect(Object.keys(few.payer.sent())).toHaveLength(1)
  expect(Object.keys(many.payer.sent()).length).toBeLessThan(9)
})
