/** Current and recent expensive requests: see expensive_requests in schema/tenancy.sql. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/**
 * The lease of a request: longer than its database calls take together, and short enough that a
 * crashed request blocks little.
 */
const LEASE = sql`interval '15 seconds'`

type Beginning = { id: string; budgetId: string; most: number; mostAtOnce: number }

/** Begins a request, in one round trip. @returns 0, or the seconds after which to retry */
export const beginExpensive = async (
  db: Db,
  { id, budgetId, most, mostAtOnce }: Beginning,
): Promise<number> => {
  const { rows } = await sql<{ seconds: number }>`
    select begin_expensive(${id}, ${budgetId}, ${most}, ${mostAtOnce}, ${LEASE}) as seconds`.execute(
    db,
  )
  return rows[0]?.seconds ?? 0
}

/** Extends the lease. */
export const renewExpensive = async (db: Db, id: string): Promise<void> => {
  await sql`update expensive_requests set held_until = clock_timestamp() + ${LEASE} where id = ${id}`.execute(
    db,
  )
}

/** Ends a request. It stays counted for ten seconds. */
export const endExpensive = async (db: Db, id: string): Promise<void> => {
  await sql`update expensive_requests set held_until = least(held_until, clock_timestamp()) where id = ${id}`.execute(
    db,
  )
}
