/**
 * Another program of the merchant in a random history, which another platform pays for a while:
 * while it runs in shadow mode, nothing that it decides becomes payable or is paid, and the
 * cut-over takes over what that platform left unpaid.
 */
import { expect } from 'vitest'
import { connect } from '../../../lib/db/connection.ts'
import { newId } from '../../../lib/db/ids.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import type { PlatformState } from '../../../lib/imports/commissions/platform-commissions.ts'
import { compareRun } from '../../../lib/shadow/comparison/comparison.service.ts'
import { makeCutOver } from '../../../lib/shadow/cut-over/cut-over.service.ts'
import { startShadowRun } from '../../../lib/shadow/mode.queries.ts'
import { uploadCommissions } from '../../../lib/shadow/upload.service.ts'
import type { Payer, usePayouts } from '../../support/payouts.ts'

/** A commission of the other platform. Ids are few, so that later ones change earlier ones. */
export type OldCommission = {
  id: number
  slug: string
  amountCents: number
  currency: string
  state: PlatformState
}

/** What of the program could be paid, or was. */
type Snapshot = { mode: string; payable: number; never: number; payouts: number; balances: number }

/** Refusals are fine; anything else is not. */
const allowed = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })

/** Adds the program, with partners of the same addresses as those who are there already. */
export const addOtherProgram = async (
  world: ReturnType<typeof usePayouts>,
  { workspaceId, slug: workspace, seed }: Payer,
  slugs: readonly string[],
) => {
  const id = await seed.addProgram(workspaceId, { holding_days: 0, minimum_payout_cents: 50 })
  const partners = new Map<string, { id: string; email: string }>()
  for (const slug of slugs) {
    const email = `${slug}@${workspace}.example`
    partners.set(slug, { id: await seed.addPartner(workspaceId, id, { slug, email }), email })
  }
  const partner = (slug: string) => {
    const found = partners.get(slug)
    if (!found) throw new Error(`There is no ${slug}.`)
    return found
  }
  const db = () => connect(world.env())
  const act = () => ({ workspaceId, actor: 'a manager', now: new Date() })
  const old = new Map<number, OldCommission>()

  const snapshot = async (): Promise<Snapshot> => {
    const [row] = await world.query<Snapshot>(
      `select g.mode, count(c.id) filter (where c.payable_at < never() and c.reverses_id is null)::int as payable,
              count(c.id) filter (where c.payable_at = never() and c.payout_id is not null)::int as never,
              count(c.id) filter (where c.kind in ('opening_balance', 'adjustment'))::int as balances,
              (select count(*) from payouts where program_id = g.id)::int as payouts
       from programs g left join commissions c on c.program_id = g.id where g.id = $1 group by g.id`,
      [id],
    )
    if (!row) throw new Error('The program is gone.')
    return row
  }

  /**
   * What the cut-over has taken over, and what the other platform left unpaid, by partner and
   * currency.
   */
  const takenOver = async () => {
    const rows = await world.query<{ email: string; currency: string; cents: number }>(
      `select p.email, c.currency, sum(c.amount_cents)::int as cents
       from commissions c join partners p on p.id = c.partner_id left join adjustments a on a.commission_id = c.id
       where c.program_id = $1 and (c.kind = 'opening_balance' or a.external_id like 'cut-over %') group by 1, 2`,
      [id],
    )
    return Object.fromEntries(
      rows.map(({ email, currency, cents }) => [`${email} ${currency}`, cents]),
    )
  }
  const leftUnpaid = () => {
    const sums: Record<string, number> = {}
    for (const { slug, currency, amountCents, state } of old.values()) {
      if (state !== 'due' && state !== 'pending') continue
      const name = `${partner(slug).email} ${currency}`
      sums[name] = (sums[name] ?? 0) + amountCents
    }
    return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0))
  }

  return {
    id,
    partner,
    /** Starts a shadow run, unless the program owes something, or was cut over. */
    start: () => startShadowRun(db(), act(), id),
    isShadow: async () => (await snapshot()).mode === 'shadow',
    snapshot,
    /** Reads commissions of the other platform. None is saved once the program is live. */
    read: async (commissions: OldCommission[]) => {
      const rows = commissions.map(({ id: n, slug, ...row }) => ({
        row: {
          ...{
            ...row,
            id: `cm_${n}`,
            saleAmountCents: null,
            saleIds: [],
            customerExternalId: null,
          },
          ...{
            customerEmail: null,
            partnerEmail: partner(slug).email,
            soldAt: new Date('2026-01-31T00:00:00Z'),
          },
        },
      }))
      const { isInShadow } = await uploadCommissions(db(), act(), id, rows)
      if (isInShadow) for (const commission of commissions) old.set(commission.id, commission)
    },
    compare: () =>
      compareRun(db(), { workspaceId, programId: id, now: new Date() }, newId(), () => true),
    cutOver: () =>
      allowed(makeCutOver(db(), act(), { programId: id, leaveOut: [], expected: null })),
    /** What holds after each step. */
    check: async (before: Snapshot) => {
      const after = await snapshot()
      expect(after.never).toBe(0)
      if (before.mode === 'shadow' && after.mode === 'shadow') expect(after).toEqual(before)
      if (after.mode === 'live') expect(await takenOver()).toEqual(leftUnpaid())
    },
  }
}
