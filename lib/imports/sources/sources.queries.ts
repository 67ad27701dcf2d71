/** Sources: what managers start, see and end. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { breaks } from '../../db/neon.ts'
import type { ProgramMode } from '../../rules/programs/mode.ts'
import { dropHistory } from './history/history.queries.ts'
import { HISTORY } from './history/history.ts'
import type { Place } from './progress.ts'
import type { Purpose } from './source.ts'
import type { SourceRow } from './source-rows.ts'

const selectSources = (db: Db, workspaceId: string) =>
  db
    .selectFrom('import_sources')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      'program_id as programId',
      'purpose',
      'platform',
      'account',
      'started_by as startedBy',
      'created_at as createdAt',
      'resource',
      'cursor',
      'progress',
      'failures',
      'failure',
      'next_attempt_at as nextAttemptAt',
      'read_at as readAt',
      'failed_at as failedAt',
    ])

export type ImportSource = Awaited<ReturnType<ReturnType<typeof selectSources>['execute']>>[number]

/** The sources of a workspace, newest first: at most one per program and purpose. */
export const listSources = (db: Db, workspaceId: string): Promise<ImportSource[]> =>
  selectSources(db, workspaceId).orderBy('id', 'desc').execute()

/** @param id a UUID. @returns undefined if the workspace has no such source */
export const findSource = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ImportSource | undefined> =>
  selectSources(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** @returns undefined if the workspace has no such program */
export const findProgramToRead = (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<{ name: string; mode: ProgramMode } | undefined> =>
  db
    .selectFrom('programs')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', programId)
    .select(['name', 'mode'])
    .executeTakeFirst()

type NewSource = Pick<
  ImportSource,
  'programId' | 'purpose' | 'platform' | 'account' | 'resource' | 'progress'
> & { ciphertext: string }

/** Uploads of the shadow run need the platform's ids from now on: others could be counted twice. */
const needIds = (programId: string, now: Date) => sql`
  update shadow_runs set api_since = ${now} where program_id = ${programId} and ended_at is null and api_since is null`

/** Ends that, if nothing was read. */
const needNoIds = (programId: string) => sql`
  update shadow_runs set api_since = null
  where program_id = ${programId} and ended_at is null and api_since is not null
    and not exists (select from platform_commissions where program_id = ${programId} and key not like 'hash:%')`

/**
 * Stores a source. It replaces one that has failed, or that has read everything for a shadow run.
 *
 * @returns undefined if the program has another source
 */
export const addSource = async (
  db: Db,
  act: Act,
  source: NewSource,
): Promise<ImportSource | undefined> => {
  const { workspaceId, actor, now } = act
  const { programId, purpose, platform, account, ciphertext, resource, progress } = source
  const id = newId()
  const insert = sql`
    insert into import_sources (id, workspace_id, program_id, purpose, platform, account, ciphertext, started_by, created_at, resource, progress,
                                next_attempt_at)
    values (${id}, ${workspaceId}, ${programId}, ${purpose}, ${platform}, ${account}, ${ciphertext}, ${actor}, ${now}, ${resource},
            ${JSON.stringify(progress)}::jsonb, ${now})`
  try {
    const [, , , [row]] = await db.batch([
      sql`delete from import_sources where workspace_id = ${workspaceId} and program_id = ${programId}
          and purpose = ${purpose} and (failed_at is not null or (purpose = 'shadow' and read_at is not null))`.compile(
        db,
      ),
      insert.compile(db),
      auditEntry(db, {
        ...act,
        action: 'import_source.started',
        subjectId: programId,
        details: { platform, ...forPurpose(purpose), ...(account && { account }) },
      }).compile(),
      selectSources(db, workspaceId).where('id', '=', id).compile(),
      ...(purpose === 'shadow' ? [needIds(programId, now).compile(db)] : []),
    ])
    return row
  } catch (error) {
    // After a commit whose answer was lost, the source is this one.
    if (breaks(error, 'import_sources_program_id_purpose_key'))
      return findSource(db, workspaceId, id)
    throw error
  }
}

/**
 * Continues a source that has failed, with a new token. Of concurrent requests, one does.
 *
 * @param restarts whether its current list is read again from the first page
 * @returns undefined if the source is no longer failed
 */
export const continueSource = async (
  db: Db,
  act: Act,
  { id, programId, purpose, platform, resource, progress }: ImportSource,
  {
    ciphertext,
    cursor,
    restarts,
  }: { ciphertext: string; cursor: Place['cursor']; restarts: boolean },
): Promise<ImportSource | undefined> => {
  const { workspaceId, actor, now } = act
  const { [resource]: _, ...others } = progress
  const isThis = sql<boolean>`exists (
    select from import_sources where id = ${id} and ciphertext = ${ciphertext} and xmin = pg_current_xact_id()::xid)`
  const [, , , [row]] = await db.batch([
    sql`
      update import_sources
      set ciphertext = ${ciphertext}, started_by = ${actor}, created_at = ${now}, cursor = ${cursor}, version = version + 1, failures = 0,
          progress = ${JSON.stringify(restarts ? others : progress)}::jsonb, failure = null, failed_at = null, next_attempt_at = ${now}
      where workspace_id = ${workspaceId} and id = ${id} and failed_at is not null`.compile(db),
    sql`delete from import_source_rows where source_id = ${id} and resource = ${resource} and ${restarts} and ${isThis}`.compile(
      db,
    ),
    auditEntry(db, {
      ...act,
      action: 'import_source.started',
      subjectId: programId,
      details: { platform, ...forPurpose(purpose), isContinued: true },
      when: isThis,
    }).compile(),
    selectSources(db, workspaceId)
      .where('id', '=', id)
      .where('ciphertext', '=', ciphertext)
      .compile(),
    ...(restarts && resource === 'commissions' ? dropHistory(id, isThis) : []).map((drop) =>
      drop.compile(db),
    ),
  ])
  return row
}

/** The purpose in an audit entry. */
const forPurpose = (purpose: Purpose) => (purpose === 'shadow' ? { purpose } : {})

/** Deletes a source with its rows and its token. */
export const removeSource = async (
  db: Db,
  act: Act,
  { id, ...source }: ImportSource,
): Promise<void> => {
  const { platform, programId, purpose, readAt } = source
  const isThere = sql<boolean>`exists (select from import_sources where id = ${id})`
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'import_source.removed',
      subjectId: programId,
      details: { platform, ...forPurpose(purpose), wasRead: readAt !== null },
      when: isThere,
    }).compile(),
    sql`delete from import_sources where workspace_id = ${act.workspaceId} and id = ${id}`.compile(
      db,
    ),
    ...(purpose === 'shadow' ? [needNoIds(programId).compile(db)] : []),
  ])
}

/** A page of a source's rows. */
export const listSourceRows = async (
  db: Db,
  workspaceId: string,
  sourceId: string,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<{ rows: SourceRow[]; nextCursor: string | null }> => {
  const [resource = '', ...id] = (cursor ?? '').split(' ')
  const { rows } = await sql<{ resource: string; id: string; row: SourceRow }>`
    select resource, row_id as id, row from import_source_rows
    where workspace_id = ${workspaceId} and source_id = ${sourceId} and (resource, row_id) > (${resource}, ${id.join(' ')})
      and resource <> ${HISTORY}
    order by resource, row_id limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map(({ row }) => row),
    nextCursor: rows.length > limit && last ? `${last.resource} ${last.id}` : null,
  }
}
