/** Holds a commission for a manager: see holds.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { holdRefusalOf } from '../../rules/steps/holds.ts'
import { type CommissionRow, selectCommissions } from '../ledger/commissions.queries.ts'

/**
 * Holds a commission, in one transaction. Idempotent.
 *
 * Payout runs, holds and changes of the sale wait for each other, so that a commission is either
 * held or paid, and its hold follows to whatever replaces it.
 *
 * @param id   a UUID
 * @param note the manager's reason, which the partner sees
 * @returns the commission, and why it could not be held, or null; undefined if the workspace has no
 *   such commission
 */
export const holdCommission = async (
  db: Db,
  act: Act,
  id: string,
  note: string,
): Promise<{ commission: CommissionRow; refusal: string | null } | undefined> => {
  const { workspaceId, actor, now } = act
  const commission = selectCommissions(db, workspaceId).where('c.id', '=', id)
  const before = await commission.executeTakeFirst()
  if (!before) return undefined

  const isThis = sql<SqlBool>`c.workspace_id = ${workspaceId} and c.id = ${id}`
  const canHold = sql<SqlBool>`exists (
    select from commissions c
    left join events e on e.id = c.event_id
    left join commission_holds h on h.commission_id = c.id
    where ${isThis} and c.kind <> 'reversal' and c.payout_id is null
      and (c.event_id is null or e.commission_id = c.id)
      and (h.commission_id is null or h.resolution = 'released')
      and not exists (select from commissions r where r.reverses_id = c.id and r.payout_id is not null))`
  const [, , , , , [after], [facts]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    sql<unknown>`
      select from commissions c join events e on e.id = c.event_id where ${isThis} for update of e`.compile(
      db,
    ),
    sql<unknown>`
      select from commission_holds where workspace_id = ${workspaceId} and commission_id = ${id} for update`.compile(
      db,
    ),
    auditEntry(db, {
      ...act,
      action: 'commission.held',
      subjectId: id,
      details: {
        amountCents: Number(before.amountCents),
        currency: before.currency,
        slug: before.partnerSlug,
        note,
      },
      when: canHold,
    }).compile(),
    // An earlier hold keeps its evidence: the two sales are not compared again.
    sql<unknown>`
      insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
      select ${id}::uuid, ${workspaceId}::uuid, 'manual', ${note}, ${actor}, ${now}::timestamptz where ${canHold}
      on conflict (commission_id) do update
      set reason = 'manual', note = excluded.note, held_by = excluded.held_by, created_at = excluded.created_at,
          resolved_at = null, resolution = null, resolved_by = null`.compile(db),
    commission.compile(),
    sql<{ isReplaced: boolean; isPartlyPaid: boolean }>`
      select c.event_id is not null and e.commission_id is distinct from c.id as "isReplaced",
             exists (select from commissions r where r.reverses_id = c.id and r.payout_id is not null) as "isPartlyPaid"
      from commissions c left join events e on e.id = c.event_id where ${isThis}`.compile(db),
  ])
  return (
    after && facts && { commission: after, refusal: holdRefusalOf({ ...after, ...facts }, note) }
  )
}
