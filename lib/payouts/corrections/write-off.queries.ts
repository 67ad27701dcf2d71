/** Writes off what a partner owes. */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { saveAdjustment } from '../../tracking/ledger/adjustments.queries.ts'
import { isOpen } from '../balances/due.queries.ts'

export type Owed = {
  partnerId: string
  currency: string /** What is owed: positive. */
  amountCents: number
}

/** The reason that the partner sees. */
const REASON = 'Negative balance written off'

/**
 * Writes off a negative balance by an adjustment, if it is still what the manager has seen. The
 * adjustment's id derives from the newest commission of the balance, so only one of concurrent
 * write-offs succeeds.
 *
 * @returns whether this request, or an earlier attempt of it, did so; undefined without the partner
 */
export const writeOff = async (
  db: Db,
  act: Act,
  { partnerId, currency, amountCents }: Owed,
): Promise<boolean | undefined> => {
  const { workspaceId, now } = act
  const open = sql`
    from commissions c where ${isOpen({ workspaceId, programId: null, cutoffAt: now })}
      and c.partner_id = ${partnerId} and c.currency = ${currency}`
  const { rows } = await sql<{ newest: string | null }>`
    select (select c.id ${open} order by c.id desc limit 1) as newest`.execute(db)
  const saved = await saveAdjustment(
    db,
    act,
    {
      externalId: `write-off ${rows[0]?.newest ?? partnerId} ${currency}`,
      partnerId,
      amountCents,
      currency,
      reason: REASON,
      payableAt: null,
      eventId: null,
      commissionId: null,
    },
    {
      lock: lockPayouts(workspaceId),
      onlyIf: sql`(select coalesce(sum(c.amount_cents), 0) ${open}) = ${-amountCents}::bigint`,
    },
  )
  if (saved.outcome === 'missing') return undefined
  return saved.outcome !== 'refused'
}
