// @module-tag sampled
/**
 * Random histories of runs that meet, lost answers, cancels, nights and restores: Stripe never
 * sends anybody more than was ever earned, and in the end the ledger says what Stripe has sent.
 */
import fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import type { StripeFailure } from '../../dev/fakes/stripe/failures.ts'
import { connect } from '../../lib/db/connection.ts'
import { cancelPayout, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'
import { takeSnapshot } from '../support/restore.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const world = usePayouts({ changesSchema: true })
// What is adopted, or found, is logged.
beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue(undefined))

const HISTORIES = timesOver({ quick: 1, thorough: 8, exhaustive: 200 })
const STEPS = 18
const PARTNERS = 3
const FAILURES: (StripeFailure | null)[] = [
  null,
  'cut_after',
  'cut_before',
  { status: 500, kept: 'undone' },
]

const begin = async () => {
  const payer = await world.createPayer()
  const partners = []
  for (let index = 0; index < PARTNERS; index++)
    partners.push(await payer.addPartner({ slug: `partner-${index}` }))
  return {
    payer,
    partners,
    /** All that each account has ever earned, in cents, what was lost by a restore included. */
    earned: new Map<string, number>(),
    /** Whether a restore has lost something that was earned. */
    hasLost: false,
    earnedAtSnapshot: 0,
    restore: null as (() => Promise<void>) | null,
    hours: 0,
  }
}
type History = Awaited<ReturnType<typeof begin>>

const now = ({ hours }: History) => world.hoursLater(hours)
const act = ({ payer }: History) => ({
  workspaceId: payer.workspaceId,
  actor: 'a manager',
  now: new Date(),
})
const db = () => connect(world.env())
const sum = (history: History) =>
  [...history.earned.values()].reduce((total, cents) => total + cents, 0)

/** A run may be refused: Stripe did not answer. */
const run = (history: History) => history.payer.run({}, {}, now(history)).catch(() => null)

const cancelLatest = async (history: History, what: 'run' | 'payout') => {
  const [one] = await world.query<{ id: string }>(
    `select id from ${what === 'run' ? 'payout_runs' : 'payouts'} where workspace_id = $1 order by id desc limit 1`,
    [history.payer.workspaceId],
  )
  if (one) await (what === 'run' ? cancelRun : cancelPayout)(db(), act(history), one.id)
}

const steps: Record<string, (history: History, drawn: number) => Promise<unknown>> = {
  'something is earned': async (history, drawn) => {
    const { id, account } = history.partners[drawn % PARTNERS] ?? { id: '', account: '' }
    await history.payer.earn(id, { amountCents: 100 + drawn })
    history.earned.set(account ?? '', (history.earned.get(account ?? '') ?? 0) + 100 + drawn)
  },
  'payouts are run': run,
  'the cron runs': (history) => payDue(world.env(), now(history)),
  'runs meet, and answers are lost': async (history, drawn) => {
    const failures = Array.from(
      { length: 12 },
      (_, nth) => FAILURES[(drawn + nth * (1 + (drawn % 3))) % 4] ?? null,
    )
    world.stripe().planTransfersOf(history.payer.key, ...failures)
    let other: Promise<unknown> | undefined
    world.stripe().hooks.onCall = async (method, path) => {
      if (method !== 'POST' || path !== '/v1/transfers') return
      const isFirst = !other
      other ??= drawn % 2 ? run(history) : payDue(world.env(), now(history))
      if (isFirst) await other
      if (isFirst && drawn % 5 === 0) await cancelLatest(history, 'run')
    }
    await run(history)
    world.stripe().hooks.onCall = undefined
    world.stripe().planTransfersOf(history.payer.key)
  },
  'a run is canceled': (history) => cancelLatest(history, 'run'),
  'a payout is canceled': (history) => cancelLatest(history, 'payout'),
  'the balance runs short': async (history, drawn) =>
    world.stripe().setBalance('usd', drawn * 5, history.payer.key),
  'there is money again': async (history) =>
    world.stripe().setBalance('usd', 1_000_000, history.payer.key),
  'a night passes': async (history) => {
    history.hours += 25
  },
  'a snapshot is taken': async (history) => {
    history.restore = await takeSnapshot(world.query)
    history.earnedAtSnapshot = sum(history)
  },
  'the database is restored': async (history) => {
    if (!history.restore) return
    if (sum(history) > history.earnedAtSnapshot) history.hasLost = true
    await history.restore()
  },
}

/** What Stripe has sent each account, in cents. */
const sentTo = (history: History, account: string): number =>
  world
    .stripe()
    .transfers(history.payer.key)
    .filter(({ destination }) => destination === account)
    .reduce((total, { amount }) => total + amount, 0)

const expectNoneOverpaid = (history: History) => {
  for (const { account } of history.partners) {
    const earned = history.earned.get(account ?? '') ?? 0
    expect(sentTo(history, account ?? '')).toBeLessThanOrEqual(earned)
  }
}

test(`in ${HISTORIES} random histories with restores, nobody is sent more than was ever earned`, async () => {
  const step = fc.tuple(
    fc.constantFrom(
      ...Object.keys(steps),
      'something is earned',
      'payouts are run',
      'runs meet, and answers are lost',
      'the database is restored',
    ),
    fc.nat(400),
  )
  const holds = fc.asyncProperty(
    fc.array(step, { minLength: 6, maxLength: STEPS, size: 'max' }),
    async (chosen) => {
      await world.empty()
      const history = await begin()
      world.hoursLater(0)
      for (const [name, drawn] of chosen) {
        await steps[name]?.(history, drawn)
        expectNoneOverpaid(history)
        expect(await world.violations()).toEqual([])
      }
      world.stripe().setBalance('usd', 1_000_000, history.payer.key)
      for (let night = 0; night < 3; night++) {
        history.hours += 26
        await payDue(world.env(), now(history))
        await run(history)
      }
      expectNoneOverpaid(history)
      expect(await world.violations()).toEqual([])
      const { ledger, books } = await history.payer.compareBooks()
      expect(ledger).toEqual(books)
      if (history.hasLost) return
      for (const { account } of history.partners)
        expect(sentTo(history, account ?? '')).toBe(history.earned.get(account ?? '') ?? 0)
    },
  )
  await fc.assert(holds, { seed: SEEDS[0], numRuns: HISTORIES, endOnFailure: true })
}, 900_000)
