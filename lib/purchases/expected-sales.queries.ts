/** Sales that a payment processor is expected to report: see expected-sales.ts. */
import { type SqlBool, sql } from 'kysely'
import { EXPECTED_HOURS } from './expected-sales.ts'
import { isAlike, type SavedSale, salesNear } from './possible-duplicates.queries.ts'
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

/**
 * Notes that an expected sale and a processor's are one purchase by their looks, when either is saved: the same customer or
 * click, currency, and gross or net amount. Each of a processor's sales is that of one expected sale. It earns nothing
 * and takes nothing away: it only shows managers which sales are missing.
 *
 * A statement of the batch that saves the sale, after the sale. May be repeated.
 */
export const noteReceived = ({ workspaceId, saleId, grossCents }: SavedSale) => sql<unknown>`
  with sale as materialized (
    select e.* from events e where e.workspace_id = ${workspaceId} and e.id = ${saleId} and e.kind = 'sale'
  ), near as materialized (
    ${salesNear(EXPECTED_HOURS)}
  ), pair as (
    select case when sale.reported_at is null then o.id else sale.id end as expected_id,
           case when sale.reported_at is null then sale.external_id else o.external_id end as external_id
    from sale, near o
    where case when sale.reported_at is null then ${isExpected('o')} else ${isExpected('sale')} end
      and ${isAlike(grossCents)}
      and not exists (
        select from events other
        where (other.customer_id = sale.customer_id
               or other.workspace_id = sale.workspace_id and other.click_id = sale.click_id)
          and other.steps @> jsonb_build_array(jsonb_build_object(
                'code', 'expected_sale_received', 'facts', jsonb_build_object(
                  'externalId', case when sale.reported_at is null then sale.external_id else o.external_id end))))
    order by o.id limit 1
  )
  update events e
  set steps = e.steps || jsonb_build_array(jsonb_build_object(
    'code', 'expected_sale_received', 'facts', jsonb_build_object('externalId', pair.external_id)))
  from pair where e.workspace_id = ${workspaceId} and e.id = pair.expected_id`
