/** The holds of events, in the batch that saves them. */
import { type CompiledQuery, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { decideHolds } from '../../rules/holds/decide-holds.ts'
import type { HoldRequest } from '../../rules/holds/hold-facts.ts'
import { saveDeciding } from '../../tracking/holds/undecided-holds.queries.ts'

/**
 * Runs a batch that saves events, and writes what is decided about their holds between its
 * statements.
 *
 * @returns the rows of all statements
 */
export const saveWithHolds = (
  db: Db,
  { workspaceId, now }: { workspaceId: string; now: Date },
  requests: HoldRequest[],
  { before, after }: { before: CompiledQuery[]; after: CompiledQuery[] },
): Promise<readonly unknown[][]> =>
  saveDeciding(requests, decideHolds, (decided) => {
    const hold = sql<unknown>`
      select hold_commissions(${workspaceId}, ${JSON.stringify(decided)}::jsonb, ${now})`
    return db.batch([...before, ...(decided.length ? [hold.compile(db)] : []), ...after])
  })

/**
 * Moves a manager's open hold of a duplicate to the commission that the sale has instead, unless
 * that one is in a payout. A manager's own hold of it counts first. A commission instead of one
 * that a manager held and rejected is held again with the same note, once: what was rejected is not
 * paid under another id before somebody has looked. After the sale's own holds are moved.
 */
export const carryHold = (
  workspaceId: string,
  saleId: string,
  duplicateIds: string[],
) => sql<unknown>`
  with sale as materialized (
    select e.commission_id from events e join commissions c on c.id = e.commission_id
    where e.workspace_id = ${workspaceId} and e.id = ${saleId} and c.payout_id is null
  ), carried as (
    delete from commission_holds h using sale, commissions c
    where h.workspace_id = ${workspaceId} and c.id = h.commission_id and c.event_id = any (${sql.val(duplicateIds)}::uuid[])
      and h.resolved_at is null and h.reason = 'manual'
    returning h.workspace_id, h.reason, h.note, h.held_by, h.created_at
  ), rejected as (
    select h.workspace_id, h.reason, h.note, h.held_by, h.created_at
    from sale cross join commissions c join commission_holds h on h.commission_id = c.id
    where c.workspace_id = ${workspaceId} and c.event_id = any (${sql.val(duplicateIds)}::uuid[])
      and h.resolution = 'rejected' and h.reason = 'manual'
      and not exists (select from commission_holds own where own.commission_id = sale.commission_id)
  )
  insert into commission_holds as h (commission_id, workspace_id, reason, note, held_by, created_at)
  select sale.commission_id, followed.* from sale, (select * from carried union all select * from rejected) followed
  order by followed.created_at limit 1
  on conflict (commission_id) do update
  set reason = excluded.reason, note = excluded.note, held_by = excluded.held_by, created_at = excluded.created_at,
      resolved_at = null, resolution = null, resolved_by = null
  where h.resolution = 'released' or (h.resolved_at is null and h.reason <> 'manual')`
