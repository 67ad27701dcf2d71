/** What people do with a manual run: mark it paid, take that back, confirm it, cancel it. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import type { PayoutSentDetails } from '../mail/details.ts'
import { formatMoney } from '../money.ts'
import { type Act, type AuditAction, auditEntry } from '../workspace/audit.queries.ts'
import type { RunStatus } from './payouts.ts'
import {
  countPayouts,
  findRun,
  listRunLines,
  type Run,
  type RunLine,
  runQuery,
  toRun,
} from './runs.queries.ts'
import { refusalOf, STATUS_BEFORE } from './runs.ts'

const ACTIONS: Record<RunStatus, AuditAction> = {
  paid: 'payout_run.marked_paid',
  processing: 'payout_run.unmarked',
  confirmed: 'payout_run.confirmed',
  canceled: 'payout_run.canceled',
}

/**
 * Takes a manual run to another status, all of it in one transaction: of two steps at once, the second finds what the
 * first has done. Asking twice does it once.
 *
 * @param id        a UUID
 * @param portalUrl where the mails that tell of its payouts lead to
 * @returns the run as it is then, which has another status when that was not possible: see `refusalOf`; undefined when
 *          the workspace has no such run
 */
export const changeRun = async (
  db: Db,
  act: Act,
  id: string,
  wanted: RunStatus,
  portalUrl: string,
): Promise<Run | undefined> => {
  const { workspaceId } = act
  const before = await findRun(db, workspaceId, id)
  if (!before || before.status === wanted || refusalOf(before, wanted)) return before

  const isReady = sql<SqlBool>`workspace_id = ${workspaceId} and id = ${id}
                               and claimed_at is not null and manual_status = ${STATUS_BEFORE[wanted]}`
  const lines = wanted === 'confirmed' ? await listRunLines(db, workspaceId, id) : []
  const [, , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: ACTIONS[wanted],
      subjectId: id,
      details: { payouts: countPayouts(before) },
      when: sql<SqlBool>`exists (select from payout_runs where ${isReady})`,
    }).compile(),
    step(wanted, isReady, act, lines, portalUrl).compile(db),
    runQuery(db, workspaceId, id).compile(),
  ])
  return after && toRun(after)
}

/** The statement that takes a run a step on, if it is ready for it, with all that belongs to it. */
const step = (
  wanted: RunStatus,
  isReady: RawBuilder<SqlBool>,
  { now }: Act,
  lines: RunLine[],
  portalUrl: string,
): RawBuilder<unknown> => {
  const isOfRun = sql`po.workspace_id = run.workspace_id and po.run_id = run.id`
  const at = sql`${now}::timestamptz`
  switch (wanted) {
    case 'paid':
      return sql`
        with run as (update payout_runs set marked_paid_at = ${at} where ${isReady} returning workspace_id, id)
        update payouts po set paid_at = ${at} from run where ${isOfRun}`
    case 'processing':
      return sql`
        with run as (update payout_runs set marked_paid_at = null where ${isReady} returning workspace_id, id)
        update payouts po set paid_at = null from run where ${isOfRun}`
    // By the payout alone, whose commissions are of its workspace: a plan by the workspace reads all of them for each.
    case 'canceled':
      return sql`
        with run as (update payout_runs set canceled_at = ${at} where ${isReady} returning workspace_id, id),
             gone as (update payouts po set canceled_at = ${at} from run where ${isOfRun} returning po.id)
        update commissions c set payout_id = null from gone where c.payout_id = gone.id`
    // Partners are told only now: nothing follows that would make the mail untrue.
    case 'confirmed':
      return sql`
        with run as (update payout_runs set confirmed_at = ${at} where ${isReady} returning workspace_id)
        insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at,
                           next_attempt_at)
        select m.id, run.workspace_id, 'payout_sent', m.recipient, m."partnerId", m."payoutId", m.details, ${at}, ${at}
        from run, jsonb_to_recordset(${JSON.stringify(lines.map((line) => sentMail(line, portalUrl)))}::jsonb)
          as m(id uuid, "payoutId" uuid, "partnerId" uuid, recipient text, details jsonb)
        on conflict do nothing`
  }
}

/** The mail that tells a partner of its payout, as a row of the outbox. */
const sentMail = ({ partnerName, programName, ...line }: RunLine, portalUrl: string) => {
  const amount = formatMoney(line.amountCents, line.currency)
  const details: PayoutSentDetails = { partnerName, programName, amount, method: 'manual', portalUrl }
  return { id: newId(), payoutId: line.id, partnerId: line.partnerId, recipient: line.email, details }
}
