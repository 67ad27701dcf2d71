/** The scheduled upkeep of shadow runs: finds those to compare, and adds the weekly mails. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { ShadowWeekDetails } from '../mail/outbox/details.ts'

/** The interval between two comparisons of a run by cron. */
const LOOK_MS = 5 * 60_000
export const WEEK_MS = 7 * 86_400_000

const before = (now: Date, ms: number) => new Date(now.getTime() - ms)

/** Runs that were not compared recently. */
export const shadowRunsToCompare = (now: Date) => sql`
  select program_id, started_at from shadow_runs
  where ended_at is null and (looked_at is null or looked_at <= ${before(now, LOOK_MS)}::timestamptz)`

export type DueShadowRun = {
  workspaceId: string
  programId: string
  programName: string
  workspaceName: string
  slug: string
  isMailDue: boolean
}

/** Leases some of these. Each is returned once. */
export const takeShadowRuns = async (db: Db, now: Date, limit: number): Promise<DueShadowRun[]> => {
  const { rows } = await sql<DueShadowRun>`
    with taken as (
      update shadow_runs r set looked_at = ${now}::timestamptz
      where (r.program_id, r.started_at) in (${shadowRunsToCompare(now)} order by looked_at nulls first limit ${limit}
                                             for update skip locked)
      returning r.*
    )
    select t.workspace_id as "workspaceId", t.program_id as "programId", g.name as "programName", w.name as "workspaceName", w.slug,
           coalesce(t.mailed_at, t.started_at) <= ${before(now, WEEK_MS)}::timestamptz as "isMailDue"
    from taken t join programs g on g.id = t.program_id join workspaces w on w.id = t.workspace_id`.execute(
    db,
  )
  return rows
}

/** Adds the weekly mail of a run to each manager who wants mails about payouts, once. */
export const mailShadowWeek = async (
  db: Db,
  { workspaceId, programId }: DueShadowRun,
  details: ShadowWeekDetails,
  now: Date,
): Promise<void> => {
  await sql`
    with marked as (
      update shadow_runs set mailed_at = ${now}::timestamptz
      where program_id = ${programId} and ended_at is null
        and coalesce(mailed_at, started_at) <= ${before(now, WEEK_MS)}::timestamptz
      returning workspace_id
    )
    insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
    select uuidv7(), m.workspace_id, 'shadow_week', m.email, ${JSON.stringify(details)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
    from marked join members m on m.workspace_id = ${workspaceId} and m.role = 'manager' and m.payout_mails`.execute(
    db,
  )
}
