// @module-tag sampled
/**
 * Whoever runs payouts at once, whatever answers are lost, and whatever is canceled between: each
 * partner is paid once, and what turns out to be sent after it had ended is an alarm.
 */
import { beforeEach, expect, test, vi } from 'vitest'
import type { StripeFailure } from '../../dev/fakes/stripe/failures.ts'
import { connect } from '../../lib/db/connection.ts'
import { readOverview } from '../../lib/overview/overview.queries.ts'
import { cancelPayout, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { periodOf } from '../../lib/values/periods.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { timesOver } from '../support/thorough.ts'

const world = usePayouts()
beforeEach(() => {
  world.hoursLater(0)
  world.stripe().hooks.onCall = undefined
})

const PARTNERS = 8
const LOST = Array.from({ length: 100 }, (): StripeFailure => 'cut_after')

const db = () => connect(world.env())
const actFor = ({ workspaceId }: Payer) => ({ workspaceId, actor: 'a manager', now: new Date() })

/** A merchant with partners, and what is due to each. */
const stage = async () => {
  const payer = await world.createPayer()
  const due: Record<string, string[]> = {}
  for (let index = 0; index < PARTNERS; index++) {
    const owed = [{ amountCents: 100 + index }]
    const { account } = await payer.addPartner({ slug: `partner-${index}`, owed })
    due[account ?? ''] = [`${100 + index} usd`]
  }
  const cancelAll = async () => {
    const runs = await world.query<{ id: string }>(
      'select id from payout_runs where workspace_id = $1 and canceled_at is null',
      [payer.workspaceId],
    )
    for (const { id } of runs) await cancelRun(db(), actFor(payer), id)
  }
  return { payer, due, cancelAll }
}
type Stage = Awaited<ReturnType<typeof stage>>

/** Does something at the first transfer that is asked for from then on, which waits for it. */
const duringFirstTransfer = (work: () => Promise<unknown>) => {
  let working: Promise<unknown> | undefined
  world.stripe().hooks.onCall = async (method, path) => {
    if (method !== 'POST' || path !== '/v1/transfers') return
    const isFirst = !working
    working ??= work()
    if (isFirst) await working
  }
}

/** The runs that begin while the first one waits for Stripe. */
const OTHERS: Record<string, (staged: Stage) => Promise<unknown>> = {
  'another run of a manager': ({ payer }) => payer.run(),
  'two more runs of managers': ({ payer }) => Promise.all([payer.run(), payer.run()]),
  'two more runs, one after the other': async ({ payer }) => {
    await payer.run()
    await payer.run()
  },
  'the cron': () => payDue(world.env()),
  'the cron, when the leases of the first have ended': () =>
    payDue(world.env(), new Date(Date.now() + 180_000)),
  'a manager and the cron': ({ payer }) => Promise.all([payer.run(), payDue(world.env())]),
}

/** When the runs are canceled. */
const CANCELS = ['between', 'after', 'between and after', 'the next day', 'never'] as const

const all = Object.keys(OTHERS).flatMap((others) =>
  CANCELS.map((canceled) => ({ others, canceled })),
)
/** In `npm test` three of them, each with others and with another time of a cancel. */
const cases = all.filter((_, at) =>
  timesOver({ quick: at % 12 === 0, thorough: true, exhaustive: true }),
)

test.each(cases)(
  'a run meets $others, all answers are lost, and a cancel comes $canceled: each is paid once',
  async ({ others, canceled }) => {
    const staged = await stage()
    const { payer, due, cancelAll } = staged
    world.stripe().planTransfersOf(payer.key, ...LOST)
    duringFirstTransfer(async () => {
      await OTHERS[others]?.(staged)
      if (canceled.startsWith('between')) await cancelAll()
    })
    await payer.run()
    world.stripe().hooks.onCall = undefined
    world.stripe().planTransfersOf(payer.key)
    if (canceled.endsWith('after')) await cancelAll()

    await payer.run()
    expect(await world.violations()).toEqual([])
    await payDue(world.env(), world.hoursLater(1))
    if (canceled === 'the next day') await cancelAll()
    // Stripe has forgotten all keys.
    await payDue(world.env(), world.hoursLater(25))
    await payer.run({}, {}, world.hoursLater(26))
    await payer.run({}, {}, world.hoursLater(52))

    expect(payer.sent()).toEqual(due)
    const { ledger, books } = await payer.compareBooks()
    expect(ledger).toEqual(books)
    expect(await world.violations()).toEqual([])
  },
)

/** Ends a payout as nothing does: its key was used, and is taken for unused. */
const endAtOnce = async (payer: Payer, payoutId: string) => {
  await world.query('update payouts set key_used_at = null where id = $1', [payoutId])
  await cancelPayout(db(), actFor(payer), payoutId)
}

const idsOf = async ({ workspaceId }: Payer): Promise<string[]> =>
  (
    await world.query<{ id: string }>('select id from payouts where workspace_id = $1', [
      workspaceId,
    ])
  ).map(({ id }) => id)

/** What was made known about transfers that should not exist. */
const alarmsOf = async ({ workspaceId }: Payer) => {
  const count = async (text: string) => (await world.query(text, [workspaceId])).length
  const now = new Date()
  const { foundTransfers } = await readOverview(db(), workspaceId, periodOf(30, now), now)
  return {
    audit: await count(
      `select from audit_entries where workspace_id = $1 and action = 'payout.found_sent'`,
    ),
    mails: await count(
      `select from mails where workspace_id = $1 and kind = 'payout_problem' and details -> 'sums' @> '[{"code": "found_sent"}]'`,
    ),
    attention: foundTransfers,
  }
}

test('a transfer that is made although its payout had ended is an alarm to managers and the operator', async () => {
  const payer = await world.createPayer()
  await payer.seed.addMember(payer.workspaceId, 'a manager', 'manager')
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const logged: string[] = []
  const spies = (['log', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => void logged.push(String(line))),
  )
  duringFirstTransfer(async () => {
    for (const id of await idsOf(payer)) await endAtOnce(payer, id)
  })
  await payer.run()
  await payDue(world.env(), world.hoursLater(2))
  for (const spy of spies) spy.mockRestore()

  const [transfer] = world.stripe().transfers(payer.key)
  expect(logged.filter((line) => line.includes('sent after it had ended'))).toMatchObject([
    expect.stringContaining(transfer?.id ?? 'none'),
  ])
  expect(
    await world.query('select status, found_transfer_id from payouts where workspace_id = $1', [
      payer.workspaceId,
    ]),
  ).toEqual([{ status: 'canceled', found_transfer_id: transfer?.id }])
  expect(await alarmsOf(payer)).toEqual({ audit: 1, mails: 1, attention: 1 })
  expect(await world.violations()).toEqual([])
})
