/** The sales of a customer that are to be recomputed. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { withDates } from '../../db/json-rows.ts'

/** Sales are planned in this order. */
export type SalePosition = { occurredAt: Date; externalId: string }

/** A sale that was recomputed, and the revision of its customer after that. */
export type Planned = { sale: SalePosition; customerId: string; revision: number }

/** The next sales to recompute, and the customer that the plans have to find unchanged. */
export type NextSales = {
  customerId: string
  revision: number
  /** The cursor. */
  replanFrom: Date
  /** None at the end. */
  sales: SalePosition[]
}

type Row = {
  customerId: string
  revision: number
  replanFrom: Date
  hasEnded: boolean
  sales: { occurredAt: string; externalId: string }[]
}

/**
 * Finds the next sales of a customer that are to be recomputed, and moves the mark,
 * `replan_from`, to the first of them: the next request continues there after an interruption. Starts
 * at the mark if the customer has changed since the last plan, because every change moves the mark
 * back to the first sale that depends on it.
 *
 * @param last the sale that was planned last
 * @returns null if none is to be recomputed
 */
export const nextSales = async (
  db: Db,
  workspaceId: string,
  id: string,
  last: Planned | null,
  limit: number,
): Promise<NextSales | null> => {
  const isNext = sql`e.occurred_at >= c.replan_from and (not c.is_continued
    or (e.occurred_at, e.external_id) > (${last?.sale.occurredAt ?? null}::timestamptz, ${last?.sale.externalId ?? null}::text))`
  const { rows } = await sql<Row>`
    with customer as (
      select c.id, c.revision, c.replan_from,
             coalesce(c.id = ${last?.customerId ?? null}::uuid and c.revision = ${last?.revision ?? null}::integer, false) as is_continued
      from customers named join customers c on c.id = coalesce(named.merged_into, named.id)
      where named.workspace_id = ${workspaceId} and named.id = ${id} and c.replan_from is not null
    ), next as materialized (
      (select e.occurred_at, e.external_id
       from customer c join events e on e.customer_id = c.id and e.kind = 'sale'
       where ${isNext} order by 1, 2 limit ${limit})
      union all
      -- A sale that an address matched to another customer may be this customer's now.
      (select e.occurred_at, e.external_id
       from customer c
       join customer_identities i on i.customer_id = c.id and i.kind not in ('email', 'guest')
       join events e on e.workspace_id = ${workspaceId} and e.addressed_id = i.value and e.customer_id <> c.id
       where ${isNext} order by 1, 2 limit ${limit})
      order by 1, 2 limit ${limit}
    ), moved as (
      update customers set replan_from = (select min(occurred_at) from next)
      from customer c
      where customers.id = c.id and customers.revision = c.revision and (c.is_continued or not exists (select from next))
      returning customers.replan_from
    )
    select c.id as "customerId", c.revision,
           coalesce((select replan_from from moved), c.replan_from) as "replanFrom",
           exists (select from moved where replan_from is null) as "hasEnded",
           (select coalesce(jsonb_agg(jsonb_build_object('occurredAt', occurred_at, 'externalId', external_id)
                                      order by occurred_at, external_id), '[]') from next) as sales
    from customer c
  `.execute(db)
  const [row] = rows
  if (!row || row.hasEnded) return null
  return {
    customerId: row.customerId,
    revision: row.revision,
    replanFrom: row.replanFrom,
    sales: row.sales.map((sale) => withDates(sale, 'occurredAt')),
  }
}

/** Customers per run of a cron. */
const MARKED_CUSTOMERS = 50

const isMarked = sql`(replan_from is not null or addressed_from is not null)`

/** Whether any customer is marked, as a condition. */
export const hasMarked = sql`exists (select from customers where ${isMarked})`

/** Customers with sales to recompute, in random order: one that fails must not block the others. */
export const markedCustomers = async (db: Db): Promise<{ id: string; workspaceId: string }[]> => {
  const { rows } = await sql<{ id: string; workspaceId: string }>`
    select id, workspace_id as "workspaceId" from customers
    where ${isMarked}
    order by random() limit ${MARKED_CUSTOMERS}`.execute(db)
  return rows
}
