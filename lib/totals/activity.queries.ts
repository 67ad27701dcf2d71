/** What happened in a period, from the totals. */
import { sql } from 'kysely'
import type { Period } from '../values/periods.ts'
import { COLUMNS, SUMS } from './stats.queries.ts'

/** The activity in a slot of a chart. Clicks and leads have no currency, and rows of their own. */
export type Activity = {
  partnerId: string
  currency: string | null
  slot: string
  clicks: bigint
  leads: bigint
  sales: bigint
  /** Minor units. */
  earnedCents: bigint
}

/**
 * The activity of an email address, as a query. Commissions and their reversals count on the day of
 * the event, so a bar shows the net result of that day.
 */
export const activityQuery = (email: string, { from: firstDay, unit }: Period) => {
  const from = sql`${firstDay}::date`
  return sql<Activity>`
    with own as (select id, workspace_id from partners where email = ${email})
    select id as "partnerId", nullif(currency, '') as currency, to_char(slot, 'YYYY-MM-DD') as slot, coalesce(sum(clicks), 0)::bigint as clicks,
           coalesce(sum(leads), 0)::bigint as leads, coalesce(sum(sales), 0)::bigint as sales,
           coalesce(sum(earned_cents), 0)::bigint as "earnedCents"
    from (
      select own.id, t.starts_on as slot, t.currency, t.clicks, t.leads, t.sales, t.earned_cents
      from own join totals t on t.of_id = own.id and t.dimension = 'all' and t.unit = ${unit} and t.starts_on >= ${from}
      union all
      select own.id, date_trunc(${sql.lit(unit)}, t.day)::date, t.currency, t.clicks, t.leads, t.sales, t.earned_cents
      from own join total_deltas t on t.workspace_id = own.workspace_id and t.partner_id = own.id
      where t.day >= ${from}) parts
    group by id, currency, slot`
}

/** A workspace's events in a slot of a chart. Counts have no currency, and rows of their own. */
export type WorkspaceActivity = Omit<Activity, 'partnerId'> & {
  customers: bigint
  revenueCents: bigint
}

/** The activity of a workspace, or of one partner, in a period and the one before, as a query. */
export const workspaceActivityQuery = (
  workspaceId: string,
  { formerFrom, to, readBy }: Period,
  partnerId?: string,
) => {
  const isOwn = partnerId
    ? sql`workspace_id = ${workspaceId} and of_id = ${partnerId}`
    : sql`workspace_id = ${workspaceId} and level = 'program'`
  return sql<WorkspaceActivity>`
    select nullif(currency, '') as currency, to_char(slot, 'YYYY-MM-DD') as slot, ${SUMS}
    from (
      select starts_on as slot, currency, ${COLUMNS} from totals
      where ${isOwn} and dimension = 'all' and unit = ${readBy} and starts_on between ${formerFrom}::date and ${to}::date
      union all
      select date_trunc(${sql.lit(readBy)}, day)::date, currency, ${COLUMNS} from total_deltas
      where workspace_id = ${workspaceId} ${partnerId ? sql`and partner_id = ${partnerId}` : sql``}
        and day between ${formerFrom}::date and ${to}::date) parts
    group by currency, slot`
}

/** Whether a workspace ever had a click, as a column. */
export const hasClickColumn = (workspaceId: string) => sql`
  (exists (select from clicks where workspace_id = ${workspaceId})
   or exists (select from totals where workspace_id = ${workspaceId} and level = 'program' and dimension = 'all'
             and unit = 'month' and clicks > 0)) as "hasClick"`
