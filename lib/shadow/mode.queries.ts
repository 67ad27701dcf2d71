/** Starts shadow runs. cut-over.queries.ts ends them. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import type { StartFacts } from '../rules/programs/mode.ts'
import { NEVER } from '../rules/steps/commissions.ts'

/** Whether a program can start a shadow run: `StartFacts`, under the locks of `lockProgram`. */
const factsOf = (workspaceId: string, programId: string) => sql`
  select g.mode, exists (select from shadow_runs r where r.program_id = g.id and r.ended_at is not null) as "wasCutOver",
         (select count(*) from payout_runs r where r.workspace_id = g.workspace_id and r.program_id = g.id
            and r.claimed_at is null and r.canceled_at is null and r.declined_at is null)::int
         + (select count(*) from payouts p where p.workspace_id = g.workspace_id and p.program_id = g.id
              and (p.claimed_at is null or p.is_freeing or p.status in ('processing', 'canceling')))::int as unfinished,
         (select count(distinct o.partner_id) from (
            select c.partner_id from commissions c
            where c.workspace_id = g.workspace_id and c.payout_id is null and c.payable_at < ${NEVER}::timestamptz
              and c.program_id = g.id
            group by c.partner_id, c.currency having sum(c.amount_cents) <> 0) o
          join partners p on p.id = o.partner_id and not p.is_test)::int as "unpaidPartners"
  from programs g where g.workspace_id = ${workspaceId} and g.id = ${programId}`

/**
 * The locks under which a program's mode changes: nothing is claimed meanwhile, and what is being
 * recorded by the program is committed before, and waits from then on. The statements of a batch
 * after these see it.
 */
export const lockProgram = (db: Db, workspaceId: string, programId: string) =>
  [
    lockPayouts(workspaceId).compile(db),
    sql<unknown>`select from programs where workspace_id = ${workspaceId} and id = ${programId} for update`.compile(
      db,
    ),
  ] as const

/**
 * Starts a shadow run of a program if it can. Idempotent.
 *
 * @param programId a UUID
 * @returns what decided it, with the mode before; undefined if there is no such program
 */
export const startShadowRun = async (
  db: Db,
  act: Act,
  programId: string,
): Promise<StartFacts | undefined> => {
  const { workspaceId, now } = act
  const start = sql<StartFacts>`
    with facts as (${factsOf(workspaceId, programId)}), started as (
      update programs set mode = 'shadow', shadow_since = coalesce(shadow_since, ${now}::timestamptz)
      from facts
      where programs.workspace_id = ${workspaceId} and programs.id = ${programId} and facts.mode = 'live'
        and not facts."wasCutOver"
        and facts.unfinished = 0 and facts."unpaidPartners" = 0
      returning programs.workspace_id, programs.id
    ), run as (
      insert into shadow_runs (workspace_id, program_id, started_at)
      select workspace_id, id, ${now}::timestamptz from started on conflict do nothing
    )
    select * from facts`
  const [, , [facts]] = await db.batch([
    ...lockProgram(db, workspaceId, programId),
    start.compile(db),
    auditEntry(db, {
      ...act,
      action: 'program.shadow_started',
      subjectId: programId,
      details: {},
      // Started by this transaction: concurrent requests may have the same time.
      when: sql<SqlBool>`exists (select from shadow_runs where program_id = ${programId} and xmin = pg_current_xact_id()::xid)`,
    }).compile(),
  ])
  return facts
}
