/** Statistics by landing page, referrer or sub: totals of a period by a property of clicks. */

import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { daysBefore, rangeOf } from '../values/days.ts'
import {
  daysBetween,
  ownersQuery,
  PRESUMS,
  type StatsFilter,
  type StatsRow,
  SUMS,
} from './stats.queries.ts'
import { type LandingBy, partsOf } from './stats.ts'

export type LandingFilter = Omit<StatsFilter, 'by'> & {
  by: LandingBy
  /** Whether a last row sums up all others. */
  withRest?: boolean
}

/** The dimension of totals, and the column of total_deltas. */
const DIMENSIONS = { landingPage: 'page', referrer: 'referrer', sub: 'sub' } as const

const COLUMNS = sql`clicks, 0::bigint as customers, leads, sales, revenue_cents, earned_cents`

/** The most frequent subs of a partner's links in 12 months, and the sum of others. For a batch. */
export const subsOfPartnerQuery = (workspaceId: string, partnerId: string, now: Date) =>
  landingStatsQuery(
    workspaceId,
    { ...rangeOf({ from: daysBefore(now, 365) }, now), partnerId, by: 'sub', withRest: true },
    SUBS_SHOWN,
  )

const SUBS_SHOWN = 50

/** The pages, referrers or subs with the most clicks, and their conversions. */
export const readLandingStats = async (
  db: Db,
  workspaceId: string,
  filter: LandingFilter,
  limit: number,
): Promise<StatsRow[]> => (await landingStatsQuery(workspaceId, filter, limit).execute(db)).rows

export const landingStatsQuery = (
  workspaceId: string,
  { by, withRest = false, ...filter }: LandingFilter,
  limit: number,
) => {
  const dimension = DIMENSIONS[by]
  const { months, days } = partsOf(filter)
  const folded = [
    ...(months ? [sql`t.unit = 'month' and ${daysBetween(sql`t.starts_on`, months)}`] : []),
    ...days.map((part) => sql`t.unit = 'day' and ${daysBetween(sql`t.starts_on`, part)}`),
  ].map(
    (condition) => sql`
      select t.value, t.currency, ${COLUMNS}
      from owner join totals t on t.of_id = owner.id and t.dimension = ${dimension} and ${condition}`,
  )
  const fresh = sql`
    select coalesce(d.${sql.ref(dimension)}, '') as value, d.currency, ${COLUMNS}
    from total_deltas d left join partners p on p.id = d.partner_id
    join owner on owner.id = d.partner_id or (owner.is_program and owner.id = coalesce(p.program_id, d.workspace_id))
    where d.workspace_id = ${workspaceId} and ${daysBetween(sql`d.day`, filter)}
      ${by === 'sub' ? sql`and d.sub is not null` : sql``}`
  const owners = ownersQuery(
    workspaceId,
    { ...filter, by: 'program' },
    { cursor: undefined, limit },
  )
  // Others come last, whatever their clicks.
  const first = withRest ? sql`value = '',` : sql``
  return sql<StatsRow>`
    with owner as materialized (${owners}),
    parts as materialized (
      select value, currency, ${PRESUMS} from (${sql.join([...folded, fresh], sql` union all `)}) rows group by value, currency),
    ranked as (
      select value, row_number() over (order by ${first} sum(clicks) desc nulls last, sum(sales) desc nulls last, value) as nth
      from parts group by value
      having (coalesce(sum(clicks), 0), coalesce(sum(sales), 0), coalesce(sum(leads), 0), coalesce(sum(earned_cents), 0)) <> (0, 0, 0, 0)
    ),
    shown as (
      select value, least(nth, ${limit + 1}::int) as nth, case when nth <= ${limit} then nullif(value, '') end as key
      from ranked ${withRest ? sql`` : sql`where nth <= ${limit}`}
    )
    select key, nullif(currency, '') as currency, ${SUMS}
    from parts join shown using (value)
    group by nth, key, currency order by nth, currency nulls first`
}
