/** Finds the payout runs about which managers must be mailed, and adds the mails. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { MailKind } from '../../mail/mails.ts'
import type { PayoutRunDetails } from '../../mail/outbox/details.ts'
import { occurrences } from '../../rules/programs/schedules.ts'
import { PAYING_ROLES } from '../../rules/roles/roles.ts'
import { allSums, balances, type RunScope } from '../balances/due.queries.ts'
import type { OpenRun } from '../runs/open-runs.queries.ts'
import type { CodeTotal, NoticeReason } from './notices.ts'

/** The workspace in the mails. `programName` is null for all programs. */
type About = { workspaceName: string; slug: string; programName: string | null }

/** A run that managers are to be mailed about. */
export type DueNotice = OpenRun &
  About & {
    reasons: NoticeReason[]
    scheduledFor: Date | null
    sendsAt: Date | null
    isStopped: boolean
    /** What it would pay, if it waits for approval: by currency. */
    toApprove: Record<string, { amountCents: number; count: number }> | null
  }

/** The longest wait for payouts that were never attempted. */
const PATIENCE = sql`interval '1 hour'`

/**
 * Whether the mail for a notice `n` of a run `r` is due. A review that has ended, as while it
 * waited for approval, is part of the report.
 */
const isDue = (now: Date) => sql`case
  when n.reason = 'approval' then true
  when r.claimed_at is null then false
  when r.canceled_at is not null then true
  when r.sends_at > ${now}::timestamptz then n.reason = 'review'
  when greatest(r.claimed_at, r.sends_at) <= ${now}::timestamptz - ${PATIENCE} then true
  else not exists (select from payouts p where p.workspace_id = r.workspace_id and p.run_id = r.id
                                           and p.status = 'processing' and p.attempts = 0) end`

const dueNotices = (now: Date) => sql`
          from payout_run_notices n join payout_runs r on r.id = n.run_id
          where n.mailed_at is null and ${isDue(now)}`

export const anyNotices = (now: Date) => sql`select ${dueNotices(now)}`

/** The runs to report to managers, once all payouts were attempted: one mail covers all of them. */
export const listDueNotices = async (db: Db, now: Date, limit: number): Promise<DueNotice[]> => {
  const { rows } = await sql<DueNotice>`
    select r.id, r.workspace_id as "workspaceId", r.program_id as "programId", r.method, r.cutoff_at as "cutoffAt", r.cover,
           r.scheduled_for as "scheduledFor", r.sends_at as "sendsAt",
           (r.declined_at is not null or r.canceled_at is not null) as "isStopped",
           case when r.needs_approval and num_nonnulls(r.approved_at, r.declined_at) = 0
                then coalesce(r.expected, '{}') end as "toApprove",
           w.name as "workspaceName", w.slug, g.name as "programName", n.reasons
    from (select n.run_id, array_agg(n.reason) as reasons ${dueNotices(now)}
          group by n.run_id) n
    join payout_runs r on r.id = n.run_id
    join workspaces w on w.id = r.workspace_id
    left join programs g on g.id = r.program_id
    order by r.id limit ${limit}`.execute(db)
  return rows
}

/** The balances in a scope by currency and skip reason, without debts. */
const balanceTotals = (
  scope: RunScope,
  where: RawBuilder<unknown> = sql`true`,
): RawBuilder<CodeTotal> => sql`
  select coalesce(b.code, 'payable') as code, b.currency, count(*)::int as payouts, sum(b.amount_cents)::bigint as "amountCents"
  from (${balances(scope, allSums(scope))}) b
  where b.code is distinct from 'negative_balance' and ${where}
  group by 1, 2 order by 1, 2`

/** The outcome of a run: payouts, skipped balances, and the most frequent messages of Stripe. */
export const readOutcome = async (db: Db, run: DueNotice) => {
  const { id, workspaceId } = run
  const isOfRun = sql`p.workspace_id = ${workspaceId} and p.run_id = ${id}`
  const payouts = sql<CodeTotal>`
    select case when p.found_transfer_id is not null then 'found_sent'
                when r.created_by = 'Stripe' and p.status = 'paid' then 'adopted' else p.status end as code, p.currency, count(*)::int as payouts, sum(p.amount_cents)::bigint as "amountCents"
    from payouts p join payout_runs r on r.id = p.run_id where ${isOfRun} group by 1, 2 order by 1, 2`
  const messages = sql<{ message: string }>`
    select p.last_error as message from payouts p
    where ${isOfRun} and p.last_error is not null and p.status in ('failed', 'processing')
    group by 1 order by count(*) desc, 1 limit 5`
  // What failed is payable again: it is not counted twice.
  const isElsewhere = sql`not exists (select from payouts p where ${isOfRun} and p.partner_id = b.partner_id
                                                              and p.currency = b.currency)`
  const [totals, skipped, texts] = await db.batch([
    payouts.compile(db),
    balanceTotals(run, isElsewhere).compile(db),
    messages.compile(db),
  ])
  return {
    totals,
    // What became payable since the run is left to the next run.
    skipped: skipped.filter(({ code }) => code !== 'payable'),
    messages: texts.map(({ message }) => message),
  }
}

type ManagerMail = {
  kind: MailKind
  details: PayoutRunDetails
  /** Whether it also goes to managers who turned off mails about runs. */
  isForAll?: boolean
}

/** Adds a mail to each manager who may pay and gets such mails, if the CTE `marked` has a row. */
const toManagers = (
  workspaceId: string,
  { kind, details, isForAll = false }: ManagerMail,
  now: Date,
) => sql`
  insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
  select uuidv7(), m.workspace_id, ${kind}, m.email, ${JSON.stringify(details)}::jsonb, ${now}::timestamptz,
         ${now}::timestamptz
  from members m
  where m.workspace_id = ${workspaceId} and m.role = any (${sql.val(PAYING_ROLES)}::text[])
    and (m.payout_mails or ${isForAll}::boolean)
    and exists (select from marked)`

/** Marks a run's notices as mailed, with the reported problems, and adds the mail, if any. Once. */
export const mailNotice = async (
  db: Db,
  { id, workspaceId, reasons }: DueNotice,
  reported: NoticeReason[],
  mail: ManagerMail | null,
  now: Date,
): Promise<void> => {
  const marked = sql`
    with marked as (
      update payout_run_notices set mailed_at = ${now}
      where run_id = ${id} and reason = any (${sql.val(reasons)}::text[]) and mailed_at is null returning run_id
    ), reported as (
      insert into payout_run_notices (workspace_id, run_id, reason, created_at, mailed_at)
      select ${workspaceId}::uuid, ${id}::uuid, reason, ${now}::timestamptz, ${now}::timestamptz
      from unnest(${sql.val(reported)}::text[]) reason on conflict do nothing
    )`
  await sql`${marked} ${mail ? toManagers(workspaceId, mail, now) : sql`select`}`.execute(db)
}

/** A program with a scheduled run of which managers get a preview. */
export type DuePreview = About & { workspaceId: string; programId: string; at: Date }

/** The programs whose next scheduled run is so near that its preview is due, with its time. */
export const duePreviews = (now: Date, aheadMs: number) => {
  const soon = occurrences('next', now).filter(({ at }) => at.getTime() - now.getTime() <= aheadMs)
  return sql`
    select g.id, min(t.at) as at
    from jsonb_to_recordset(${JSON.stringify(soon)}::jsonb)
      as t(schedule text, day integer, defaults integer[], at timestamptz)
    join programs g on g.payout_schedule = t.schedule and t.day = any (coalesce(g.payout_days, t.defaults))
                   and g.payout_schedule_since <= t.at and g.mode <> 'shadow'
    join stripe_keys k on k.workspace_id = g.workspace_id
    group by g.id having min(t.at) is distinct from g.payouts_previewed_for`
}

export const listDuePreviews = async (
  db: Db,
  now: Date,
  aheadMs: number,
  limit: number,
): Promise<DuePreview[]> => {
  const { rows } = await sql<DuePreview>`
    select g.workspace_id as "workspaceId", g.id as "programId", g.name as "programName", w.name as "workspaceName", w.slug,
           due.at
    from (${duePreviews(now, aheadMs)}) due
    join programs g on g.id = due.id
    join workspaces w on w.id = g.workspace_id
    order by due.at, g.id limit ${limit}`.execute(db)
  return rows
}

export const readPreview = async (db: Db, scope: RunScope): Promise<CodeTotal[]> =>
  (await balanceTotals(scope).execute(db)).rows

/** Marks the preview of a program's run as mailed, and adds the mail, if there is one. Once. */
export const mailPreview = async (
  db: Db,
  { workspaceId, programId, at }: DuePreview,
  mail: ManagerMail | null,
  now: Date,
): Promise<void> => {
  const marked = sql`
    with marked as (
      update programs set payouts_previewed_for = ${at}
      where id = ${programId} and payouts_previewed_for is distinct from ${at}::timestamptz returning id
    )`
  await sql`${marked} ${mail ? toManagers(workspaceId, mail, now) : sql`select`}`.execute(db)
}
