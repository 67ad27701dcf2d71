/** The products of recent sales, which forms offer. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

export type SoldProduct = { productId: string; name: string | null }

/** The newest events that are read: a page reads no more, however large the workspace is. */
const MOST_EVENTS = 5_000

const MOST_PRODUCTS = 200

/** The products of the newest events, most sold first. It walks events_workspace_id_id_key. */
export const listSoldProducts = async (db: Db, workspaceId: string): Promise<SoldProduct[]> => {
  const { rows } = await sql<SoldProduct>`
    select line ->> 'productId' as "productId", max(line ->> 'name') as name
    from (
      select lines from events where workspace_id = ${workspaceId}
      order by id desc limit ${sql.lit(MOST_EVENTS)}
    ) recent,
    jsonb_array_elements(recent.lines) line
    where line ->> 'productId' is not null
    group by line ->> 'productId'
    order by count(*) desc, line ->> 'productId'
    limit ${sql.lit(MOST_PRODUCTS)}`.execute(db)
  return rows
}
