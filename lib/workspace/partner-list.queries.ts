/** The list of partners with what each has brought, sorted by any of it. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type PartnerFilter, type PartnerRow, partnersQuery } from './partners.queries.ts'
import type { PartnerSort } from './partners.schemas.ts'

/** What a partner has brought since it joined, in one currency. Counts without a currency have rows of null. */
export type PartnerFigures = {
  currency: string | null
  clicks: number
  customers: number
  leads: number
  sales: number
  /** Minor units. */
  revenueCents: number
  earnedCents: number
  /** Of what was earned, what no payout has. */
  unpaidCents: number
}

export type PartnerListRow = PartnerRow & {
  figures: PartnerFigures[]
  /** The day of the newest click, event or customer, `YYYY-MM-DD`; null for none. */
  lastActiveOn: string | null
}

export type PartnerListFilter = Omit<PartnerFilter, 'cursor'> & {
  sort: PartnerSort
  isAscending: boolean
  /** In which amounts are compared: the workspace's first by default. */
  currency?: string | undefined
  cursor?: string | undefined
}

/** The figures of the partner `p`: what was folded, and what was not. */
const figures = sql<PartnerFigures[]>`(
  select coalesce(jsonb_agg(to_jsonb(f) order by f.currency nulls first), '[]') from (
    select nullif(currency, '') as currency, sum(clicks)::float8 as clicks, sum(customers)::float8 as customers,
           sum(leads)::float8 as leads, sum(sales)::float8 as sales, sum(revenue_cents)::float8 as "revenueCents",
           sum(earned_cents)::float8 as "earnedCents", sum(unpaid_cents)::float8 as "unpaidCents"
    from (
      select currency, clicks, customers, leads, sales, revenue_cents, earned_cents, 0 as unpaid_cents
      from partner_totals where partner_id = p.id
      union all
      select currency, 0, 0, 0, 0, 0, 0, open_cents from balances where of_id = p.id
      union all
      select currency, coalesce(clicks, 0), coalesce(customers, 0), coalesce(leads, 0), coalesce(sales, 0),
             coalesce(revenue_cents, 0), coalesce(earned_cents, 0), case when due_at is null then 0 else open_cents end
      from total_deltas where workspace_id = p.workspace_id and partner_id = p.id) parts
    group by 1) f)`

/** The newest day of a partner with a total. @param p the alias of partners */
const lastFoldedOn = (p: string) => sql`(
  select t.starts_on from totals t
  where t.of_id = ${sql.ref(`${p}.id`)} and t.unit = 'day' and (t.clicks, t.customers, t.leads, t.sales) <> (0, 0, 0, 0)
  order by t.starts_on desc limit 1)`

const lastActiveOn = sql<string | null>`to_char(greatest(${lastFoldedOn('p')}, (
  select max(d.day) from total_deltas d
  where d.workspace_id = p.workspace_id and d.partner_id = p.id and num_nonnulls(d.clicks, d.customers, d.sales, d.leads) > 0
)), 'YYYY-MM-DD')`

/** The currencies of a workspace, those of most sales first, as a query. Amounts are compared in the first by default. */
export const currenciesQuery = (workspaceId: string) => sql<{ currency: string }>`
  select currency from (
    select currency, sales from totals
    where workspace_id = ${workspaceId} and level = 'program' and unit = 'month' and currency <> ''
    union all
    select currency, 0 from balances where workspace_id = ${workspaceId} and level = 'program'
    union all
    select currency, coalesce(sales, 0) from total_deltas where workspace_id = ${workspaceId} and currency <> '') used
  group by currency order by sum(sales) desc, currency`

/**
 * Where a figure is: amounts in the row of their currency, clicks and customers in the row of none. Sales and leads can be in several.
 * A row that is known by its key is found sooner than a sum is made.
 */
const FIGURES = {
  clicks: { column: 'clicks', row: 'of none' },
  customers: { column: 'customers', row: 'of none' },
  leads: { column: 'leads', row: 'all' },
  sales: { column: 'sales', row: 'all' },
  revenue: { column: 'revenue_cents', row: 'of the currency' },
  earned: { column: 'earned_cents', row: 'of the currency' },
} as const

/**
 * What partners are sorted by. Figures are those that are folded: up to a minute old. They are looked up partner by partner: as a
 * join, they would be as slow as Postgres' guess of their number is wrong; grouped with the partners, they take as long.
 *
 * @param p the alias of partners
 */
const sortValue = (p: string, workspaceId: string, sort: PartnerSort, currency: string | undefined) => {
  const id = sql.ref(`${p}.id`)
  if (sort === 'newest') return id
  if (sort === 'name') return sql`lower(coalesce(${sql.ref(`${p}.name`)}, ${sql.ref(`${p}.slug`)}))`
  if (sort === 'active') return sql`coalesce(${lastFoldedOn(p)}, '-infinity')`
  const isInCurrency = sql`currency = coalesce(${currency ?? null}, (${currenciesQuery(workspaceId)} limit 1))`
  if (sort === 'unpaid')
    return sql`coalesce((select open_cents from balances where of_id = ${id} and ${isInCurrency}), 0)`
  const { column, row } = FIGURES[sort]
  const figure = sql.ref(column)
  if (row === 'all')
    return sql`coalesce((select sum(${figure}) from partner_totals where partner_id = ${id}), 0)`
  const isOfRow = row === 'of none' ? sql`currency = ''` : isInCurrency
  return sql`coalesce((select ${figure} from partner_totals where partner_id = ${id} and ${isOfRow}), 0)`
}

/** The partners of a workspace with their figures, as a query. */
export const partnerListQuery = (
  db: Db,
  workspaceId: string,
  { sort, isAscending, currency, cursor, ...filter }: PartnerListFilter,
) => {
  const value = (p: string) => sortValue(p, workspaceId, sort, currency)
  const direction = isAscending ? 'asc' : 'desc'
  const isAfter = sql<SqlBool>`(${value('p')}, p.id) ${isAscending ? sql`>` : sql`<`} (
    select ${value('c')}, c.id from partners c where c.workspace_id = ${workspaceId} and c.id = ${cursor ?? null})`
  return partnersQuery(db, workspaceId, filter)
    .clearOrderBy()
    .where(cursor ? isAfter : sql<SqlBool>`true`)
    .orderBy(value('p'), direction)
    .orderBy('p.id', direction)
    .select([figures.as('figures'), lastActiveOn.as('lastActiveOn')])
}
