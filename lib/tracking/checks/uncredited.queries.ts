/** Uncredited sales and leads, each with the nearest evidence of a partner: see uncredited.ts. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { type EventFilter, type EventRow, listEvents } from '../events/events.queries.ts'
import { isDecidedByHand, knownCustomer } from './likely-credits.queries.ts'
import type { Evidence, EvidentPartner } from './uncredited.ts'

export type UncreditedFilter = PageRequest &
  Pick<EventFilter, 'likelySince'> & { kind: 'sale' | 'lead' }

export type UncreditedRow = EventRow & { evidence: Evidence | null }

/**
 * The sales or leads that nobody was credited with, newest first. Makes two database round trips.
 */
export const listUncredited = async (
  db: Db,
  workspaceId: string,
  filter: UncreditedFilter,
): Promise<UncreditedRow[]> => {
  const events = await listEvents(db, workspaceId, { ...filter, attributed: false })
  const ids = events.map(({ id }) => id)
  const evidence =
    ids.length > 0 ? await findEvidence(db, workspaceId, ids) : new Map<string, Evidence>()
  return events.map((event) => ({ ...event, evidence: evidence.get(event.id) ?? null }))
}

/** Rows read of each kind of evidence for an event; shared addresses and ids have more. */
const CANDIDATES = 20

type EvidenceRow = Omit<Evidence, 'partner'> & { eventId: string; partner: EvidentPartner | null }

/**
 * The nearest evidence of each event that has some, by the event's id. It comes from what is
 * closest to the event: its click, its customer's lead, its coupon, its customer, and at last its
 * addresses. An event that a manager has decided by hand has none.
 *
 * @param eventIds UUIDs, at most a page of them
 */
export const findEvidence = async (
  db: Db,
  workspaceId: string,
  eventIds: string[],
): Promise<Map<string, Evidence>> => {
  const { rows } = await sql<EvidenceRow>`
    select e.id as "eventId", n.kind, n.value, n.clicked_at as "clickedAt", n.expires_at as "expiresAt",
           n.customer_id as "customerId",
           case when p.id is not null then jsonb_build_object(
             'id', p.id, 'slug', p.slug, 'name', p.name, 'isActive', p.status = 'approved') end as partner
    from events e
    cross join lateral (
      select ${knownCustomer} as id
    ) known
    cross join lateral (
      select 1 as rank, 'click' as kind, cl.id as value, cl.partner_id, null::uuid as customer_id, cl.created_at as clicked_at, cl.expires_at
      from clicks cl
      where cl.workspace_id = e.workspace_id and cl.id = coalesce(e.click_id, ${unknownClick})
      union all
      select 2, 'lead_click', cl.id, cl.partner_id, null, cl.created_at, cl.expires_at
      from events l join clicks cl on cl.workspace_id = l.workspace_id and cl.id = l.click_id
      where e.kind = 'sale' and l.workspace_id = e.workspace_id and l.kind = 'lead' and l.external_id = e.customer_external_id
        and l.partner_id is null
      union all
      select case when a.partner_id is null then 6 else 3 end, 'coupon', used.code, a.partner_id, null, null, null
      from (
        select distinct code
        from (select facts from processor_events where event_id = e.id limit ${CANDIDATES}) received,
             jsonb_array_elements(received.facts) fact, jsonb_array_elements_text(coalesce(fact -> 'coupons', '[]')) code
      ) used
      left join coupon_aliases a on a.workspace_id = e.workspace_id and a.coupon_id = used.code
      union all
      select 4, 'customer', e.customer_external_id, cu.partner_id, cu.id, null, null
      from customers cu
      where cu.workspace_id = e.workspace_id and cu.id = known.id and cu.partner_id is not null
      union all
      select 5, 'address', alike.value, alike.partner_id, alike.id, null, null
      from (${addresses}) address
      cross join lateral (
        select i.value, cu.partner_id, cu.id
        from (
          (select value, customer_id from customer_identities
           where workspace_id = e.workspace_id and value = address.value and kind = 'email' limit ${CANDIDATES})
          union all
          (select value, customer_id from customer_identities
           where workspace_id = e.workspace_id and value = address.value and kind = 'guest' limit ${CANDIDATES})
        ) i
        join customers cu on cu.workspace_id = e.workspace_id and cu.id = i.customer_id
        where cu.partner_id is not null and cu.id is distinct from known.id
      ) alike
      order by rank, clicked_at desc, customer_id desc, value limit 1
    ) n
    left join partners p on p.workspace_id = e.workspace_id and p.id = n.partner_id
    where e.workspace_id = ${workspaceId} and e.id = any(${eventIds}::uuid[]) and e.partner_id is null
      and not ${isDecidedByHand}`.execute(db)
  return new Map(rows.map(({ eventId, ...evidence }) => [eventId, evidence]))
}

/** The id of a click that was not known when the event, `e`, was decided. */
const unknownClick = sql`jsonb_path_query_first(e.steps, '$[*] ? (@.code == "unknown_click").facts.clickId') #>> '{}'`

/** The buyer's addresses in the event, `e`: of the customer, of a checkout, or as an id. */
const addresses = sql`
  (select value from customer_identities where customer_id = known.id and kind = 'email' limit ${CANDIDATES})
  union
  (select email from processor_events where event_id = e.id and email is not null limit ${CANDIDATES})
  union
  select lower(e.customer_external_id) where e.customer_external_id like '%@%'`
