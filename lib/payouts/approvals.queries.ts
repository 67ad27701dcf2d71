/** Approves and declines payout runs that wait for a second manager. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { approvalRefusalOf } from './limits.ts'
import { findRun, type Run, runQuery, toRun } from './runs.queries.ts'

/**
 * Approves a run, which the cron then continues, or declines it, in one transaction. Idempotent. Of an approval and a
 * concurrent refusal, the first one counts.
 *
 * @param id a UUID
 * @returns the run, which is as it was if the decision was refused: see `approvalRefusalOf`; undefined if the workspace has
 *          no such run
 */
export const decideRun = async (
  db: Db,
  act: Act,
  id: string,
  wanted: 'approve' | 'decline',
): Promise<Run | undefined> => {
  const { workspaceId, actor, now } = act
  const before = await findRun(db, workspaceId, id)
  if (!before || approvalRefusalOf(before, wanted, actor)) return before

  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id} and needs_approval
    and approved_at is null and declined_at is null
    and (${wanted === 'decline'}::boolean or created_by is distinct from ${actor})`
  const decide =
    wanted === 'approve'
      ? sql<unknown>`update payout_runs set approved_at = ${now}::timestamptz, approved_by = ${actor} where ${isReady}`
      : sql<unknown>`
          update payout_runs set declined_at = ${now}::timestamptz, declined_by = ${actor}, claimed_at = ${now}::timestamptz
          where ${isReady}`
  const [, , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: wanted === 'approve' ? 'payout_run.approved' : 'payout_run.declined',
      subjectId: id,
      details: { expected: before.expected },
      when: sql<SqlBool>`exists (select from payout_runs where ${isReady})`,
    }).compile(),
    decide.compile(db),
    runQuery(db, workspaceId, id).compile(),
  ])
  return after && toRun(after)
}
