/** Approves and declines payout runs that wait for a second manager. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { formatMoney } from '../money.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { PAYING_ROLES } from '../workspace/roles.ts'
import { type Approver, approvalRefusalOf } from './limits.ts'
import { findRun, type Run, runQuery, toRun } from './runs.queries.ts'

/** A manager as one who may approve a run. */
export const findApprover = async (
  db: Db,
  run: Run,
  workspaceId: string,
  email: string,
): Promise<Approver> => {
  const { rows } = await sql<{ mayApprove: boolean }>`
    select may_approve_1(${workspaceId}, ${email}, ${sql.val(PAYING_ROLES)}, ${run.createdAt}) as "mayApprove"`.execute(
    db,
  )
  return { email, mayApprove: rows[0]?.mayApprove === true }
}

/**
 * Approves a run, which the cron then continues, or declines it, in one transaction. Idempotent. Of an approval and a
 * concurrent refusal, the first one counts. All managers are mailed about an approval.
 *
 * @param id  a UUID
 * @param url the page of the run
 * @returns the run, and why the decision was refused; undefined if the workspace has no such run
 */
export const decideRun = async (
  db: Db,
  act: Act,
  id: string,
  { wanted, url }: { wanted: 'approve' | 'decline'; url: string },
): Promise<{ run: Run; refusal: string | null } | undefined> => {
  const { workspaceId, actor, now } = act
  const before = await findRun(db, workspaceId, id)
  if (!before) return undefined
  const approver = await findApprover(db, before, workspaceId, actor)
  const refusal = approvalRefusalOf(before, wanted, approver)
  if (refusal || (wanted === 'approve' ? before.approvedAt : before.declinedAt))
    return { run: before, refusal }

  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id} and needs_approval
    and approved_at is null and declined_at is null
    and (${wanted === 'decline'}::boolean
         or (created_by is distinct from ${actor} and may_approve_1(workspace_id, ${actor}, ${sql.val(PAYING_ROLES)}, created_at)))`
  const sum = (before.expected ?? [])
    .map(({ amountCents, currency }) => formatMoney(BigInt(amountCents), currency))
    .join(' and ')
  const decide =
    wanted === 'approve'
      ? sql<unknown>`
          with approved as (
            update payout_runs set approved_at = ${now}::timestamptz, approved_by = ${actor} where ${isReady} returning workspace_id
          )
          select mail_managers_1(workspace_id, 'run_approved', ${actor}, ${sum}, null, ${url}, ${newId()}, ${now}) from approved`
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
  if (!after) return undefined
  const run = toRun(after)
  return { run, refusal: approvalRefusalOf(run, wanted, approver) }
}
