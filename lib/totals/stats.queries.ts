/** Statistics from the totals: few rows, however many events they add up. */

import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { DayRange } from '../values/days.ts'
import { type LandingBy, partsOf, type StatsBy } from './stats.ts'

/** Sums in one currency. What has no currency is in a row of null. */
export type StatsRow = {
  /**
   * A day, a page, a host, or the id of a partner or a program; null is what is credited to nobody,
   * or came without a known page or host.
   */
  key: string | null
  currency: string | null
  clicks: bigint
  leads: bigint
  customers: bigint
  sales: bigint
  /** Minor units. */
  revenueCents: bigint
  earnedCents: bigint
}

export type StatsFilter = DayRange & {
  by: Exclude<StatsBy, LandingBy>
  programId?: string | undefined
  partnerId?: string | undefined
}

export const SUMS = sql`
  coalesce(sum(clicks), 0)::bigint as clicks, coalesce(sum(leads), 0)::bigint as leads,
  coalesce(sum(customers), 0)::bigint as customers, coalesce(sum(sales), 0)::bigint as sales,
  coalesce(sum(revenue_cents), 0)::bigint as "revenueCents", coalesce(sum(earned_cents), 0)::bigint as "earnedCents"`

/** Partial sums, which are added up again. */
export const PRESUMS = sql`
  sum(clicks)::bigint as clicks, sum(leads)::bigint as leads, sum(customers)::bigint as customers, sum(sales)::bigint as sales,
  sum(revenue_cents)::bigint as revenue_cents, sum(earned_cents)::bigint as earned_cents`

export const COLUMNS = sql`clicks, leads, customers, sales, revenue_cents, earned_cents`

export const daysBetween = (column: RawBuilder<unknown>, { from, to }: DayRange) =>
  sql`${column} between ${from}::date and ${to}::date`

/** The totals of the owners in `owner (id)`, and unfolded differences, between two days. */
const partsQuery = (workspaceId: string, { by, ...range }: StatsFilter) => {
  const { months, days: rest } = by === 'day' ? { months: null, days: [range] } : partsOf(range)
  const startsOn = sql`t.starts_on`
  const conditions = [
    ...(months ? [sql`t.unit = 'month' and ${daysBetween(startsOn, months)}`] : []),
    ...rest.map((part) => sql`t.unit = 'day' and ${daysBetween(startsOn, part)}`),
  ]
  // Added up owner by owner, because sorting all of their rows takes longer.
  const read = (condition: RawBuilder<unknown>) =>
    by === 'day'
      ? sql`select starts_on, currency, ${COLUMNS} from totals t
            where t.of_id = owner.id and t.dimension = 'all' and ${condition}`
      : sql`select null::date as starts_on, currency, ${PRESUMS} from totals t
            where t.of_id = owner.id and t.dimension = 'all' and ${condition} group by currency`
  const folded = conditions.map(
    (condition) => sql`
      select owner.id as of_id, t.starts_on as day, t.currency, ${COLUMNS}
      from owner cross join lateral (${read(condition)} offset 0) t`,
  )
  const fresh = sql`
      select owner.id, d.day, d.currency, ${COLUMNS}
      from total_deltas d left join partners p on p.id = d.partner_id
      join owner on owner.id = d.partner_id or (owner.is_program and owner.id = coalesce(p.program_id, d.workspace_id))
      where d.workspace_id = ${workspaceId} and ${daysBetween(sql`d.day`, range)}`
  return sql.join([...folded, fresh], sql` union all `)
}

/** Whose totals are added up: a partner, those of a page, a program, or the workspace. */
export const ownersQuery = (
  workspaceId: string,
  { by, programId, partnerId }: StatsFilter,
  { cursor, limit }: PageRequest,
) => {
  const ofProgram = programId ? sql`and program_id = ${programId}` : sql``
  if (partnerId || by === 'partner')
    return sql`
      select id, program_id, false as is_program from partners
      where workspace_id = ${workspaceId} ${ofProgram} ${partnerId ? sql`and id = ${partnerId}` : sql`and undone_at is null`}
        ${cursor ? sql`and id < ${cursor}` : sql``}
      order by id desc limit ${limit}`
  const itself = sql`select ${workspaceId}::uuid, null::uuid, true`
  return sql`
    select id, id as program_id, true as is_program from programs
    where workspace_id = ${workspaceId} ${programId ? sql`and id = ${programId}` : sql``}
    ${programId ? sql`` : sql`union all ${itself}`}`
}

/** The statistics between two days. By partner, a page of partners, also those without activity. */
export const readStats = async (
  db: Db,
  workspaceId: string,
  filter: StatsFilter,
  page: PageRequest,
): Promise<StatsRow[]> => {
  const key = {
    day: sql`to_char(day, 'YYYY-MM-DD')`,
    partner: sql`owner.id`,
    program: sql`owner.program_id`,
  }[filter.by]
  const join = filter.by === 'day' ? sql`join` : sql`left join`
  const { rows } = await sql<StatsRow>`
    with owner as materialized (${ownersQuery(workspaceId, filter, page)})
    select ${key} as key, nullif(currency, '') as currency, ${SUMS}
    from owner ${join} (${partsQuery(workspaceId, filter)}) parts on parts.of_id = owner.id
    group by 1, 2 order by 1 ${filter.by === 'day' ? sql`` : sql`desc nulls last`}, 2 nulls first`.execute(
    db,
  )
  return rows
}
