/** Statistics by landing page: the totals of a period by the page that visitors came to. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { daysBetween, ownersQuery, type StatsFilter, type StatsRow, SUMS } from './stats.queries.ts'
import { partsOf } from './stats.ts'

const COLUMNS = sql`clicks, 0::bigint as customers, leads, sales, revenue_cents, earned_cents`

/** The pages with the most clicks, so many, and what came of them. */
export const readLandingStats = async (
  db: Db,
  workspaceId: string,
  filter: Omit<StatsFilter, 'by'>,
  limit: number,
): Promise<StatsRow[]> => (await landingStatsQuery(workspaceId, filter, limit).execute(db)).rows

/** The same, for a batch. */
export const landingStatsQuery = (workspaceId: string, filter: Omit<StatsFilter, 'by'>, limit: number) => {
  const { months, days } = partsOf(filter)
  const folded = [
    ...(months ? [sql`t.unit = 'month' and ${daysBetween(sql`t.starts_on`, months)}`] : []),
    ...days.map((part) => sql`t.unit = 'day' and ${daysBetween(sql`t.starts_on`, part)}`),
  ].map(
    (condition) => sql`
      select t.page, t.currency, ${COLUMNS} from owner join landing_totals t on t.of_id = owner.id and ${condition}`,
  )
  const fresh = sql`
    select coalesce(d.page, ''), d.currency, ${COLUMNS}
    from total_deltas d left join partners p on p.id = d.partner_id
    join owner on owner.id = d.partner_id or (owner.is_program and owner.id = coalesce(p.program_id, d.workspace_id))
    where d.workspace_id = ${workspaceId} and ${daysBetween(sql`d.day`, filter)}`
  const owners = ownersQuery(workspaceId, { ...filter, by: 'program' }, { cursor: undefined, limit })
  return sql<StatsRow>`
    with owner as materialized (${owners}),
    parts as materialized (${sql.join([...folded, fresh], sql` union all `)}),
    pages as (
      select page, row_number() over (order by sum(clicks) desc nulls last, sum(sales) desc nulls last, page) as nth
      from parts group by page
      having (coalesce(sum(clicks), 0), coalesce(sum(sales), 0), coalesce(sum(leads), 0), coalesce(sum(earned_cents), 0)) <> (0, 0, 0, 0)
      order by nth limit ${limit})
    select nullif(page, '') as key, nullif(currency, '') as currency, ${SUMS}
    from parts join pages using (page)
    group by nth, page, currency order by nth, currency nulls first`
}
