// @module-tag thorough
/** The orders of the list of partners, by figures that tie, are missing, or are negative. */
import type pg from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import {
  type PartnerListFilter,
  partnerListQuery,
} from '../../lib/partners/lists/partner-list.queries.ts'
import { PARTNER_SORTS, type PartnerSort } from '../../lib/partners/lists/partners.schemas.ts'
import { TEMPLATE, withDatabase } from '../support/databases.ts'
import { addRows, idOf } from '../support/many-rows.ts'
import { rowsRead } from '../support/rows-read.ts'

const WORKSPACE = idOf('workspace', 1)
/** Few values, so that many tie. A seventh of the partners has no row of each kind. */
const FIGURES = `
  update partners p set name = (array['Zoe', 'ann', 'Bo'])[n % 4] || n / 8 from numbered x where x.id = p.id and n % 4 > 0;
  delete from total_deltas; delete from totals where unit = 'all_time';
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, clicks, customers, leads, sales, last_active_on)
    select id, workspace_id, 'partner', 'all', 'all_time', '-infinity', n % 3, n % 4, n % 5, n * 7 % 11, case when n % 13 > 0 then date '2026-11-01' + n % 6 end
    from numbered where n % 7 > 0;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, currency, sales, revenue_cents, earned_cents, open_cents)
    select id, workspace_id, 'partner', 'all', 'all_time', '-infinity', currency, 1,
           case when n % 7 <> 1 then n * 31 % 9 - 4 + shift else 0 end, case when n % 7 <> 1 then n * 17 % 5 - 2 + shift else 0 end,
           case when currency = 'USD' and n % 7 <> 2 then n * 23 % 7 - 3 else 0 end
    from numbered, (values ('USD', 0), ('EUR', 3)) c (currency, shift) where n % 7 <> 3;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, currency)
    select '${idOf('program', 1)}', '${WORKSPACE}', 'program', 'all', 'all_time', '-infinity', 'USD'`

/** Runs the query of a page. */
const pageOf = async (client: pg.Client, request: PartnerListFilter) => {
  const query = partnerListQuery(
    connect({ DATABASE_URL: 'postgresql://unused', SQL_ENDPOINT: '' }),
    WORKSPACE,
    request,
  ).compile()
  return (
    await client.query<{ id: string; figure: string | null }>(query.sql, [...query.parameters])
  ).rows
}
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
/** As the link to the next page has it. */
const cursorOf = (rows: { id: string; figure: string | null }[]) => {
  const { id = '', figure = null } = rows.at(-1) ?? {}
  return { id, figure: figure ?? undefined }
}

/** What each order compares, and what partners without a figure have. */
const VALUE_OF: Record<PartnerSort, string> = {
  newest: 'p.id',
  name: 'lower(coalesce(p.name, p.slug))',
  clicks: 'coalesce(a.clicks, 0)',
  customers: 'coalesce(a.customers, 0)',
  leads: 'coalesce(a.leads, 0)',
  sales: 'coalesce(a.sales, 0)',
  active: "coalesce(a.last_active_on, '-infinity')",
  revenue: 'coalesce(t.revenue_cents, 0)',
  earned: 'coalesce(t.earned_cents, 0)',
  unpaid: 'coalesce(t.open_cents, 0)',
}
/** The same order, said simply. */
const orderOf = async (
  client: pg.Client,
  sort: PartnerSort,
  currency: string,
  condition: string,
) => {
  const { rows } = await client.query<{ id: string }>(
    `select p.id from partners p
     left join totals a on a.of_id = p.id and a.dimension = 'all' and a.unit = 'all_time' and a.currency = ''
     left join totals t on t.of_id = p.id and t.dimension = 'all' and t.unit = 'all_time' and t.currency = $2
     where p.workspace_id = $1 and p.undone_at is null and ${condition}
     order by ${VALUE_OF[sort]} desc, p.id desc`,
    [WORKSPACE, currency],
  )
  return rows.map(({ id }) => id)
}

test('each order has each partner once, page by page, also those without a figure and with a negative one', async () => {
  await withDatabase(
    'partner_orders',
    async (url, client) => {
      await addRows(url, 1, 60)
      await client.query(
        `update partners set status = 'banned', undone_at = now() where id in ($1, $2)`,
        [idOf('partner', 5), idOf('partner', 6)],
      )
      await client.query(`update partners set status = 'banned' where id > $1`, [
        idOf('partner', 40),
      ])
      await client.query(
        'create temp view numbered as select row_number() over (order by id)::integer as n, * from partners',
      )
      await client.query(FIGURES)
      for (const sort of PARTNER_SORTS) {
        for (const currency of ['USD', 'EUR']) {
          for (const status of [undefined, 'banned'] as const) {
            const expected = await orderOf(
              client,
              sort,
              currency,
              status ? `p.status = '${status}'` : 'true',
            )
            expect(expected).toHaveLength(status ? 20 : 58)
            for (const isAscending of [false, true]) {
              const seen: string[] = []
              const request = { sort, isAscending, status, currency, limit: 7 }
              for (let page = await pageOf(client, request); page.length > 0; ) {
                seen.push(...idsOf(page))
                page = await pageOf(client, { ...request, cursor: cursorOf(page) })
              }
              expect({ sort, currency, status, isAscending, seen }).toEqual({
                sort,
                currency,
                status,
                isAscending,
                seen: isAscending ? expected.toReversed() : expected,
              })
            }
          }
        }
      }
    },
    TEMPLATE,
  )
})

const changes = (by: string) => [
  `update totals set clicks = clicks ${by}, customers = customers ${by}, leads = leads ${by}, sales = sales ${by},
                     last_active_on = last_active_on ${by}
   where of_id = $1 and dimension = 'all' and unit = 'all_time' and currency = ''`,
  `update totals set revenue_cents = revenue_cents ${by}, earned_cents = earned_cents ${by}, open_cents = open_cents ${by}
   where of_id = $1 and dimension = 'all' and unit = 'all_time' and currency <> ''`,
]

test('a page goes on where the one before ended, however much its last partner has brought since', async () => {
  await withDatabase(
    'partner_changes',
    async (url, client) => {
      await addRows(url, 1, 60)
      await client.query(
        'create temp view numbered as select row_number() over (order by id)::integer as n, * from partners',
      )
      await client.query(FIGURES)
      for (const sort of PARTNER_SORTS.filter((one) => one !== 'name')) {
        for (const isAscending of [false, true]) {
          for (const change of ['+ 100', '- 100']) {
            await client.query('begin')
            const seen: string[] = []
            const changed: string[] = []
            const request = { sort, isAscending, currency: 'USD', limit: 7 }
            for (let page = await pageOf(client, request); page.length > 0; ) {
              seen.push(...idsOf(page))
              const cursor = cursorOf(page)
              // Once: in ascending order, a partner that rises with each page would be ahead for
              // ever.
              if (!changed.includes(cursor.id))
                for (const text of changes(change)) await client.query(text, [cursor.id])
              changed.push(cursor.id)
              page = await pageOf(client, { ...request, cursor })
            }
            await client.query('rollback')
            const others = seen.filter((id) => !changed.includes(id))
            expect({
              sort,
              isAscending,
              change,
              distinct: new Set(others).size,
              all: new Set(seen).size,
            }).toEqual({ sort, isAscending, change, distinct: others.length, all: 60 })
          }
        }
      }
    },
    TEMPLATE,
  )
})

test('a page of the highest reads as few rows as it shows, among however many', async () => {
  await withDatabase(
    'partner_pages',
    async (url, client) => {
      await addRows(url, 1, 1_000)
      await client.query(
        'create temp view numbered as select row_number() over (order by id)::integer as n, * from partners',
      )
      await client.query(FIGURES)
      await client.query('vacuum analyze')
      for (const sort of PARTNER_SORTS) {
        const middle = (await orderOf(client, sort, 'USD', 'true'))[100]
        for (const cursor of [undefined, middle]) {
          const rows = await rowsRead(client, () =>
            pageOf(client, {
              sort,
              isAscending: false,
              limit: 5,
              cursor: cursor ? { id: cursor } : undefined,
            }),
          )
          expect({
            sort,
            cursor,
            rows: Math.max(rows.total, 100),
            of: rows.total > 100 && rows.of,
          }).toEqual({
            sort,
            cursor,
            rows: 100,
            of: false,
          })
        }
      }
    },
    TEMPLATE,
  )
})
