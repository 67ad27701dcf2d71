/**
 * Work queues in tables. A Worker leases due rows: it sets their `next_attempt_at` to the end of
 * the lease, so that rows of a crashed Worker become due again. Rows keep the id of the lease, so
 * that a retried statement gets the same rows.
 */
import { type RawBuilder, sql } from 'kysely'

/** Candidates per needed row: more than concurrent Workers, because locked rows are skipped. */
const CANDIDATES_PER_ROW = 10

/** A lease: its rows are due again at its end. */
export type Lease = { id: string; end: Date }

type Queue = {
  /** `id`, `workspace_id`, `next_attempt_at`, `lease_id`. Rows without a workspace are one each. */
  table: string
  /** Whether a row `q` is unfinished: the predicate of the queue's partial index. */
  isOpen: (q: string) => RawBuilder<unknown>
  /** Whether such a row is due. */
  isDue: (q: string) => RawBuilder<unknown>
  /** The lease of this statement, or of a run whose pages end at different times. */
  lease: Lease
  /** A column: workspaces take turns within each of its values. */
  lane?: string
  /** The value of `lane` whose rows come first: at most 75% of the limit if others are due. */
  urgentLane?: string
  /** Whether the workspace that has waited longest comes first: for rows that become due again. */
  byWait?: boolean
  limit: number
}

/** Whether an earlier attempt of this statement leased the row `q`. */
export const isLeased = (q: string, { id, end }: Lease): RawBuilder<boolean> =>
  sql`(${sql.ref(`${q}.lease_id`)} = ${id}::uuid and ${sql.ref(`${q}.next_attempt_at`)} = ${end}::timestamptz)`

/** What a lease adds to the attempts of the row `q`. A retry adds nothing. */
export const oneAttempt = (q: string, { id }: Lease): RawBuilder<number> =>
  sql`(${sql.ref(`${q}.lease_id`)} is distinct from ${id}::uuid)::integer`

export const leaseOf = ({ id, end }: Lease): RawBuilder<unknown> =>
  sql`lease_id = ${id}::uuid, next_attempt_at = ${end}::timestamptz`

/**
 * The CTEs of a lease, the last of which is `due (id, place)`: up to `limit` locked rows for the
 * caller to update. Workspaces take turns, so that a long queue of one delays its own rows only.
 * Concurrent Workers get different rows. If the statement is repeated, they are those that it has
 * leased before.
 *
 * Candidates are looked up one by one: Postgres would plan a join by the size that the table had at
 * the last analyze.
 *
 * @example
 * ```ts
 * sql`with ${dueRows({ table: 'mails', isOpen, isDue, lease, limit })}
 *     update mails m set ${leaseOf(lease)} from due where m.id = due.id returning m.*`
 * ```
 */
export const dueRows = ({
  table,
  isOpen,
  isDue,
  lease,
  lane,
  urgentLane,
  byWait = false,
  limit,
}: Queue): RawBuilder<unknown> => {
  const queue = sql.table(table)
  const laneOf = lane ? sql.ref(`q.${lane}`) : sql`null::text`
  const waited = byWait ? sql`due_at` : sql`null::timestamptz`
  return sql`leased_before as (
      select q.id from ${queue} q where ${isOpen('q')} and ${isLeased('q', lease)} for update
    ), ranked as (
      select q.id, ${laneOf} as lane, q.next_attempt_at as due_at,
             row_number() over (partition by coalesce(q.workspace_id, q.id), ${laneOf} order by q.next_attempt_at, q.id) as rank
      from ${queue} q where ${isDue('q')} and not exists (select from leased_before)
    ), prioritized as (
      select id, rank, ${waited} as waited, lane is distinct from ${urgentLane ?? null}
                       or row_number() over (partition by lane order by rank, id) > ${limit}::integer * 3 / 4 as later
      from ranked
    ), candidates as (
      select id, later, rank, waited from prioritized order by later, rank, waited, id limit ${limit * CANDIDATES_PER_ROW}
    ), fresh as (
      select q.id, candidate.place
      from unnest(array(select id from candidates order by later, rank, waited, id)) with ordinality as candidate (id, place)
      join ${queue} q on q.id = candidate.id
      where ${isDue('q')} order by candidate.place limit ${limit} for update of q skip locked
    ), due as (
      select id, place from fresh
      union all select id, row_number() over (order by id) from leased_before
    )`
}
