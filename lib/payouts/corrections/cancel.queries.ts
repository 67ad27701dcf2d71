/**
 * Cancels payouts and runs. Nothing is sent from then on. Payouts that were never requested at
 * Stripe, or that it has refused, end immediately. The sender looks up the transfers of the others
 * until their keys have expired: see transfer.service.ts.
 */
import { type CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { freeing, freePage } from '../balances/freeing.queries.ts'
import { type PayoutRow, payoutQuery } from '../payouts.queries.ts'
import { countPayouts, findRun, type Run, runQuery, toRun } from '../runs/runs.queries.ts'
import { refusalOf } from '../runs/runs.ts'
import { cancelRefusalOf } from './cancel.ts'

const PAYOUTS_PER_PAGE = 1_000
/** The time that a request cancels payouts and releases commissions. The cron continues. */
const REQUEST_MS = 4_000

/** Whether the payout `p` can be canceled. */
const isOpen = sql`p.paid_at is null and p.failed_at is null and p.cancel_requested_at is null`

/** Whether no request for the transfer of `p` is in flight: none used its key, or all failed. */
const isUnsent = sql`(p.stripe_account_id is null or p.key_used_at is null)`

/** Cancels payouts, `p`, after `lockPayouts`, because a payout may be growing. @param which ones */
const cancel = (which: RawBuilder<unknown>, now: Date) => sql<unknown>`
  update payouts p
  set cancel_requested_at = ${now}, next_attempt_at = ${now}, claimed_at = coalesce(p.claimed_at, ${now}),
      canceled_at = case when ${isUnsent} then ${now}::timestamptz end, is_freeing = ${isUnsent}
  where ${isOpen} and ${which}`

/** An audit entry per payout that is about to be canceled. */
const auditCanceled = (which: RawBuilder<unknown>, { actor, now }: Act) => sql<unknown>`
  insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
  select uuidv7(), p.workspace_id, ${actor}, 'payout.canceled', p.id,
         jsonb_build_object('amountCents', p.amount_cents, 'currency', p.currency), ${now}::timestamptz
  from payouts p where ${isOpen} and ${which}`

/** Releases commissions until none is left, or the request has taken long enough. */
const freeUntil = async (db: Db, which: RawBuilder<unknown>, end: number): Promise<void> => {
  while ((await freePage(db, which)) && Date.now() < end);
}

/**
 * Cancels a payout. Idempotent.
 *
 * @param id a UUID
 * @returns the payout, unchanged if it was sent or has ended: see `cancelRefusalOf`; undefined if
 *   the workspace has no such payout
 */
export const cancelPayout = async (
  db: Db,
  act: Act,
  id: string,
): Promise<PayoutRow | undefined> => {
  const { workspaceId, now } = act
  const before = await payoutQuery(db, workspaceId, id).executeTakeFirst()
  if (before?.status !== 'processing' || cancelRefusalOf(before)) return before
  const which = sql`p.workspace_id = ${workspaceId} and p.id = ${id}`
  await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditCanceled(which, act).compile(db),
    cancel(which, now).compile(db),
  ])
  await freeUntil(db, which, Date.now() + REQUEST_MS)
  return payoutQuery(db, workspaceId, id).executeTakeFirst()
}

/**
 * Statements that cancel the unsent payouts of partners, for the end of the batch that bans them:
 * they wait for a concurrent claim, which does not know of the ban. Payouts by bank stay: only the
 * merchant knows whether the bank has them.
 */
export const cancelForBan = (db: Db, act: Act, partnerIds: readonly string[]): CompiledQuery[] => {
  const which = sql`p.workspace_id = ${act.workspaceId} and p.partner_id in (${sql.join(partnerIds)}) and p.stripe_account_id is not null`
  return [
    lockPayouts(act.workspaceId).compile(db),
    auditCanceled(which, act).compile(db),
    cancel(which, act.now).compile(db),
    ...freeing(db, which),
  ]
}

/** Cancels a page of the payouts of a run that was canceled. @internal */
export const cancelOfRun = (runId: string, now: Date) => {
  // As an array, Postgres reads the page once, whatever sizes it plans by.
  const next = sql`array(select q.id from payout_runs r join payouts q on q.run_id = r.id
                         where r.id = ${runId} and r.canceled_at is not null and q.paid_at is null and q.failed_at is null
                           and q.cancel_requested_at is null limit ${PAYOUTS_PER_PAGE})`
  return cancel(sql`p.id = any (${next})`, now)
}

/** Ends the cancellation of a run of which no payout is open any more. */
const endCanceling = (runId: string) => sql<unknown>`
  update payout_runs r set is_canceling = false
  where r.id = ${runId} and r.is_canceling
    and not exists (select from payouts p where p.run_id = r.id and ${isOpen})`

const stopRun = (db: Db, act: Act, run: Run): RawBuilder<unknown> => {
  const { workspaceId, now } = act
  const isReady = sql<SqlBool>`
    workspace_id = ${workspaceId} and id = ${run.id} and canceled_at is null and marked_paid_at is null`
  const entry = auditEntry(db, {
    ...act,
    action: 'payout_run.canceled',
    subjectId: run.id,
    details: { payouts: countPayouts(run) },
    when: sql<SqlBool>`exists (select from payout_runs where ${isReady})`,
  })
  return sql`
    with entry as (${entry})
    update payout_runs set canceled_at = ${now}, claimed_at = coalesce(claimed_at, ${now}), is_canceling = true
    where ${isReady}`
}

/**
 * Cancels the next payouts of a canceled run, and releases a page of its commissions, in one batch.
 *
 * @param stop stops the run in the same batch, unless it was stopped before
 * @returns the run, and whether there is more to do
 */
const continueRun = async (
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  now: Date,
  stop: RawBuilder<unknown> = sql`select`,
): Promise<{ hasMore: boolean; run: Run | undefined }> => {
  const ofRun = sql`p.workspace_id = ${workspaceId} and p.run_id = ${id}`
  const left = sql<{ hasMore: boolean }>`
    select is_canceling or exists (select from payouts p where p.is_freeing and ${ofRun}) as "hasMore"
    from payout_runs where workspace_id = ${workspaceId} and id = ${id}`
  const [, , , , , , [progress], [row]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    stop.compile(db),
    cancelOfRun(id, now).compile(db),
    endCanceling(id).compile(db),
    ...freeing(db, ofRun),
    left.compile(db),
    runQuery(db, workspaceId, id).compile(),
  ])
  return { hasMore: progress?.hasMore ?? false, run: row && toRun(row) }
}

/**
 * Cancels a run: it claims nothing more, and unsent payouts are canceled. Sent ones are not. The
 * next request or the cron continues an interrupted cancellation. Idempotent.
 *
 * @param id a UUID
 * @returns the run, with another status if it was refused: see `refusalOf`; undefined without one
 */
export const cancelRun = async (db: Db, act: Act, id: string): Promise<Run | undefined> => {
  const { workspaceId, now } = act
  const before = await findRun(db, workspaceId, id)
  if (!before || before.status === 'canceled' || refusalOf(before, 'canceled')) return before
  const end = Date.now() + REQUEST_MS
  const stop = before.canceledAt ? undefined : stopRun(db, act, before)
  let step = await continueRun(db, { workspaceId, id }, now, stop)
  while (step.hasMore && Date.now() < end) step = await continueRun(db, { workspaceId, id }, now)
  return step.run
}

/** Unfinished work of requests: canceled runs, and payouts that still release commissions. */
export const unfinishedCancels = [
  sql`select from payout_runs where is_canceling`,
  sql`select from payouts where is_freeing`,
]

/**
 * Cancels a page of payouts of a canceled run, or releases a page of commissions. @returns whether
 * there may be more
 */
export const continueCanceling = async (db: Db, now: Date): Promise<boolean> => {
  const [run] = await db
    .selectFrom('payout_runs')
    .where('is_canceling', '=', true)
    .select(['id', 'workspace_id as workspaceId'])
    .orderBy('id')
    .limit(1)
    .execute()
  if (!run) return freePage(db, sql`true`)
  await continueRun(db, run, now)
  return true
}
