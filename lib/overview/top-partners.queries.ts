import { sql } from 'kysely'
import { currenciesQuery } from '../partners/lists/partner-list.queries.ts'
import { daysBetween } from '../totals/stats.queries.ts'
import { partsOf } from '../totals/stats.ts'
import type { DayRange } from '../values/days.ts'

/**
 * Partners whose days are added up: this many with the most revenue in each calendar month. All
 * days of all partners would be 150,000 rows if 5,000 partners sell every day.
 */
const CANDIDATES = 50

/** A partner's figures of a period, in one currency. */
export type TopPartnerRow = {
  partnerId: string
  slug: string
  name: string | null
  currency: string
  /** Minor units. */
  revenueCents: bigint
  earnedCents: bigint
}

/**
 * The partners with the most revenue in the workspace's first currency, each with a row per
 * currency, as a query. Exact except for the choice of candidates.
 */
export const topPartnersQuery = (workspaceId: string, range: DayRange, limit: number) => {
  const { months, days } = partsOf(range)
  const startsOn = sql`t.starts_on`
  const folded = [
    ...(months ? [sql`t.unit = 'month' and ${daysBetween(startsOn, months)}`] : []),
    ...days.map((part) => sql`t.unit = 'day' and ${daysBetween(startsOn, part)}`),
  ].map(
    (condition) => sql`
      select c.partner_id, t.* from candidates c cross join lateral (
        select currency, revenue_cents, earned_cents from totals t
        where t.of_id = c.partner_id and t.dimension = 'all' and ${condition} and t.currency > '' offset 0) t`,
  )
  const fresh = sql`
    total_deltas d where d.workspace_id = ${workspaceId} and d.partner_id is not null and ${daysBetween(sql`d.day`, range)}`
  return sql<TopPartnerRow>`
    with first as materialized (${currenciesQuery(workspaceId)} limit 1),
    candidates as materialized (
      select best.of_id as partner_id
      from generate_series(date_trunc('month', ${range.from}::date), ${range.to}::date, interval '1 month') month
      cross join lateral (
        select t.of_id from totals t
        where t.workspace_id = ${workspaceId} and t.level = 'partner' and t.dimension = 'all' and t.unit = 'month' and t.currency = (select currency from first)
          and t.starts_on = month::date
        order by t.revenue_cents desc, t.of_id desc limit ${CANDIDATES}) best
      union
      (select d.partner_id from ${fresh} and d.currency = (select currency from first)
       group by d.partner_id order by sum(d.revenue_cents) desc nulls last limit ${CANDIDATES})),
    sums as materialized (
      select partner_id, currency, sum(revenue_cents)::bigint as revenue_cents, sum(earned_cents)::bigint as earned_cents
      from (${sql.join(folded, sql` union all `)}
        union all
        select d.partner_id, d.currency, d.revenue_cents, d.earned_cents from ${fresh} and d.currency <> ''
          and d.partner_id in (select partner_id from candidates)) parts
      group by partner_id, currency),
    top as (
      select partner_id, row_number() over (order by revenue_cents desc, partner_id) as nth from sums
      where currency = (select currency from first) and revenue_cents > 0
      order by nth limit ${limit})
    select p.id as "partnerId", p.slug, p.name, s.currency, coalesce(s.revenue_cents, 0) as "revenueCents",
           coalesce(s.earned_cents, 0) as "earnedCents"
    from top join sums s using (partner_id) join partners p on p.workspace_id = ${workspaceId} and p.id = partner_id
    order by nth, s.currency <> (select currency from first), s.currency`
}
