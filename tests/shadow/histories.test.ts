// @module-tag sampled
/**
 * Whatever happens in whatever order, what was earned in shadow mode is never paid, and all else
 * is.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { savePlatformCommissions } from '../../lib/imports/commissions/platform-commissions.queries.ts'
import type { PlatformCommission } from '../../lib/imports/commissions/platform-commissions.ts'
import { makeCutOver } from '../../lib/shadow/cut-over/cut-over.service.ts'
import { startShadowRun } from '../../lib/shadow/mode.queries.ts'
import { holdCommission } from '../../lib/tracking/holds/place-hold.queries.ts'
import { resolveHold } from '../../lib/tracking/holds/resolve-hold.queries.ts'
import { saveAdjustment } from '../../lib/tracking/ledger/adjustments.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const world = usePayouts()

const HISTORIES = timesOver({ quick: 1, thorough: 6, exhaustive: 60 })

type Step =
  | { do: 'earn'; cents: number }
  | { do: 'refund' | 'hold' | 'release'; which: number }
  | { do: 'start' | 'cutOver' | 'run' | 'cron' | 'runAndStart' | 'runAndCutOver' | 'earnAndStart' }
  | { do: 'upload'; cents: number; currency: string }
  | { do: 'adjust'; cents: number }

const cents = fc.integer({ min: 100, max: 9_000 })
const which = fc.nat(50)
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ do: fc.constant('earn' as const), cents }),
  fc.record({ do: fc.constant('earn' as const), cents }),
  fc.record({ do: fc.constantFrom('refund' as const, 'hold' as const, 'release' as const), which }),
  fc.record({
    do: fc.constantFrom(
      'start',
      'cutOver',
      'run',
      'cron',
      'runAndStart',
      'runAndCutOver',
      'earnAndStart',
    ),
  }) as fc.Arbitrary<Step>,
  fc.record({ do: fc.constant('upload' as const), cents, currency: fc.constantFrom('USD', 'EUR') }),
  fc.record({ do: fc.constant('adjust' as const), cents }),
)

/** Refusals are fine; anything else is not. */
const allowed = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

const begin = async () => {
  const payer = await world.createPayer()
  for (const currency of ['USD', 'EUR'])
    world.stripe().setBalance(currency, 1_000_000_000, payer.key)
  const maya = await payer.addPartner({ slug: 'maya' })
  const { workspaceId, programId } = payer
  const db = () => connect(world.env())
  const act = () => ({ workspaceId, actor: 'a manager', now: new Date() })
  const start = () => startShadowRun(db(), act(), programId)
  const cutOver = () =>
    allowed(makeCutOver(db(), act(), { programId, leaveOut: [], expected: null }))
  const run = () => payer.run()
  const earn = (amountCents: number) => payer.earn(maya.id, { amountCents })
  const pick = async (n: number): Promise<string | undefined> => {
    const rows = await world.query<{ id: string }>(
      `select id from commissions where workspace_id = $1 and kind = 'lead' order by id`,
      [workspaceId],
    )
    return rows[n % Math.max(rows.length, 1)]?.id
  }
  const take = async (one: Step): Promise<unknown> => {
    switch (one.do) {
      case 'earn':
        return earn(one.cents)
      case 'refund': {
        const id = await pick(one.which)
        const [left] = id
          ? await world.query<{ cents: number }>(
              `select sum(amount_cents)::int as cents from commissions where id = $1 or reverses_id = $1`,
              [id],
            )
          : []
        return id && left && left.cents > 0 ? payer.reverse(id, left.cents) : undefined
      }
      case 'hold':
      case 'release': {
        const id = await pick(one.which)
        if (!id) return
        return one.do === 'hold'
          ? holdCommission(db(), act(), id, 'Is it ours?')
          : resolveHold(db(), act(), id, 'released')
      }
      case 'start':
        return start()
      case 'cutOver':
        return cutOver()
      case 'run':
        return run()
      case 'cron':
        return payDue(world.env())
      case 'runAndStart':
        return Promise.all([run(), start(), start()])
      case 'runAndCutOver':
        return Promise.all([cutOver(), run(), cutOver()])
      case 'earnAndStart':
        return Promise.all([earn(700), start(), earn(800)])
      case 'upload': {
        const commissions: PlatformCommission[] = [
          {
            key: newId(),
            state: 'due',
            amountCents: one.cents,
            currency: one.currency,
            saleAmountCents: null,
            saleIds: [],
            customerExternalId: null,
            customerEmail: null,
            partnerEmail: maya.email,
            soldAt: new Date(),
          },
        ]
        return savePlatformCommissions(db(), act(), programId, commissions, true)
      }
      case 'adjust': {
        const about = {
          payableAt: null,
          eventId: null,
          commissionId: null,
          reason: 'Bonus',
          currency: 'USD',
        }
        const bonus = { externalId: newId(), partnerId: maya.id, amountCents: one.cents, ...about }
        return allowed(saveAdjustment(db(), act(), bonus))
      }
    }
  }
  const isShadow = async () => {
    const [program] = await world.query<{ mode: string }>(
      'select mode from programs where id = $1',
      [programId],
    )
    return program?.mode === 'shadow'
  }
  const sums = async () => {
    const [row] = await world.query<{ paid: number; never: number; payouts: number }>(
      `select coalesce(sum(amount_cents) filter (where payout_id is not null), 0)::int as paid,
              count(*) filter (where payout_id is not null and payable_at = never())::int as never,
              (select count(*) from payouts where workspace_id = $1)::int as payouts
       from commissions where workspace_id = $1`,
      [workspaceId],
    )
    return row
  }
  return { payer, maya, take, isShadow, sums, cutOver, run }
}

test(`in ${HISTORIES} random histories nothing of shadow mode is paid, and all else is in the end`, async () => {
  const holds = fc.asyncProperty(
    fc.array(step, { minLength: 6, maxLength: 14, size: 'max' }),
    async (steps) => {
      const history = await begin()
      for (const one of steps) {
        const before = { isShadow: await history.isShadow(), ...(await history.sums()) }
        await history.take(one)
        const after = { isShadow: await history.isShadow(), ...(await history.sums()) }
        expect(after.never).toBe(0)
        if (before.isShadow && after.isShadow) expect(after.payouts).toBe(before.payouts)
        expect(await world.violations()).toEqual([])
      }
      if (await history.isShadow()) await history.cutOver()
      await world.query(
        `update commission_holds set resolved_at = now(), resolution = 'released', resolved_by = 'm' where workspace_id = $1 and resolved_at is null`,
        [history.payer.workspaceId],
      )
      await history.run()
      await history.run()
      const owed = await world.query(
        `select currency, sum(amount_cents)::int as cents from commissions
       where workspace_id = $1 and payout_id is null and payable_at < never() group by currency having sum(amount_cents) > 50`,
        [history.payer.workspaceId],
      )
      expect(owed).toEqual([])
      const [ledger] = await world.query<{ cents: number }>(
        `select coalesce(sum(amount_cents), 0)::int as cents from payouts where workspace_id = $1 and paid_at is not null`,
        [history.payer.workspaceId],
      )
      const sent = Object.values(history.payer.sent()).flat()
      expect(sent.reduce((sum, text) => sum + Number.parseInt(text, 10), 0)).toBe(ledger?.cents)
      expect(await world.violations()).toEqual([])
    },
  )
  await fc.assert(holds, { seed: SEEDS[0], numRuns: HISTORIES, endOnFailure: true })
}, 600_000)
