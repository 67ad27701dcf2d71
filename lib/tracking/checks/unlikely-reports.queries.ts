/** What shows that a backend reports sales wrongly, among the newest events of a workspace. */
import { sql } from 'kysely'
import type { BusiestCustomer, MedianAmounts } from './unlikely-reports.ts'

/** Newest events that are read, leads and refunds included, to keep the overview fast. */
const EVENTS_READ = 1_000
/** Sales of a program whose median is compared, and of those before them: at most, and at least. */
const LATEST_SALES = 20
const SALES_BEFORE = 200
const FEWEST_BEFORE = 20

/** The sales that the merchant reported. */
const reportedSales = (workspaceId: string) => sql`
  (select id, customer_external_id, amount_cents::bigint, currency, partner_id, report_occurred_at
   from (select id, kind, customer_external_id, amount_cents, currency, partner_id, report_occurred_at
         from events where workspace_id = ${workspaceId} order by id desc limit ${EVENTS_READ}) newest
   where kind = 'sale' and report_occurred_at is not null)`

/** As a query. Null if no sale was reported since. */
export const busiestCustomerQuery = (
  workspaceId: string,
  since: Date,
) => sql<BusiestCustomer | null>`(
  select jsonb_build_object('customerExternalId', e.customer_external_id, 'sales', count(*), 'ofSales', sum(count(*)) over ())
  from ${reportedSales(workspaceId)} e where e.report_occurred_at >= ${since}::timestamptz
  group by e.customer_external_id order by count(*) desc, e.customer_external_id limit 1)`

/** As a query. Of each program and currency with enough credited sales, one of them since. */
export const medianAmountsQuery = (workspaceId: string, since: Date) => sql<MedianAmounts[]>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'programId', p.id, 'program', p.name, 'currency', m.currency, 'latestCents', m.latest_cents, 'beforeCents', m.before_cents)
    order by p.id, m.currency), '[]')
  from (
    select program_id, currency,
           percentile_disc(0.5) within group (order by amount_cents) filter (where n <= ${LATEST_SALES}) as latest_cents,
           percentile_disc(0.5) within group (order by amount_cents) filter (where n > ${LATEST_SALES}) as before_cents
    from (
      select pa.program_id, e.currency, e.amount_cents, e.report_occurred_at,
             row_number() over (partition by pa.program_id, e.currency order by e.id desc) as n
      from ${reportedSales(workspaceId)} e join partners pa on pa.id = e.partner_id
      where e.amount_cents > 0) credited
    where n <= ${LATEST_SALES + SALES_BEFORE}
    group by program_id, currency
    having count(*) >= ${LATEST_SALES + FEWEST_BEFORE} and max(report_occurred_at) >= ${since}::timestamptz) m
  join programs p on p.id = m.program_id)`
