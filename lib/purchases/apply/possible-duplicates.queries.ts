/** Holds the commissions of possible duplicates: see possible-duplicates.ts. */
import { sql } from 'kysely'
import { RULED_HOLDS, type RuledHold } from '../../rules/steps/steps.ts'
import { textArray } from '../../tracking/events/received.queries.ts'

/** A sale that was saved in the same batch. */
type Saved = { workspaceId: string; saleId: string }

type SavedSale = Saved & {
  clickId: string | null
  /** Sales that are recorded as the same purchase from now on. */
  tiedIds: string[]
  /** Whether its commission is made in this batch. */
  isNew: boolean
  now: Date
}

/**
 * Holds the commission of a sale that may be the same purchase as another one that earns, or that
 * of the other one, and releases what turned out to be one purchase with the sale, or another
 * purchase: see the function, and find_possible_duplicate.
 *
 * The last statement of the batch that saves the sale. May be repeated. The function that saves
 * reports does the same.
 */
export const holdPossibleDuplicate = ({
  workspaceId,
  saleId,
  clickId,
  tiedIds,
  isNew,
  now,
}: SavedSale) =>
  sql<unknown>`
  select hold_possible_duplicate(${workspaceId}, ${saleId}, ${clickId}, ${sql.val(tiedIds)}::uuid[], ${isNew}, ${now})`

/**
 * Moves a manager's open hold of a duplicate to the commission that the sale has instead, unless
 * that one is in a payout. A manager's own hold of it counts first. A commission instead of one
 * that a manager held and rejected is held again with the same note, once: what was rejected is not
 * paid under another id before somebody has looked. After `holdPossibleDuplicate`, which moves the
 * sale's own holds.
 */
export const carryHold = ({
  workspaceId,
  saleId,
  duplicateIds,
}: Saved & { duplicateIds: string[] }) => sql<unknown>`
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

/**
 * Holds the commission of a sale for what its decision says, or releases it if that turns out to be
 * wrong. After `holdPossibleDuplicate`, which moves the sale's holds to its present commission.
 *
 * @param reason null releases what a rule holds
 * @param isNew  whether a manager cannot have decided about it, because it was not known before
 */
export const reviewRuledHold = (
  { workspaceId, saleId, now }: Saved & { now: Date },
  { reason, isNew }: { reason: RuledHold | null; isNew: boolean },
) =>
  reason
    ? sql<unknown>`select hold_by_rule(${workspaceId}, ${saleId}, ${reason}, ${isNew}, ${now})`
    : sql<unknown>`
  update commission_holds h
  set resolved_at = ${now}::timestamptz, resolution = 'released'
  from commissions c
  where h.workspace_id = ${workspaceId} and h.resolved_at is null and h.reason = any (${textArray([...RULED_HOLDS])})
    and c.id = h.commission_id and c.event_id = ${saleId}::uuid`
