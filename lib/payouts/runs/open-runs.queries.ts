/** Runs that have not claimed everything: schedules begin theirs, and the cron continues all. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { occurrences } from '../../rules/programs/schedules.ts'
import type { RunScope } from '../balances/due.queries.ts'

/** The occurrences of schedules that are due and have no run yet, of each program the latest. */
export const dueOccurrences = (now: Date) => sql`
    select due.*
    from (select g.workspace_id, g.id, g.review_days, max(t.at) as at
          from jsonb_to_recordset(${JSON.stringify(occurrences('latest', now))}::jsonb)
            as t(schedule text, day integer, defaults integer[], at timestamptz)
          join programs g on g.payout_schedule = t.schedule and t.day = any (coalesce(g.payout_days, t.defaults))
                         and g.payout_schedule_since <= t.at and g.mode <> 'shadow'
          join stripe_keys k on k.workspace_id = g.workspace_id
          group by g.id) due
    where not exists (select from payout_runs r where r.program_id = due.id and r.scheduled_for = due.at)`

/**
 * Inserts the runs of programs whose schedule is due, one per occurrence, of which managers get a
 * report. Idempotent. Programs of workspaces without a Stripe key wait for one.
 */
export const beginScheduledRuns = async (db: Db, now: Date): Promise<void> => {
  await sql`
    with begun as (
    insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, scheduled_for, sends_at, needs_approval,
                             created_at)
    select uuidv7(), due.workspace_id, due.id, 'stripe', ${now}::timestamptz, due.at,
           case when due.review_days > 0 then ${now}::timestamptz + make_interval(days => due.review_days) end, null,
           ${now}::timestamptz
    from (${dueOccurrences(now)}) due
    on conflict do nothing returning id, workspace_id, sends_at, created_at
    )
    insert into payout_run_notices (workspace_id, run_id, reason, created_at)
    select workspace_id, id, reason, created_at from begun cross join unnest(array['review', 'report']) reason
    where reason = 'report' or sends_at is not null`.execute(db)
}

export type OpenRun = RunScope & {
  id: string
  /** Whether it pays no more than a sum. */
  isLimited?: boolean
  needsApproval?: boolean | null
}

const isUnclaimed = sql<SqlBool>`(claimed_at is null and (needs_approval is not true or approved_at is not null))`

/** Runs that have not claimed everything yet, and wait for nobody. */
export const unclaimedRuns = sql`select from payout_runs where ${isUnclaimed}`

/** The oldest runs that have not claimed everything yet, and wait for nobody. */
export const listUnclaimedRuns = async (db: Db, limit: number): Promise<OpenRun[]> => {
  const rows = await db
    .selectFrom('payout_runs')
    .where(isUnclaimed)
    .select([
      'id',
      'workspace_id as workspaceId',
      'program_id as programId',
      'method',
      'cutoff_at as cutoffAt',
      'cover',
      'maximum',
      'previewed_at as previewedAt',
      'exclude_partner_ids as excludePartnerIds',
      'exclude_commission_ids as excludeCommissionIds',
      'max_amount_cents as maxAmountCents',
      sql<boolean>`(expected is not null or max_amount_cents is not null)`.as('isLimited'),
      'needs_approval as needsApproval',
    ])
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(
    ({ previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents, ...run }) => ({
      ...run,
      limits: {
        previewedAt,
        excludePartnerIds,
        excludeCommissionIds,
        maxAmountCents: maxAmountCents ?? {},
      },
    }),
  )
}
