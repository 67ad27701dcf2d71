/** The events received from payment processors: written by webhooks, and read to plan purchases. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockIdentities } from '../../db/locks.queries.ts'
import {
  type DiscountFact,
  type Fact,
  type ProcessorEvent,
  reportKey,
} from '../../rules/purchases/facts.ts'
import { type EventOutcome, REFUSAL_CODES } from '../../rules/purchases/outcomes.ts'
import { isProcessorId } from '../../rules/purchases/processors.ts'
import { factsOf, type ReceivedFact } from '../../rules/purchases/received.ts'

/** A list of texts as Postgres takes it. */
export const textArray = (values: string[]) =>
  sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`

/** The places in a list, `place`: the planner knows their number, unlike that of JSON elements. */
export const places = (list: unknown[]) =>
  sql`generate_series(0, ${list.length - 1}::integer) as place`

/**
 * Stores an event, once. One that was refused before is replaced.
 *
 * @returns its row's id, and whether it was processed before
 */
export const saveEvent = async (
  db: Db,
  workspaceId: string,
  event: ProcessorEvent,
  now: Date,
): Promise<{ id: string; isDone: boolean }> => {
  const insert = sql<{ id: string; isDone: boolean }>`
    insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, customer, email, keys,
                                  facts, occurred_at, received_at)
    values (${newId()}, ${workspaceId}, ${event.processor}, ${event.processorEventId}, ${event.type}, ${event.livemode},
            ${event.customer}, ${event.email}, ${textArray(event.keys)}, ${JSON.stringify(event.facts)}::jsonb, ${event.occurredAt}, ${now})
    on conflict (workspace_id, processor, processor_event_id) do update
    set (customer, email, keys, facts, outcome) = (
      select case when is_refused then excluded.customer else processor_events.customer end,
             case when is_refused then excluded.email else processor_events.email end,
             case when is_refused then excluded.keys else processor_events.keys end,
             case when is_refused then excluded.facts else processor_events.facts end,
             case when is_refused then null else processor_events.outcome end
      from (select processor_events.outcome ->> 'code' = any(${textArray(REFUSAL_CODES)}) as is_refused) r)
    returning id, outcome is not null as "isDone"
  `
  const { email, keys } = event
  const lock = (kind: string, values: string[]) =>
    lockIdentities(
      workspaceId,
      values.map((value) => ({ kind, value })),
      'exclusive',
    ).compile(db)
  // A reported refund of the purchase waits for the event, or sees it. The first event of a
  // workspace waits for the sales that are being saved without a comparison: it is compared with
  // them.
  const results = await db.batch([
    lock('email', email ? [email] : []),
    lock('purchase', keys),
    sql`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} first event`}, 0))
        where not exists (select from processor_events where workspace_id = ${workspaceId})`.compile(
      db,
    ),
    insert.compile(db),
  ])
  const [row] = results[3]
  if (!row) throw new Error('The upsert returned no row.')
  return row
}

/**
 * Stores an event's outcome, which marks it as processed. The first outcome is kept, unless it is
 * `nothing_changed`: of two concurrent copies of an event, the one that changed nothing may finish
 * first. One that waits has no outcome yet.
 */
export const saveOutcome = async (db: Db, id: string, outcome: EventOutcome): Promise<void> => {
  await db
    .updateTable('processor_events')
    .set({ outcome: JSON.stringify(outcome) })
    .where('id', '=', id)
    .where(
      sql<boolean>`coalesce(outcome ->> 'code', 'nothing_changed') in ('nothing_changed', 'waiting')`,
    )
    .execute()
}

/**
 * The events received of one purchase, and the discounts of its customer. `keys` and `count` are
 * its version: applying a plan fails if newer events exist.
 */
export type ReceivedEvents = {
  facts: ReceivedFact[]
  /** Other checkouts of its subscription, and the invoice that began it. */
  beginnings: ReceivedFact[]
  keys: string[]
  count: number
  /** Whether all of them name the purchase's sale. */
  areLinked: boolean
}

/**
 * Links the events of a purchase to its sale, also those that were received when nothing was paid
 * yet: an address, a coupon or a card of the purchase may be known by one of them only.
 */
export const linkEvents = (workspaceId: string, { keys }: ReceivedEvents, saleId: string) =>
  sql<unknown>`
    update processor_events set event_id = ${saleId}
    where workspace_id = ${workspaceId} and keys && ${textArray(keys)} and event_id is null`

/**
 * Loads the events that name one of a purchase's keys, the events that name one of theirs, and so
 * on: a refund may be linked to its sale only by a payment and an invoice.
 *
 * @param ids keys of the purchase, or the id under which its sale is recorded
 * @returns their facts, all their keys, and their number; in the same order whichever of the keys
 *   it is found by, and in whatever order they arrived: where facts contradict each other, one of
 *   them counts, and it must be the same one each time
 */
export const loadReceived = async (
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<ReceivedEvents> => {
  const [received] = await loadAllReceived(db, workspaceId, [ids])
  if (!received) throw new Error('Nothing was loaded of a purchase.')
  return received
}

/** The same of several purchases, in one database round trip. */
export const loadAllReceived = async (
  db: Db,
  workspaceId: string,
  purchases: string[][],
): Promise<ReceivedEvents[]> => {
  const { statement, read } = receivedQuery(workspaceId, purchases)
  return read((await statement.execute(db)).rows)
}

type ReceivedRow = {
  place: number
  facts: Fact[]
  keys: string[]
  occurredAt: Date
  of: 'it' | 'customer' | 'subscription'
  isLinked: boolean
}

/** The same as a statement, for a batch, and what its rows say. */
export const receivedQuery = (workspaceId: string, purchases: string[][]) => {
  const wanted = purchases.map((ids) => ({
    keys: ids.flatMap((id) => (isProcessorId(id) ? [id] : [id, reportKey(id)])),
  }))
  const statement = sql<ReceivedRow>`
    select place, facts, received.keys, "occurredAt", "of", "isLinked"
    from ${places(wanted)} cross join lateral jsonb_to_record(${JSON.stringify(wanted)}::jsonb -> place) as wanted (keys text[])
    cross join lateral (
    with recursive known as (
      select id, keys, customer, facts from processor_events where workspace_id = ${workspaceId} and keys && wanted.keys
      union
      select e.id, e.keys, e.customer, e.facts
      from known join processor_events e on e.workspace_id = ${workspaceId} and e.keys && known.keys
    )
    select e.facts, e.keys, e.occurred_at as "occurredAt", e.processor_event_id, 'it' as "of", e.event_id is not null as "isLinked"
    from known join processor_events e on e.id = known.id
    union all
    select e.facts, e.keys, e.occurred_at, e.processor_event_id, 'customer', true
    from processor_events e
    where e.workspace_id = ${workspaceId} and e.customer in (select customer from known) and e.keys = '{}'
      and e.facts @> '[{"kind": "discount"}]'
    union all
    select e.facts, '{}', e.occurred_at, e.processor_event_id, 'subscription', true
    from (select distinct customer, fact ->> 'subscription' as id
          from known, jsonb_array_elements(known.facts) fact where fact ->> 'subscription' is not null) s
    join processor_events e on e.workspace_id = ${workspaceId} and e.customer = s.customer
    where (e.facts @> jsonb_build_array(jsonb_build_object('kind', 'checkout', 'subscription', s.id))
           or e.facts @> jsonb_build_array(jsonb_build_object(
                'kind', 'invoice', 'subscription', s.id, 'billingReason', 'subscription_create')))
      and e.id not in (select id from known)
    ) received
    order by place, "occurredAt", processor_event_id`
  const read = (rows: ReceivedRow[]): ReceivedEvents[] =>
    wanted.map(({ keys }, place) => {
      const own = rows.filter((row) => row.place === place)
      const of = (what: string) => own.filter((row) => row.of === what)
      return {
        facts: own.filter((row) => row.of !== 'subscription').flatMap(factsOf),
        beginnings: of('subscription').flatMap(factsOf),
        keys: [...new Set([...keys, ...own.flatMap((row) => row.keys)])],
        count: of('it').length,
        areLinked: own.every(({ isLinked }) => isLinked),
      }
    })
  return { statement, read }
}

/**
 * The keys of the customer's invoices that were made with a discount: it may be one whose coupon is
 * known only now. None if other events have reported the same discounts before, as each update of a
 * customer repeats them.
 *
 * @param eventId the row of the event that reports the discounts
 * @param customer the processor's id
 */
export const discountedPurchases = async (
  db: Db,
  workspaceId: string,
  {
    eventId,
    customer,
    discounts,
  }: { eventId: string; customer: string; discounts: DiscountFact[] },
): Promise<string[][]> => {
  const { rows } = await sql<{ keys: string[] }>`
    select keys from processor_events e
    where workspace_id = ${workspaceId} and customer = ${customer}
      and exists (select from jsonb_array_elements(e.facts) f
                  where f ->> 'kind' = 'invoice' and f -> 'discounts' <> '[]' and f -> 'coupons' = '[]')
      and exists (select from jsonb_array_elements(${JSON.stringify(discounts)}::jsonb) d
                  where not exists (select from processor_events known
                                    where known.workspace_id = ${workspaceId} and known.customer = ${customer}
                                      and known.id <> ${eventId} and known.keys = '{}' and known.outcome is not null
                                      and known.facts @> jsonb_build_array(d.value)))
    order by occurred_at, id
  `.execute(db)
  return rows.map(({ keys }) => keys)
}

/** Events per run of a cron. */
const WAITING_EVENTS = 50

const isWaitOver = (now: Date) =>
  sql`(outcome ->> 'code' = 'waiting' and (outcome -> 'facts' ->> 'until') <= ${now.toISOString()})`

/** Whether any payment has waited long enough, as a condition. */
export const hasEndedWaits = (now: Date) =>
  sql`exists (select from processor_events where ${isWaitOver(now)})`

/** The payments that have waited long enough for an invoice or a checkout, oldest first. */
export const endOfWait = async (
  db: Db,
  now: Date,
): Promise<{ id: string; workspaceId: string; keys: string[] }[]> => {
  const { rows } = await sql<{ id: string; workspaceId: string; keys: string[] }>`
    select id, workspace_id as "workspaceId", keys from processor_events where ${isWaitOver(now)}
    order by outcome -> 'facts' ->> 'until', id
    limit ${WAITING_EVENTS}
  `.execute(db)
  return rows
}
