/** The list of partners with their figures, sorted by any of them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import {
  isListed,
  type PartnerFilter,
  type PartnerRow,
  selectPartners,
} from './partners.queries.ts'
import type { PartnerSort } from './partners.schemas.ts'

/** The figures of a partner since it joined, by currency; null for counts without one. */
export type PartnerFigures = {
  currency: string | null
  clicks: number
  customers: number
  leads: number
  sales: number
  /** Minor units. */
  revenueCents: number
  earnedCents: number
  /** The part of the earnings that is in no payout. */
  unpaidCents: number
}

export type PartnerListRow = PartnerRow & {
  figures: PartnerFigures[]
  /** The figure that the list is sorted by; null if it is sorted by something else. */
  figure: string | null
  /** The day of the newest click, event or customer, `YYYY-MM-DD`; null for none. */
  lastActiveOn: string | null
}

export type PartnerListFilter = Omit<PartnerFilter, 'cursor'> & {
  sort: PartnerSort
  isAscending: boolean
  /** The currency in which amounts are compared: by default the workspace's first. */
  currency?: string | undefined
  /** The last partner of the previous page, and its figure there: by default the current one. */
  cursor?: { id: string; figure?: string | undefined } | undefined
}

/** The figures of the partner `p`, folded or not. */
const figures = sql<PartnerFigures[]>`(
  select coalesce(jsonb_agg(to_jsonb(f) order by f.currency nulls first), '[]') from (
    select nullif(currency, '') as currency, sum(clicks)::float8 as clicks, sum(customers)::float8 as customers,
           sum(leads)::float8 as leads, sum(sales)::float8 as sales, sum(revenue_cents)::float8 as "revenueCents",
           sum(earned_cents)::float8 as "earnedCents", sum(unpaid_cents)::float8 as "unpaidCents"
    from (
      select currency, clicks, customers, leads, case when currency <> '' then sales else 0 end as sales,
             revenue_cents, earned_cents, open_cents as unpaid_cents
      from totals where of_id = p.id and dimension = 'all' and unit = 'all_time'
      union all
      select currency, coalesce(clicks, 0), coalesce(customers, 0), coalesce(leads, 0), coalesce(sales, 0),
             coalesce(revenue_cents, 0), coalesce(earned_cents, 0), case when due_at is null then 0 else open_cents end
      from total_deltas where workspace_id = p.workspace_id and partner_id = p.id) parts
    group by 1) f)`

const lastActiveOn = sql<string | null>`to_char(greatest(
  (select a.last_active_on from totals a
   where a.of_id = p.id and a.dimension = 'all' and a.unit = 'all_time' and a.currency = ''),
  (select max(d.day) from total_deltas d
   where d.workspace_id = p.workspace_id and d.partner_id = p.id and num_nonnulls(d.clicks, d.customers, d.sales, d.leads) > 0
)), 'YYYY-MM-DD')`

/** The currencies of a workspace, most sales first. Amounts are compared in the first. */
export const currenciesQuery = (workspaceId: string) => sql<{ currency: string }>`
  select currency from (
    select currency, sales from totals
    where workspace_id = ${workspaceId} and level = 'program' and dimension = 'all' and unit = 'month' and currency <> ''
    union all
    select currency, 0 from totals
    where workspace_id = ${workspaceId} and level = 'program' and dimension = 'all' and unit = 'all_time' and currency <> ''
    union all
    select currency, coalesce(sales, 0) from total_deltas where workspace_id = ${workspaceId} and currency <> '') used
  group by currency order by sum(sales) desc, currency`

/** The columns of totals to sort partners by, each with an index: amounts by currency, too. */
const FIGURES = {
  clicks: { column: 'clicks', none: '0' },
  customers: { column: 'customers', none: '0' },
  leads: { column: 'leads', none: '0' },
  sales: { column: 'sales', none: '0' },
  active: { column: 'last_active_on', none: '-infinity', isDay: true },
  revenue: { column: 'revenue_cents', none: '0', isAmount: true },
  earned: { column: 'earned_cents', none: '0', isAmount: true },
  unpaid: { column: 'open_cents', none: '0', isAmount: true },
} as const

/**
 * The first partners by a figure, as a table expression: positive figures, then none, then negative
 * ones. The first and the last part read the figure's index until the page is full, so a page takes
 * as long for 50,000 partners as for 50. Counts folded figures only: up to a minute old.
 */
const firstByFigure = (
  workspaceId: string,
  sort: keyof typeof FIGURES,
  { isAscending, currency, cursor, limit, ...filter }: Omit<PartnerListFilter, 'sort'>,
) => {
  const { column, none, ...kind } = FIGURES[sort]
  const source = sql`totals f`
  const [id, value] = [sql.ref('f.of_id'), sql.ref(`f.${column}`)]
  const direction = isAscending ? sql`asc` : sql`desc`
  const isCompared = sql`f.dimension = 'all' and f.unit = 'all_time' and f.level = 'partner' and ${
    'isAmount' in kind
      ? sql`f.currency <> '' and f.currency = (select currency from compared)`
      : sql`f.currency = ''`
  }`
  const isDay = 'isDay' in kind
  const isAfter = (ofPartner: RawBuilder<unknown>, partnerId: RawBuilder<unknown>) => {
    if (!cursor) return sql`true`
    const former =
      cursor.figure !== undefined && isDay !== /^-?\d+$/.test(cursor.figure) ? cursor.figure : null
    return sql`(${ofPartner}, ${partnerId}) ${isAscending ? sql`>` : sql`<`} (
      coalesce(${former}::${isDay ? sql`date` : sql`bigint`},
               (select ${value} from ${source} where ${id} = ${cursor.id} and f.workspace_id = ${workspaceId} and ${isCompared}),
               ${sql.lit(none)}), ${cursor.id}::uuid)`
  }
  const withFigure = (isPositive: boolean, most: RawBuilder<unknown>) => sql`
    select p.id, ${value} as figure from ${source} join partners p on p.id = ${id}
    where f.workspace_id = ${workspaceId} and ${isCompared} and ${value} ${isPositive ? sql`>` : sql`<`} ${sql.lit(none)} and ${isAfter(value, id)}
      and ${isListed(workspaceId, filter)}
    order by ${value} ${direction}, ${id} ${direction} limit ${most}`
  return sql<{ id: string; part: number; figure: string }>`(
    with compared as materialized (
      select coalesce(${currency ?? null}, (${currenciesQuery(workspaceId)} limit 1)) as currency),
    first as materialized (${withFigure(!isAscending, sql`${limit}`)}),
    second as materialized (
      select p.id from partners p
      where ${isListed(workspaceId, filter)} and ${isAfter(sql.lit(none), sql.ref('p.id'))}
        and not exists (select from ${source} where ${id} = p.id and ${isCompared} and ${value} <> ${sql.lit(none)})
      order by p.id ${direction} limit ${limit} - (select count(*) from first)),
    third as materialized (
      ${withFigure(isAscending, sql`${limit} - (select count(*) from first) - (select count(*) from second)`)})
    select id, 1 as part, figure from first union all select id, 2, ${sql.lit(none)} from second union all select id, 3, figure from third
    limit ${limit})`
}

/** The partners of a workspace with their figures, as a query. */
export const partnerListQuery = (
  db: Db,
  workspaceId: string,
  { sort, ...request }: PartnerListFilter,
) => {
  const { isAscending, cursor, limit } = request
  const direction = isAscending ? 'asc' : 'desc'
  const partners = selectPartners(db, workspaceId)
    .select([figures.as('figures'), lastActiveOn.as('lastActiveOn')])
    .limit(limit)
  if (sort !== 'newest' && sort !== 'name')
    return partners
      .innerJoin(firstByFigure(workspaceId, sort, request).as<'r'>(sql.ref('r')), 'r.id', 'p.id')
      .select(sql<string | null>`r.figure::text`.as('figure'))
      .orderBy('r.part')
      .orderBy('r.figure', direction)
      .orderBy('p.id', direction)

  const name = (p: string) => sql`lower(coalesce(${sql.ref(`${p}.name`)}, ${sql.ref(`${p}.slug`)}))`
  const beyond = isAscending ? sql`>` : sql`<`
  const isAfter =
    sort === 'newest'
      ? sql<SqlBool>`p.id ${beyond} ${cursor?.id}`
      : sql<SqlBool>`(${name('p')}, p.id) ${beyond} (
          (select ${name('c')} from partners c where c.workspace_id = ${workspaceId} and c.id = ${cursor?.id}), ${cursor?.id}::uuid)`
  const listed = partners
    .select(sql<string | null>`null`.as('figure'))
    .where(isListed(workspaceId, request))
    .where(cursor ? isAfter : sql<SqlBool>`true`)
  return (sort === 'name' ? listed.orderBy(name('p'), direction) : listed).orderBy(
    'p.id',
    direction,
  )
}
