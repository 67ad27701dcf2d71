/** Approves and declines payout runs that wait for a second manager. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, type AuditAction, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { PAYING_ROLES } from '../../rules/roles/roles.ts'
import { formatMoney } from '../../values/money.ts'
import { type Approver, approvalRefusalOf } from './limits.ts'
import { findRun, type Run, runQuery, toRun } from './runs.queries.ts'

/** Somebody as one who may approve a run. */
export const findApprover = async (
  db: Db,
  run: Run,
  workspaceId: string,
  email: string,
): Promise<Approver> => {
  const may = (address: string | null) =>
    sql`may_approve(${workspaceId}, ${address}, ${sql.val(PAYING_ROLES)}, ${run.createdAt})`
  const { rows } = await sql<{ mayApprove: boolean; isFirstValid: boolean }>`
    select ${may(email)} as "mayApprove", ${may(run.firstApprovedBy)} as "isFirstValid"`.execute(db)
  return {
    email,
    mayApprove: rows[0]?.mayApprove === true,
    isFirstValid: rows[0]?.isFirstValid === true,
  }
}

/**
 * Approves or declines a run in one transaction. The first of concurrent decisions counts. The cron
 * continues an approved run. A scheduled run needs two people; the first approval counts while that
 * person may approve. All managers get a mail about each approval. Idempotent.
 *
 * @param id a UUID
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

  const may = (address: Expression<unknown>) =>
    sql<SqlBool>`may_approve(workspace_id, ${address}, ${sql.val(PAYING_ROLES)}, created_at)`
  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id} and needs_approval
    and approved_at is null and declined_at is null
    and (${wanted === 'decline'}::boolean
         or (created_by is distinct from ${actor} and first_approved_by is distinct from ${actor}
             and ${may(sql`${actor}`)}))`
  const isFirst = sql<SqlBool>`(scheduled_for is not null and not ${may(sql.ref('first_approved_by'))})`
  const isReadyAs = (first: boolean) =>
    sql<SqlBool>`exists (select from payout_runs where ${isReady} and ${isFirst} = ${first}::boolean)`
  const sum = (before.expected ?? [])
    .map(({ amountCents, currency }) => formatMoney(BigInt(amountCents), currency))
    .join(' and ')
  const decide =
    wanted === 'approve'
      ? sql<unknown>`
          with approved as (
            update payout_runs
            set first_approved_at = case when ${isFirst} then ${now}::timestamptz else first_approved_at end,
                first_approved_by = case when ${isFirst} then ${actor} else first_approved_by end,
                approved_at = case when not ${isFirst} then ${now}::timestamptz end,
                approved_by = case when not ${isFirst} then ${actor} end
            where ${isReady}
            returning workspace_id,
                      case when approved_at is null then 'run_approved_first' else 'run_approved' end as notice
          )
          select mail_managers(workspace_id, notice, ${actor}, ${sum}, null, ${url}, ${newId()}, ${now})
          from approved`
      : sql<unknown>`
          update payout_runs set declined_at = ${now}::timestamptz, declined_by = ${actor}, claimed_at = ${now}::timestamptz
          where ${isReady}`
  const audit = (action: AuditAction, when: RawBuilder<SqlBool>) =>
    auditEntry(db, {
      ...act,
      action,
      subjectId: id,
      details: { expected: before.expected },
      when,
    }).compile()
  const [, , , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    audit(
      'payout_run.first_approved',
      sql`${wanted === 'approve'}::boolean and ${isReadyAs(true)}`,
    ),
    wanted === 'approve'
      ? audit('payout_run.approved', isReadyAs(false))
      : audit('payout_run.declined', sql`exists (select from payout_runs where ${isReady})`),
    decide.compile(db),
    runQuery(db, workspaceId, id).compile(),
  ])
  if (!after) return undefined
  const run = toRun(after)
  return { run, refusal: approvalRefusalOf(run, wanted, approver) }
}
