/** Checks before crons work: an idle run is one query, and the database sleeps in between. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './connection.ts'

/**
 * Which kinds of work are due, in one round trip.
 *
 * @param work a condition by kind
 * @example
 * ```ts
 * const due = await whatIsDue(db, { mails: hasDueMails(now), held: hasHeldMails })
 * ```
 */
export const whatIsDue = async <Kind extends string>(
  db: Db,
  work: Record<Kind, RawBuilder<unknown>>,
): Promise<Record<Kind, boolean>> => {
  const columns = Object.entries<RawBuilder<unknown>>(work).map(
    ([kind, is]) => sql`(${is}) as ${sql.ref(kind)}`,
  )
  const { rows } = await sql<Record<Kind, boolean>>`select ${sql.join(columns)}`.execute(db)
  const [due] = rows
  if (!due) throw new Error('Postgres returned no row.')
  return due
}

/** Whether any of these queries finds a row. */
export const anyExists = (queries: RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join(
    queries.map((query) => sql`exists (${query})`),
    sql` or `,
  )
