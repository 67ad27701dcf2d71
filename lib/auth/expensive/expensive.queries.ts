/** Expensive requests that run, or have just run: see expensive_requests in schema.sql. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/**
 * How long a request holds its place unless it is renewed: longer than the calls of a request to
 * the database take together, and short enough that one that died is not missed.
 */
const LEASE = sql`interval '15 seconds'`

type Beginning = { id: string; budgetId: string; most: number; mostAtOnce: number }

/**
 * Begins a request, in one round trip.
 * @returns 0, or after how many seconds it may be tried again
 */
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

/** Holds the place of a request for longer. */
export const renewExpensive = async (db: Db, id: string): Promise<void> => {
  await sql`update expensive_requests set held_until = clock_timestamp() + ${LEASE} where id = ${id}`.execute(
    db,
  )
}

/** Gives the place of a request free. It stays counted for ten seconds. */
export const endExpensive = async (db: Db, id: string): Promise<void> => {
  await sql`update expensive_requests set held_until = least(held_until, clock_timestamp()) where id = ${id}`.execute(
    db,
  )
}
