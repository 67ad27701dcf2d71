/** Adds up what a platform paid for each customer, in the customer's row, page by page. */
import { type RawBuilder, sql } from 'kysely'
import type { Kept } from '../progress.ts'
import { HISTORY } from './history.ts'

/**
 * CTEs after `held`, the source. Only commissions of the customer's own partner count, because the
 * history stays with the partner who was paid. `tallied` counts new entries. Rows are found by
 * arrays of ids, because a join would read all rows of the source.
 *
 * @param isLast whether the list ends with this page, after which its entries are deleted
 */
export const addHistory = (entries: Kept['history'], isLast: boolean): RawBuilder<unknown> => sql`
  entries as (select x.id, x.row from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as x(id text, row jsonb)),
  known as (
    select r.row_id as id, r.row from import_source_rows r
    where r.source_id = (select id from held) and r.resource = ${HISTORY} and r.row_id = any (array(select id from entries))
  ), kept as (
    insert into import_source_rows (source_id, workspace_id, resource, row_id, row)
    select h.id, h.workspace_id, ${HISTORY}, e.id, e.row from held h cross join entries e where not ${isLast}
    on conflict (source_id, resource, row_id) do update set row = excluded.row
  ), dropped as (
    delete from import_source_rows r where ${isLast} and r.source_id = (select id from held) and r.resource = ${HISTORY}
  ), changes as (
    select x.*, sign from (select row, 1 as sign from entries union all select row, -1 from known) c
    cross join jsonb_to_record(c.row)
      as x("customerId" text, "partnerId" text, "partnerEmail" text, currency text, "isPaid" boolean, cents bigint, at text)
  ), buyers as materialized (
    select c.row_id, c.row from import_source_rows c
    where c.source_id = (select id from held) and c.resource = 'customers' and c.row ->> 'kind' = 'customer'
      and c.row_id = any (array(select "customerId" from changes))
  ), sums as (
    select b.row_id, b.row, x.currency, min(x.at) filter (where sign = 1) as at,
           sum(sign * x."isPaid"::integer) as commissions, sum(sign * x.cents) as cents
    from changes x join buyers b on b.row_id = x."customerId"
      and (b.row ->> 'partnerId' = x."partnerId" or lower(b.row ->> 'partnerEmail') = lower(x."partnerEmail"))
    group by b.row_id, b.row, x.currency
  ), histories as (
    select row_id, row, min(at) as at,
           jsonb_object_agg(currency, jsonb_build_object(
             'commissions', commissions + coalesce((row #>> array['prior', currency, 'commissions'])::bigint, 0),
             'amountCents', cents + coalesce((row #>> array['prior', currency, 'amountCents'])::numeric, 0))) as prior
    from sums group by row_id, row
  ), added as (
    update import_source_rows c
    set row = c.row || jsonb_strip_nulls(jsonb_build_object(
          'prior', coalesce(c.row -> 'prior', '{}') || h.prior,
          'firstCommissionAt', least(c.row ->> 'firstCommissionAt', h.at)))
    from histories h
    where c.source_id = (select id from held) and c.resource = 'customers' and c.row_id = any (array(select row_id from histories))
      and c.row_id = h.row_id
  ), tallied as (
    select count(*)::integer as added from entries e where not exists (select from known k where k.id = e.id)
  )`

/** Deletes a source's history, if its list is read from the beginning again. */
export const dropHistory = (sourceId: string, when: RawBuilder<boolean>): RawBuilder<unknown>[] => [
  sql`delete from import_source_rows where source_id = ${sourceId} and resource = ${HISTORY} and ${when}`,
  sql`update import_source_rows set row = row - '{prior,firstCommissionAt}'::text[]
      where source_id = ${sourceId} and resource = 'customers' and row ? 'prior' and ${when}`,
]
