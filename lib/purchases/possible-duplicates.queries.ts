/** Holds the commissions of possible duplicates: see possible-duplicates.ts. */
import { sql } from 'kysely'
import { reportKey } from './facts.ts'
import { DUPLICATE_HOURS } from './possible-duplicates.ts'
import { PROCESSOR_ID_PATTERN } from './processors.ts'

/** A sale that was saved in the same batch. */
export type SavedSale = {
  workspaceId: string
  saleId: string
  clickId: string | null
  /** What was paid with tax, if a processor has reported the sale. */
  grossCents: number | null
}

type SavedCommission = SavedSale & {
  /** Whether the commission is made in this batch. It gives way to the other sale's then, however old either is. */
  isNew: boolean
  now: Date
}

/**
 * Holds the commission of a sale that looks like another one that earns: of the same customer or click, in the same
 * currency, with the same gross or net amount, within a day, one of them reported by API under an id of the merchant's, the
 * other by a processor. A sale is a duplicate of one other sale at most. A sale that was held before is not held again;
 * its hold follows to the commission that replaced the held one. A commission that is part of a payout is not held.
 *
 * The last statement of the batch that saves the sale. May be repeated. The function that saves reports does the same.
 */
export const holdPossibleDuplicate = ({
  workspaceId,
  saleId,
  clickId,
  grossCents,
  isNew,
  now,
}: SavedCommission) => sql<unknown>`
  select hold_possible_duplicate_1(${workspaceId}, ${saleId}, ${clickId}, ${grossCents}, ${isNew}, ${DUPLICATE_HOURS},
                                   ${PROCESSOR_ID_PATTERN}, ${reportKey('')}, ${now})`

/**
 * Moves a manager's open hold of a duplicate to the commission that the sale has instead, unless that one is in a payout. A
 * manager's own hold of it counts first. A commission instead of one that a manager held and rejected is held again with the
 * same note, once: what was rejected is not paid under another id before somebody has looked. After
 * `holdPossibleDuplicate`, which moves the sale's own holds.
 */
export const carryHold = ({
  workspaceId,
  saleId,
  duplicateIds,
}: Pick<SavedCommission, 'workspaceId' | 'saleId'> & { duplicateIds: string[] }) => sql<unknown>`
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
 * Releases the holds between a sale and another that turned out to be one purchase: it earns once. If the sale is the
 * merchant's and turned out to be a processor's purchase (`isJoined`), it is no duplicate of any other. A statement of the
 * batch that saves the sale.
 */
export const releaseTied = ({
  workspaceId,
  saleId,
  isJoined,
  now,
}: Pick<SavedCommission, 'workspaceId' | 'saleId' | 'now'> & { isJoined: boolean }) => sql<unknown>`
  update commission_holds h
  set resolved_at = ${now}::timestamptz, resolution = 'released'
  from commissions c, events held, events evidence
  where h.workspace_id = ${workspaceId} and h.resolved_at is null and h.reason = 'possible_duplicate'
    and c.id = h.commission_id and held.id = c.event_id and evidence.id = h.evidence_event_id
    and ${saleId}::uuid in (held.id, evidence.id)
    and (${isJoined}::boolean or ${isSamePurchase('held', 'evidence')} or ${isSamePurchase('evidence', 'held')})`

/**
 * Holds the commission of a sale whose customer is the partner, or releases it if that turns out to be wrong. After
 * `holdPossibleDuplicate`, which moves the sale's holds to its present commission.
 *
 * @param was whether its recorded steps said so before
 */
export const reviewSelfReferral = (
  { workspaceId, saleId, now }: Pick<SavedCommission, 'workspaceId' | 'saleId' | 'now'>,
  { is, was }: { is: boolean; was: boolean },
) =>
  is
    ? sql<unknown>`select hold_self_referral_1(${workspaceId}, ${saleId}, ${!was}, ${now})`
    : sql<unknown>`
  update commission_holds h
  set resolved_at = ${now}::timestamptz, resolution = 'released'
  from commissions c
  where h.workspace_id = ${workspaceId} and h.resolved_at is null and h.reason = 'self_referral'
    and c.id = h.commission_id and c.event_id = ${saleId}::uuid`

/** Whether a sale is recorded as the same purchase as another. */
const isSamePurchase = (sale: string, other: string) => sql`
  ${sql.ref(`${sale}.steps`)} @> jsonb_build_array(jsonb_build_object(
    'code', 'same_purchase', 'facts', jsonb_build_object('externalId', ${sql.ref(`${other}.external_id`)})))`
