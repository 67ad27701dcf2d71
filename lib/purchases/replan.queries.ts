/** The sales of a customer that are to be planned again. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

/** Sales are planned in this order. */
export type SalePosition = { occurredAt: Date; externalId: string }

/** The next sale to plan again, or null at the end, and the customer that the plan has to find unchanged. */
export type NextSale = { customerId: string; revision: number; sale: SalePosition | null }

/**
 * Finds the next sale of a customer that is to be planned again.
 *
 * @param after the sale that was planned before
 * @returns null if none is to be planned again
 */
export const nextSale = async (
  db: Db,
  workspaceId: string,
  customerId: string,
  after: SalePosition | null,
): Promise<NextSale | null> => {
  const { rows } = await sql<{
    customerId: string
    revision: number
    occurredAt: Date | null
    externalId: string | null
  }>`
    select c.id as "customerId", c.revision, e.occurred_at as "occurredAt", e.external_id as "externalId"
    from customers named
    join customers c on c.id = coalesce(named.merged_into, named.id)
    left join lateral (
      select occurred_at, external_id from events
      where customer_id = c.id and kind = 'sale' and occurred_at >= c.replan_from
        and (${after?.occurredAt ?? null}::timestamptz is null
             or (occurred_at, external_id) > (${after?.occurredAt ?? null}::timestamptz, ${after?.externalId ?? null}))
      order by occurred_at, external_id limit 1) e on true
    where named.workspace_id = ${workspaceId} and named.id = ${customerId} and c.replan_from is not null
  `.execute(db)
  const [row] = rows
  if (!row) return null
  const { revision, occurredAt, externalId } = row
  return {
    customerId: row.customerId,
    revision,
    sale: occurredAt && externalId !== null ? { occurredAt, externalId } : null,
  }
}

/** Ends planning again, unless the customer was changed meanwhile. @returns whether it has ended */
export const endReplan = async (
  db: Db,
  workspaceId: string,
  customerId: string,
  revision: number,
): Promise<boolean> => {
  const { rows } = await sql`
    update customers c set replan_from = null
    from customers named
    where named.workspace_id = ${workspaceId} and named.id = ${customerId}
      and c.id = coalesce(named.merged_into, named.id) and c.revision = ${revision}
    returning c.id
  `.execute(db)
  return rows.length > 0
}
