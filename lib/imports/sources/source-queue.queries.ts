/** The queue of sources: leases those that are due, and saves each page. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { dueRows, leaseOf, oneAttempt } from '../../db/leases.queries.ts'
import { upsertCommissions } from '../commissions/platform-commissions.queries.ts'
import { addHistory } from './history/history.queries.ts'
import type { Kept, ListProgress, Place } from './progress.ts'
import { KEEP_SECONDS } from './schedule.ts'
import type { Resource } from './source.ts'
import type { ImportSource } from './sources.queries.ts'

/** A source that one run may read until its lease ends. */
export type LeasedSource = Omit<
  ImportSource,
  'startedBy' | 'failure' | 'nextAttemptAt' | 'readAt' | 'failedAt'
> & {
  workspaceId: string
  ciphertext: string
  version: number
  /** Whether the person who has started it is still a manager. */
  isAllowed: boolean
  isInShadow: boolean
}

const isOpen = (s: string) => sql`${sql.ref(`${s}.ciphertext`)} is not null`

const isDueBy = (now: Date) => (s: string) =>
  sql`${isOpen(s)} and ${sql.ref(`${s}.next_attempt_at`)} <= ${now}::timestamptz`

/** Leases a source that is due. Workspaces take turns. Idempotent. */
export const leaseSource = async (
  db: Db,
  { now, leaseEnd }: { now: Date; leaseEnd: Date },
): Promise<LeasedSource | undefined> => {
  const lease = { id: newId(), end: leaseEnd }
  const isDue = isDueBy(now)
  const { rows } = await sql<LeasedSource>`
    with ${dueRows({ table: 'import_sources', isOpen, isDue, lease, byWait: true, limit: 1 })}, leased as (
      update import_sources s set version = s.version + ${oneAttempt('s', lease)}, ${leaseOf(lease)}
      from due where s.id = due.id returning s.*
    )
    select l.id, l.workspace_id as "workspaceId", l.program_id as "programId", l.purpose, l.platform, l.account, l.ciphertext, l.created_at as "createdAt", l.resource, l.cursor,
           l.progress, l.version, l.failures,
           exists (select from programs g where g.id = l.program_id and g.mode = 'shadow') as "isInShadow",
           exists (select from members m
                   where m.workspace_id = l.workspace_id and m.email = l.started_by and m.role = 'manager') as "isAllowed"
    from leased l`.execute(db)
  return rows[0]
}

/** When the next source is due; null if none is open. */
export const nextDueAt = async (db: Db): Promise<Date | null> => {
  const { rows } = await sql<{ at: Date | null }>`
    select min(next_attempt_at) as at from import_sources where ciphertext is not null`.execute(db)
  return rows[0]?.at ?? null
}

type Lease = Pick<LeasedSource, 'id' | 'version'>

/** Voids uploaded rows without an id of the platform: see lib/shadow/upload.service.ts. */
const supersede = (programId: string, when: boolean) => sql`
  superseded as (update platform_commissions c set state = 'voided', compared_at = null from held h
                 where ${when} and c.program_id = ${programId} and c.key like 'hash:%' and c.state <> 'voided')`

/** The source, locked, unless it was removed or another run has leased it. */
const held = ({ id, version }: Lease) => sql`
  held as (select id, workspace_id from import_sources
           where id = ${id} and version = ${version} and ciphertext is not null for update)`

const isHeld = sql<SqlBool>`exists (select from held)`

/**
 * Saves the rows of a page and the place of the next one. Without a next place, everything is read,
 * and the token is deleted.
 *
 * @returns the list's progress; undefined if this run no longer holds the lease
 */
export const savePage = async (
  db: Db,
  lease: Lease & Pick<LeasedSource, 'workspaceId' | 'programId' | 'purpose'>,
  page: Kept & {
    resource: Resource
    before: ListProgress
    total: number | null
    next: Place | null
    nextAttemptAt: Date
    now: Date
  },
): Promise<ListProgress | undefined> => {
  const { resource, rows, history, commissions, before, total, next, nextAttemptAt, now } = page
  const isForShadow = lease.purpose === 'shadow'
  const hasHistory = !isForShadow && resource === 'commissions'
  const items = rows.map((row) => ({ id: row.id, row }))
  const isDone = next?.resource !== resource
  const after = { ...before, total: total ?? before.total, pages: before.pages + 1, isDone }
  const { rows: saved } = await sql<{ read: number }>`
    with ${held(lease)}, stored as (
      insert into import_source_rows (source_id, workspace_id, resource, row_id, row)
      select h.id, h.workspace_id, ${resource}, x.id, x.row
      from held h cross join jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as x(id text, row jsonb)
      on conflict (source_id, resource, row_id) do update set row = excluded.row
      returning xmax = 0 and row ->> 'kind' <> 'commission' as is_new
    ), counted as (select count(*) filter (where is_new)::integer as added from stored),
    ${hasHistory ? addHistory(history, isDone) : sql`tallied as (select ${commissions.length}::integer as added)`}
    ${isForShadow ? sql`, compared as (${upsertCommissions({ ...lease, now }, commissions, isHeld)}), ${supersede(lease.programId, next === null)}` : sql``}
    update import_sources s
    set progress = s.progress || jsonb_build_object(${resource}::text, ${JSON.stringify(after)}::jsonb || jsonb_build_object('read', ${before.read}::integer + c.added + t.added)),
        resource = ${next?.resource ?? resource}, cursor = ${next?.cursor ?? null}, failures = 0, failure = null,
        next_attempt_at = ${nextAttemptAt}, read_at = ${next ? null : now}::timestamptz,
        ciphertext = case when ${next !== null} then s.ciphertext end
    from held h, counted c, tallied t where s.id = h.id
    returning (s.progress -> ${resource}::text ->> 'read')::integer as read`.execute(db)
  const [row] = saved
  return row && { ...after, read: row.read }
}

/** Saves a failure. Without a next attempt, the token is deleted, and the rows stay. */
export const saveFailure = async (
  db: Db,
  lease: Lease,
  {
    failure,
    failures,
    nextAttemptAt,
    now,
  }: { failure: string; failures: number; nextAttemptAt: Date | null; now: Date },
): Promise<void> => {
  const isOver = nextAttemptAt === null
  await sql`
    with ${held(lease)}
    update import_sources s
    set failure = ${failure}, failures = ${failures}, next_attempt_at = coalesce(${nextAttemptAt}::timestamptz, s.next_attempt_at),
        failed_at = ${isOver ? now : null}::timestamptz, ciphertext = case when ${!isOver} then s.ciphertext end
    from held h where s.id = h.id`.execute(db)
}

/** Ends a lease. @param nextAttemptAt when the source is due again */
export const releaseSource = async (db: Db, lease: Lease, nextAttemptAt: Date): Promise<void> => {
  await sql`
    with ${held(lease)} update import_sources s set next_attempt_at = ${nextAttemptAt} from held h where s.id = h.id`.execute(
    db,
  )
}

const keptSince = (now: Date): Date => new Date(now.getTime() - KEEP_SECONDS * 1_000)

/** Whether a source is due, as a condition. */
export const hasDueSources = (now: Date) =>
  sql`exists (select from import_sources s where ${isDueBy(now)('s')})`

/** Whether a source is old enough to be removed, as a condition. */
export const hasOldSources = (now: Date) =>
  sql`exists (select from import_sources where coalesce(read_at, failed_at) < ${keptSince(now)})`

/** Removes sources that were read, or have failed, long ago. @returns how many */
export const removeOldSources = async (db: Db, now: Date): Promise<number> => {
  const { rows } = await sql`
    delete from import_sources where coalesce(read_at, failed_at) < ${keptSince(now)} returning id`.execute(
    db,
  )
  return rows.length
}
