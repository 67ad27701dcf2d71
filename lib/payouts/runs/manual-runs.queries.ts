/** The steps of a manual run: mark as paid, undo that, confirm. cancel.queries.ts cancels runs. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, type AuditAction, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import type { PayoutSentDetails } from '../../mail/outbox/details.ts'
import { formatMoney } from '../../values/money.ts'
import { cancelRun } from '../corrections/cancel.queries.ts'
import {
  countPayouts,
  findRun,
  listRunLines,
  type Run,
  type RunLine,
  runQuery,
  toRun,
} from './runs.queries.ts'
import { type RunStep, refusalOf, STATUS_BEFORE } from './runs.ts'

type ManualStep = Exclude<RunStep, 'canceled'>

const ACTIONS: Record<ManualStep, AuditAction> = {
  paid: 'payout_run.marked_paid',
  processing: 'payout_run.unmarked',
  confirmed: 'payout_run.confirmed',
}

/**
 * Changes the status of a manual run in one transaction, or cancels a run of any method. Serialized
 * with concurrent changes. Idempotent.
 *
 * @param id a UUID
 * @param portalUrl the link in the mails to partners
 * @returns the run, with another status if the change was refused: see `refusalOf`; undefined if
 *   the workspace has no such run
 */
export const changeRun = async (
  db: Db,
  act: Act,
  id: string,
  wanted: RunStep,
  portalUrl: string,
): Promise<Run | undefined> => {
  if (wanted === 'canceled') return cancelRun(db, act, id)
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

/** The statement that changes a ready run, with its payouts, commissions or mails. */
const step = (
  wanted: ManualStep,
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
        update payouts po set paid_at = ${at} from run where ${isOfRun} and po.cancel_requested_at is null`
    case 'processing':
      return sql`
        with run as (update payout_runs set marked_paid_at = null where ${isReady} returning workspace_id, id)
        update payouts po set paid_at = null from run where ${isOfRun}`
    // Partners are mailed only now, because a confirmed run cannot change. A partner may have been
    // erased since the payouts were read.
    case 'confirmed':
      return sql`
        with run as (update payout_runs set confirmed_at = ${at} where ${isReady} returning workspace_id)
        insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at,
                           next_attempt_at)
        select m.id, run.workspace_id, 'payout_sent', p.email, p.id, m."payoutId", m.details, ${at}, ${at}
        from run cross join jsonb_to_recordset(${JSON.stringify(lines.map((line) => sentMail(line, portalUrl)))}::jsonb)
          as m(id uuid, "payoutId" uuid, "partnerId" uuid, details jsonb)
        join partners p on p.workspace_id = run.workspace_id and p.id = m."partnerId"
        on conflict do nothing`
  }
}

const sentMail = ({ partnerName, programName, ...line }: RunLine, portalUrl: string) => {
  const amount = formatMoney(line.amountCents, line.currency)
  const details: PayoutSentDetails = {
    partnerName,
    programName,
    amount,
    method: 'manual',
    portalUrl,
  }
  return { id: newId(), payoutId: line.id, partnerId: line.partnerId, details }
}
