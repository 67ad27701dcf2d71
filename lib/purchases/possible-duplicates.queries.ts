/** Holds the commissions of possible duplicates: see possible-duplicates.ts. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { lockClick } from '../db/locks.queries.ts'
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
 * The last statements of the batch that saves the sale. May be repeated. Sales of one customer are serialized by its row,
 * sales of one click by a lock, so that the later one sees the other.
 */
export const holdPossibleDuplicate = (saved: SavedCommission): RawBuilder<unknown>[] => [
  ...(saved.clickId ? [lockClick(saved.workspaceId, saved.clickId)] : []),
  hold(saved),
]

/** A manager's own hold says nothing about duplicates. */
const isDuplicateHold = sql<SqlBool>`h.reason = 'possible_duplicate'`

const hold = ({ workspaceId, saleId, grossCents, isNew, now }: SavedCommission) => sql<unknown>`
  with sale as materialized (
    select e.*, c.payout_id from events e join commissions c on c.id = e.commission_id
    where e.workspace_id = ${workspaceId} and e.id = ${saleId} and c.kind = 'sale'
  ), held as materialized (
    select h.commission_id, h.evidence_event_id
    from sale join commissions c on c.event_id = sale.id join commission_holds h on h.commission_id = c.id
  ), moved as (
    update commission_holds h set commission_id = sale.commission_id
    from sale, held where h.commission_id = held.commission_id and h.commission_id <> sale.commission_id
  ), near as materialized (
    ${salesNear(DUPLICATE_HOURS)}
  ), twin as (
    select o.id, o.external_id
    from sale, near o
    where not exists (select from held) and sale.payout_id is null
      and o.commission_id is not null and (${isNew}::boolean or o.id < sale.id) and ${isAlike(grossCents)}
      and not exists (select from commission_holds h
                      where h.evidence_event_id = o.id and ${isDuplicateHold} and h.resolution is distinct from 'released')
      and not exists (select from commissions c join commission_holds h on h.commission_id = c.id
                      where c.event_id = o.id
                        and (${isDuplicateHold} and h.resolution is distinct from 'released'
                             or h.evidence_event_id = sale.id))
    order by o.id limit 1
  ), hold as (
    insert into commission_holds (commission_id, workspace_id, reason, evidence_event_id, created_at)
    select sale.commission_id, sale.workspace_id, 'possible_duplicate', twin.id, ${now}::timestamptz from sale, twin
    on conflict do nothing
  )
  update events e
  set steps = e.steps || jsonb_build_array(
    jsonb_build_object('code', 'possible_duplicate', 'facts', jsonb_build_object('externalId', evidence.external_id)))
  from sale, (
    select external_id from twin
    union select o.external_id from held join events o on o.id = held.evidence_event_id
  ) evidence
  where e.id = sale.id and not e.steps @> '[{"code": "possible_duplicate"}]'`

/**
 * The sales of the same customer or click as `sale`, in its currency, so many hours apart: what the merchant reported for
 * a processor's sale, and what only a processor reported for the merchant's.
 */
export const salesNear = (hours: number) => {
  const from = (isSame: RawBuilder<unknown>) => sql`
    select o.id, o.workspace_id, o.external_id, o.amount_cents, o.commission_id, o.reported_at, o.steps
    from sale join events o on ${isSame}
    where o.occurred_at between sale.occurred_at - ${hours} * interval '1 hour'
                            and sale.occurred_at + ${hours} * interval '1 hour'
      and o.id <> sale.id and o.kind = 'sale' and o.currency = sale.currency
      and (o.reported_at is null) <> (sale.reported_at is null)`
  return sql`
    ${from(sql`o.customer_id = sale.customer_id`)}
    union
    ${from(sql`o.workspace_id = sale.workspace_id and o.click_id = sale.click_id`)}`
}

/** Whether `sale` and `o`, one of which the merchant reported under an id of its own, are of one amount, net or gross. */
export const isAlike = (grossCents: number | null) => sql<SqlBool>`
  case when sale.reported_at is null
       then o.amount_cents in (sale.amount_cents, ${grossCents}::bigint) and ${isOwn('o')} and not ${hasEvent('o')}
       else ${grossCents}::bigint is null and ${isOwn('sale')} and (o.amount_cents = sale.amount_cents or ${hasEvent(
         'o',
         sql`
              and s.facts @> jsonb_build_array(jsonb_build_object('paid',
                    jsonb_build_object('grossCents', sale.amount_cents)))`,
       )}) end`

/** Whether the id of a sale is the merchant's own. */
const isOwn = (sale: 'sale' | 'o') => sql`${sql.ref(`${sale}.external_id`)} !~ ${PROCESSOR_ID_PATTERN}`

/**
 * Whether a processor's event belongs to a sale. Counted, because Postgres would look for the first one in the whole table,
 * although the index on keys is faster.
 *
 * @param contains a further condition on the event, `s`
 */
const hasEvent = (sale: 'sale' | 'o', contains = sql``) => sql`(
  select count(*) from processor_events s where s.workspace_id = ${sql.ref(`${sale}.workspace_id`)}
    and s.keys && array[${sql.ref(`${sale}.external_id`)}, ${reportKey('')} || ${sql.ref(`${sale}.external_id`)}]
    ${contains}) > 0`

/**
 * Moves a manager's open hold of a duplicate to the commission that the sale has instead, unless that one is in a payout. A
 * manager's own hold of it counts first. After `holdPossibleDuplicate`, which moves the sale's own holds.
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
  )
  insert into commission_holds as h (commission_id, workspace_id, reason, note, held_by, created_at)
  select sale.commission_id, carried.* from sale, carried order by carried.created_at limit 1
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
  where h.workspace_id = ${workspaceId} and h.resolved_at is null and ${isDuplicateHold}
    and c.id = h.commission_id and held.id = c.event_id and evidence.id = h.evidence_event_id
    and ${saleId}::uuid in (held.id, evidence.id)
    and (${isJoined}::boolean or ${isSamePurchase('held', 'evidence')} or ${isSamePurchase('evidence', 'held')})`

/** Whether a sale is recorded as the same purchase as another. */
const isSamePurchase = (sale: string, other: string) => sql`
  ${sql.ref(`${sale}.steps`)} @> jsonb_build_array(jsonb_build_object(
    'code', 'same_purchase', 'facts', jsonb_build_object('externalId', ${sql.ref(`${other}.external_id`)})))`
