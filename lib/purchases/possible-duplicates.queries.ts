/** Holds the commissions of possible duplicates: see possible-duplicates.ts. */
import { type RawBuilder, sql } from 'kysely'
import { lockClick } from '../db/locks.queries.ts'
import { reportKey } from './facts.ts'
import { DUPLICATE_HOURS } from './possible-duplicates.ts'
import { PROCESSOR_ID_PATTERN } from './processors.ts'

/** The events of a processor that belong to the sale with an external id. Expects its workspace_id and external_id. */
export const eventsOf = (sale: string) => sql`
  processor_events s where s.workspace_id = ${sql.ref(`${sale}.workspace_id`)}
    and s.keys && array[${sql.ref(`${sale}.external_id`)}, ${reportKey('')} || ${sql.ref(`${sale}.external_id`)}]`

/** The columns of a sale that another one is compared with. */
const COMPARED = sql.raw(
  'o.id, o.workspace_id, o.kind, o.external_id, o.amount_cents, o.currency, o.commission_id, o.reported_at',
)

type Saved = {
  workspaceId: string
  saleId: string
  clickId: string | null
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
export const holdPossibleDuplicate = (saved: Saved): RawBuilder<unknown>[] => [
  ...(saved.clickId ? [lockClick(saved.workspaceId, saved.clickId)] : []),
  hold(saved),
]

const hold = ({ workspaceId, saleId, isNew, now }: Saved) => sql<unknown>`
  with sale as materialized (
    select e.*, c.payout_id, exists (select from ${eventsOf('e')}) as is_processors
    from events e join commissions c on c.id = e.commission_id
    where e.workspace_id = ${workspaceId} and e.id = ${saleId} and c.kind = 'sale'
  ), held as materialized (
    select h.commission_id, h.evidence_event_id
    from sale join commissions c on c.event_id = sale.id join commission_holds h on h.commission_id = c.id
  ), moved as (
    update commission_holds h set commission_id = sale.commission_id
    from sale, held where h.commission_id = held.commission_id and h.commission_id <> sale.commission_id
  ), twin as (
    select o.id, o.external_id
    from sale cross join lateral (
      select ${COMPARED} from events o
      where o.customer_id = sale.customer_id and ${isWithinADay}
      union
      select ${COMPARED} from events o
      where o.workspace_id = sale.workspace_id and o.click_id = sale.click_id and ${isWithinADay}
    ) o
    cross join lateral (select exists (select from ${eventsOf('o')}) as is_processors) other
    where not exists (select from held) and sale.payout_id is null
      and o.id <> sale.id and o.kind = 'sale' and o.currency = sale.currency and o.commission_id is not null
      and (${isNew}::boolean or o.id < sale.id)
      and case when sale.is_processors then ${isOwn('o', sql`other.is_processors`)}
                                        and ${isOfAmount('sale', sql`o.amount_cents`)}
               else ${isOwn('sale', sql`false`)} and other.is_processors and ${isOfAmount('o', sql`sale.amount_cents`)} end
      and not exists (select from commission_holds h
                      where h.evidence_event_id = o.id and h.resolution is distinct from 'released')
      and not exists (select from commissions c join commission_holds h on h.commission_id = c.id
                      where c.event_id = o.id
                        and (h.resolution is distinct from 'released' or h.evidence_event_id = sale.id))
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
 * Releases the holds between a sale and another that turned out to be one purchase: it earns once. A statement of the batch
 * that saves both.
 */
export const releaseTied = ({
  workspaceId,
  saleId,
  now,
}: Pick<Saved, 'workspaceId' | 'saleId' | 'now'>) => sql<unknown>`
  update commission_holds h
  set resolved_at = ${now}::timestamptz, resolution = 'released'
  from commissions c, events held, events evidence
  where h.workspace_id = ${workspaceId} and h.resolved_at is null
    and c.id = h.commission_id and held.id = c.event_id and evidence.id = h.evidence_event_id
    and ${saleId}::uuid in (held.id, evidence.id)
    and (${isSamePurchase('held', 'evidence')} or ${isSamePurchase('evidence', 'held')})`

/** Whether a sale is recorded as the same purchase as another. */
const isSamePurchase = (sale: string, other: string) => sql`
  ${sql.ref(`${sale}.steps`)} @> jsonb_build_array(jsonb_build_object(
    'code', 'same_purchase', 'facts', jsonb_build_object('externalId', ${sql.ref(`${other}.external_id`)})))`

const isWithinADay = sql`
      o.occurred_at between sale.occurred_at - ${DUPLICATE_HOURS} * interval '1 hour'
                        and sale.occurred_at + ${DUPLICATE_HOURS} * interval '1 hour'`

/** Whether the merchant reported a sale under an id of its own, and nothing ties it to a processor's events. */
const isOwn = (sale: string, isProcessors: RawBuilder<unknown>) => sql`
  (${sql.ref(`${sale}.reported_at`)} is not null and not ${isProcessors}
   and ${sql.ref(`${sale}.external_id`)} !~ ${PROCESSOR_ID_PATTERN})`

/** Whether a processor's sale has this amount, net or gross. */
export const isOfAmount = (sale: string, cents: RawBuilder<unknown>) => sql`
  (${sql.ref(`${sale}.amount_cents`)} = ${cents} or exists (
     select from ${eventsOf(sale)}
       and s.facts @> jsonb_build_array(jsonb_build_object('paid', jsonb_build_object('grossCents', ${cents})))))`
