/**
 * Work queues in tables. A Worker leases the rows that are due: it moves their `next_attempt_at` to the end of the
 * lease, so that rows of a Worker that died become due again.
 */
import { type RawBuilder, sql } from 'kysely'

/** Candidates per row needed. Must exceed the number of concurrent Workers, because locked rows are skipped. */
const CANDIDATES_PER_ROW = 10

type Queue = {
  /** Has `id`, `workspace_id` and `next_attempt_at`. A row without a workspace takes turns as one of its own. */
  table: string
  /** Whether a row is due. Use the predicate of the queue's partial index. @param q the alias of the row */
  isDue: (q: string) => RawBuilder<unknown>
  /** A column: workspaces take turns within each of its values. */
  lane?: string
  /** The value of `lane` whose rows come first. They get at most three quarters of the limit if other rows are due. */
  urgentLane?: string
  /** Of workspaces that are level, the one that has waited longest comes first: for leases of few rows that become due again. */
  byWait?: boolean
  limit: number
}

/**
 * The CTEs of a lease, the last of which is `due (id, place)`: up to `limit` locked rows for the caller to update.
 * Workspaces take turns, so that a long queue of one delays its own rows only. Concurrent Workers get different rows.
 *
 * Candidates are looked up one by one: Postgres would plan a join by the size that the table had at the last analyze.
 *
 * @example
 * ```ts
 * sql`with ${dueRows({ table: 'mails', isDue, limit })}
 *     update mails m set next_attempt_at = ${leaseEnd} from due where m.id = due.id returning m.*`
 * ```
 */
export const dueRows = ({
  table,
  isDue,
  lane,
  urgentLane,
  byWait = false,
  limit,
}: Queue): RawBuilder<unknown> => {
  const queue = sql.table(table)
  const laneOf = lane ? sql.ref(`q.${lane}`) : sql`null::text`
  const waited = byWait ? sql`due_at` : sql`null::timestamptz`
  return sql`ranked as (
      select q.id, ${laneOf} as lane, q.next_attempt_at as due_at,
             row_number() over (partition by coalesce(q.workspace_id, q.id), ${laneOf} order by q.next_attempt_at, q.id) as rank
      from ${queue} q where ${isDue('q')}
    ), prioritized as (
      select id, rank, ${waited} as waited, lane is distinct from ${urgentLane ?? null}
                       or row_number() over (partition by lane order by rank, id) > ${limit}::integer * 3 / 4 as later
      from ranked
    ), candidates as (
      select id, later, rank, waited from prioritized order by later, rank, waited, id limit ${limit * CANDIDATES_PER_ROW}
    ), due as (
      select q.id, candidate.place
      from unnest(array(select id from candidates order by later, rank, waited, id)) with ordinality as candidate (id, place)
      join ${queue} q on q.id = candidate.id
      where ${isDue('q')} order by candidate.place limit ${limit} for update of q skip locked
    )`
}
