/** Readings of other platforms: what managers start, see and end. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { breaks } from '../../db/neon.ts'
import { type Act, auditEntry } from '../../workspace/audit.queries.ts'
import type { Progress } from './progress.ts'
import type { PlatformId, Resource, SourceRow } from './source.ts'

export type ImportSource = {
  id: string
  programId: string
  platform: PlatformId
  account: string | null
  startedBy: string
  createdAt: Date
  resource: Resource
  progress: Progress
  failures: number
  failure: string | null
  nextAttemptAt: Date
  readAt: Date | null
  failedAt: Date | null
}

const selectSources = (db: Db, workspaceId: string) =>
  db
    .selectFrom('import_sources')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      'program_id as programId',
      'platform',
      'account',
      'started_by as startedBy',
      'created_at as createdAt',
      'resource',
      'progress',
      'failures',
      'failure',
      'next_attempt_at as nextAttemptAt',
      'read_at as readAt',
      'failed_at as failedAt',
    ])

/** A workspace's, newest first: one per program at most. */
export const listSources = (db: Db, workspaceId: string): Promise<ImportSource[]> =>
  selectSources(db, workspaceId).orderBy('id', 'desc').execute()

/** @param id a UUID. @returns undefined if the workspace has no such source */
export const findSource = (db: Db, workspaceId: string, id: string): Promise<ImportSource | undefined> =>
  selectSources(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** @returns undefined if the workspace has no such program */
export const findProgramName = async (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<string | undefined> =>
  (
    await db
      .selectFrom('programs')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', programId)
      .select('name')
      .executeTakeFirst()
  )?.name

type NewSource = {
  programId: string
  platform: PlatformId
  account: string | null
  ciphertext: string
  resource: Resource
  progress: Progress
}

/** Stores a source in the place of one that has failed. @returns undefined if the program has one that has not */
export const addSource = async (db: Db, act: Act, source: NewSource): Promise<ImportSource | undefined> => {
  const { workspaceId, actor, now } = act
  const { programId, platform, account, ciphertext, resource, progress } = source
  const id = newId()
  const insert = sql`
    insert into import_sources (id, workspace_id, program_id, platform, account, ciphertext, started_by, created_at, resource, progress,
                                next_attempt_at)
    values (${id}, ${workspaceId}, ${programId}, ${platform}, ${account}, ${ciphertext}, ${actor}, ${now}, ${resource},
            ${JSON.stringify(progress)}::jsonb, ${now})`
  try {
    const [, , , [row]] = await db.batch([
      sql`delete from import_sources where workspace_id = ${workspaceId} and program_id = ${programId} and failed_at is not null`.compile(
        db,
      ),
      insert.compile(db),
      auditEntry(db, {
        ...act,
        action: 'import_source.started',
        subjectId: programId,
        details: { platform, ...(account && { account }) },
      }).compile(),
      selectSources(db, workspaceId).where('id', '=', id).compile(),
    ])
    return row
  } catch (error) {
    // The insert may be repeated after a commit whose answer was lost: then the source is its own.
    if (breaks(error, 'import_sources_program_id_key')) return findSource(db, workspaceId, id)
    throw error
  }
}

/** Deletes a source with its rows and its token. */
export const removeSource = async (db: Db, act: Act, { id, ...source }: ImportSource): Promise<void> => {
  const { platform, programId, readAt } = source
  const isThere = sql<boolean>`exists (select from import_sources where id = ${id})`
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'import_source.removed',
      subjectId: programId,
      details: { platform, wasRead: readAt !== null },
      when: isThere,
    }).compile(),
    sql`delete from import_sources where workspace_id = ${act.workspaceId} and id = ${id}`.compile(db),
  ])
}

/** Rows of a source, and the cursor of the next ones. */
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
    order by resource, row_id limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map(({ row }) => row),
    nextCursor: rows.length > limit && last ? `${last.resource} ${last.id}` : null,
  }
}
