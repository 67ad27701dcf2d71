/** Sales that a payment processor is expected to report: see expected-sales.ts. */
import { type SqlBool, sql } from 'kysely'
import { EXPECTED_HOURS } from './expected-sales.ts'
import { eventsOf, isOfAmount } from './possible-duplicates.queries.ts'
import { SALE_EXPECTED } from './processors.ts'

const hasStep = (event: string, code: string) =>
  sql`${sql.ref(`${event}.steps`)} @> ${sql.lit(JSON.stringify([{ code }]))}`

/** The predicate of events_expected_idx. */
const isExpected = (event: string) =>
  sql<SqlBool>`(${hasStep(event, SALE_EXPECTED)} and not ${hasStep(event, 'expected_sale_received')})`

/** Whether an event, `e`, is a sale reported before a time, which the processor has not reported yet. */
export const isExpectedBefore = (workspaceId: string, time: Date) =>
  sql<SqlBool>`(e.workspace_id = ${workspaceId} and ${isExpected('e')} and e.occurred_at < ${time}::timestamptz)`

/** How many sales the processor should have reported before a time, as a query. @param limit the count stops there */
export const countExpectedQuery = (workspaceId: string, time: Date, limit: number) => sql<number>`
  (select count(*)::int from (select from events e where ${isExpectedBefore(workspaceId, time)} limit ${limit}) expected)`

/** The columns of a sale that another one is compared with. */
const COMPARED = sql.raw('o.id, o.workspace_id, o.kind, o.external_id, o.amount_cents, o.currency, o.steps')

const isNear = sql`
      o.occurred_at between sale.occurred_at - ${EXPECTED_HOURS} * interval '1 hour'
                        and sale.occurred_at + ${EXPECTED_HOURS} * interval '1 hour'`

/**
 * Notes that an expected sale and a processor's are one purchase by their looks, when either is saved: the same customer or
 * click, currency, and gross or net amount. Each of a processor's sales is that of one expected sale. It earns nothing
 * and takes nothing away: it only tells managers which sales are missing.
 *
 * A statement of the batch that saves the sale, after the sale. May be repeated.
 */
export const noteReceived = (workspaceId: string, saleId: string) => sql<unknown>`
  with sale as materialized (
    select e.*, exists (select from ${eventsOf('e')}) as is_processors
    from events e where e.workspace_id = ${workspaceId} and e.id = ${saleId} and e.kind = 'sale'
  ), near as materialized (
    select o.* from sale cross join lateral (
      select ${COMPARED} from events o where o.customer_id = sale.customer_id and ${isNear}
      union
      select ${COMPARED} from events o
      where o.workspace_id = sale.workspace_id and o.click_id = sale.click_id and ${isNear}
    ) o
    where o.id <> sale.id and o.kind = 'sale' and o.currency = sale.currency
  ), pair as (
    select case when sale.is_processors then o.id else sale.id end as expected_id,
           case when sale.is_processors then sale.external_id else o.external_id end as external_id
    from sale, near o
    where case when sale.is_processors then ${isExpected('o')} and ${isOfAmount('sale', sql`o.amount_cents`)}
               else ${isExpected('sale')} and exists (select from ${eventsOf('o')})
                and ${isOfAmount('o', sql`sale.amount_cents`)} end
      and not exists (
        select from near other where other.steps @> jsonb_build_array(jsonb_build_object(
          'code', 'expected_sale_received', 'facts', jsonb_build_object(
            'externalId', case when sale.is_processors then sale.external_id else o.external_id end))))
    order by o.id limit 1
  )
  update events e
  set steps = e.steps || jsonb_build_array(jsonb_build_object(
    'code', 'expected_sale_received', 'facts', jsonb_build_object('externalId', pair.external_id)))
  from pair where e.workspace_id = ${workspaceId} and e.id = pair.expected_id`
