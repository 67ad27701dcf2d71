/** The review of a scheduled run: its end, before which nothing is sent, can be brought forward. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { countPayouts, findRun, type Run, runQuery, toRun } from './runs.queries.ts'

/**
 * Ends the review of a run, whose payouts are then sent. Idempotent.
 *
 * @param id a UUID
 * @returns the run, unchanged if it is not in review; undefined if the workspace has no such run
 */
export const endReview = async (db: Db, act: Act, id: string): Promise<Run | undefined> => {
  const { workspaceId, now } = act
  const before = await findRun(db, workspaceId, id)
  if (before?.status !== 'review') return before
  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id} and sends_at > ${now}::timestamptz
                               and canceled_at is null`
  const end = sql`
    with run as (update payout_runs set sends_at = ${now} where ${isReady} returning workspace_id, id)
    update payouts po set next_attempt_at = ${now} from run
    where po.workspace_id = run.workspace_id and po.run_id = run.id and po.attempts = 0`
  const [, , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'payout_run.review_ended',
      subjectId: id,
      details: { payouts: countPayouts(before) },
      when: sql<SqlBool>`exists (select from payout_runs where ${isReady})`,
    }).compile(),
    end.compile(db),
    runQuery(db, workspaceId, id).compile(),
  ])
  return after && toRun(after)
}
