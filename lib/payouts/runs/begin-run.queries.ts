/** Begins payout runs, and decides whether they wait for approval. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { allSums, balancesOneByOne, type RunScope } from '../balances/due.queries.ts'
import { exceeds, totalsJson } from './limits.queries.ts'
import { NO_LIMITS, type Total } from './limits.ts'
import type { OpenRun } from './open-runs.queries.ts'

/**
 * What one manager may pay alone is counted over this time. What was canceled or has failed does
 * not count, unless it was sent after all or a manager said so, nor what another manager has
 * approved.
 */
const WEEK = sql`interval '7 days'`

/**
 * The sums paid by runs without approval in the last days, by currency. A run that has not claimed
 * everything counts with the most that it may pay.
 */
const paidAlone = (workspaceId: string, now: Date) => sql`
      with recent as (
        select workspace_id, id, claimed_at, expected from payout_runs
        where workspace_id = ${workspaceId} and created_at > ${now}::timestamptz - ${WEEK} and not needs_approval
      )
      select currency, sum(cents) as cents
      from (
        select p.currency::text, p.amount_cents as cents
        from recent r join payouts p on p.workspace_id = r.workspace_id and p.run_id = r.id
        where (r.claimed_at is not null or r.expected is null) 
          and (p.status not in ('failed', 'canceled') or num_nonnulls(p.found_transfer_id, p.resolved_at) > 0)
        union all
        select e.key, (e.value ->> 'amountCents')::bigint
        from recent r cross join jsonb_each(r.expected) e where r.claimed_at is null
      ) own group by currency`

/**
 * What a run would pay by currency, and whether that is more than the workspace lets one manager
 * pay. Where there is such a limit, a run pays no more than it would have paid when this was
 * decided.
 */
const dueAndApproval = (scope: RunScope, now: Date) => sql`
    due as materialized (
      select currency, sum(amount_cents)::bigint as cents, count(*) as count
      from (${balancesOneByOne(scope, allSums(scope))}) b where code is null group by currency
    ), alone as materialized (${paidAlone(scope.workspaceId, now)}
    ), decided as materialized (
      select w.approval_above_cents is not null as is_limited,
             coalesce((select max(due.cents + coalesce(alone.cents, 0)) from due left join alone using (currency))
                      > w.approval_above_cents, false) as needs
      from workspaces w where w.id = ${scope.workspaceId}
    )`

/** The sums that are due, as a run keeps them. */
const DUE_JSON = sql`
  (select coalesce(jsonb_object_agg(currency, jsonb_build_object('amountCents', cents, 'count', count)), '{}') from due)`

/** If `run`, the row just written, needs approval: mails to managers, and an audit entry. */
const askForApproval = (actor: string, now: Date) => sql`
    asked as (
      insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
      select uuidv7(), workspace_id, ${actor}, 'payout_run.approval_requested', id,
             jsonb_build_object('expected', expected), ${now}::timestamptz
      from run where needs_approval
    )
    insert into payout_run_notices (workspace_id, run_id, reason, created_at)
    select workspace_id, id, 'approval', ${now}::timestamptz from run where needs_approval`

type Begun = {
  id: string
  needsApproval: boolean
  /** Whether it pays no more than a sum. */
  isLimited: boolean
}

const begunQuery = (db: Db, id: string) =>
  db
    .selectFrom('payout_runs')
    .where('id', '=', id)
    .select([
      'id',
      sql<boolean>`(needs_approval is not false)`.as('needsApproval'),
      sql<boolean>`(expected is not null or max_amount_cents is not null)`.as('isLimited'),
    ])

/** The actor of scheduled runs in the audit log. */
const SCHEDULE = 'Schedule'

/**
 * Inserts a run without claims, with what the balance covers. Nothing is claimed between the check
 * and the insert. A run that waits for approval pays at most what it would pay now.
 *
 * @param expected what was previewed; null if any sum may be paid
 * @returns null if the run would pay more than was previewed
 */
export const beginRun = async (
  db: Db,
  scope: RunScope,
  { actor, now, firstId }: Pick<Act, 'actor' | 'now' | 'firstId'>,
  expected: Total[] | null = null,
): Promise<Begun | null> => {
  const { workspaceId, programId, method, cutoffAt, cover, maximum, limits = NO_LIMITS } = scope
  const id = idOf({ firstId })
  const kept = sql`${expected && totalsJson(expected)}::jsonb`
  const { previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents } = limits
  const insert = sql<unknown>`
    with ${dueAndApproval(scope, now)}, run as (
    insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, cover, maximum, previewed_at, expected,
                             exclude_partner_ids, exclude_commission_ids, max_amount_cents, needs_approval, created_by,
                             created_at)
    select ${id}::uuid, ${workspaceId}::uuid, ${programId}::uuid, ${method}, ${cutoffAt}::timestamptz,
           ${cover && JSON.stringify(cover)}::jsonb, ${maximum ? JSON.stringify(maximum) : null}::jsonb,
           coalesce(${previewedAt}::timestamptz, case when needs then ${now}::timestamptz end),
           case when is_limited then ${DUE_JSON} else ${kept} end,
           ${sql.val(excludePartnerIds)}::uuid[], ${sql.val(excludeCommissionIds)}::uuid[],
           ${Object.keys(maxAmountCents).length > 0 ? JSON.stringify(maxAmountCents) : null}::jsonb, needs, ${actor}, ${now}::timestamptz
    from decided
    where ${kept} is null or not exists (select from due where ${exceeds(
      { currency: sql`due.currency`, cents: sql`due.cents`, count: sql`due.count` },
      kept,
    )})
    on conflict do nothing returning id, workspace_id, needs_approval, expected
    ), ${askForApproval(actor, now)}`
  const [, , , [run]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    insert.compile(db),
    auditEntry(db, {
      workspaceId,
      actor,
      now,
      firstId,
      action: 'payout_run.begun',
      subjectId: id,
      details: { method, programId, ...(expected && { expected }) },
      when: sql<SqlBool>`exists (select from payout_runs where id = ${id})`,
    }).compile(),
    begunQuery(db, id).compile(),
  ])
  return run ?? null
}

/** Decides whether a scheduled run waits for approval, once. */
export const decideApproval = async (
  db: Db,
  run: OpenRun,
  now: Date,
): Promise<Begun | undefined> => {
  const { id, workspaceId } = run
  const decide = sql<unknown>`
    with ${dueAndApproval(run, now)}, run as (
    update payout_runs r
    set needs_approval = needs, previewed_at = case when needs then ${now}::timestamptz end,
        expected = case when is_limited then ${DUE_JSON} end
    from decided where r.id = ${id} and r.needs_approval is null
    returning r.id, r.workspace_id, r.needs_approval, r.expected
    ), ${askForApproval(SCHEDULE, now)}`
  const [, , [decided]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    decide.compile(db),
    begunQuery(db, id).compile(),
  ])
  return decided
}
