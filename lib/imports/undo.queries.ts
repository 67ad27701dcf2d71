/** Undoing imports: the functions of schema.sql, each in one database round trip. */
import { sql } from 'kysely'
import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isConflict } from '../db/neon.ts'
import { lostRace } from '../platform/unavailable.ts'
import { type CallUndo, KEPT_SHOWN } from './undo.ts'

/** @property withChanged whether partners whom somebody has changed are taken back too */
export type UndoOptions = { withChanged: boolean }

/**
 * The ids of an import's calls, the latest first.
 * @param cursor of which it begins with the one before
 */
export const undoableCalls = async (
  db: Db,
  workspaceId: string,
  importId: string,
  cursor: string | undefined,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select audit_id as id from import_calls
    where workspace_id = ${workspaceId} and import_id = ${importId} ${cursor ? sql`and audit_id < ${cursor}` : sql``}
    order by audit_id desc`.execute(db)
  return rows.map(({ id }) => id)
}

/** From now on, no call of the import is saved. May be repeated. */
export const beginUndo = async (
  db: Db,
  { workspaceId, now }: Act,
  importId: string,
): Promise<void> => {
  await sql`select begin_undo(${workspaceId}, ${importId}, ${now})`.execute(db)
}

/** Attempts. What was checked may change once more until it is locked. */
const ROUNDS = 3

/**
 * Takes back what a call has made, as far as nothing relies on it. May be repeated, and does
 * nothing then.
 *
 * @throws {Unavailable} if concurrent requests changed the rows in every round
 */
export const undoCall = async (
  db: Db,
  { workspaceId, actor, now }: Act,
  callId: string,
  { withChanged }: UndoOptions,
): Promise<CallUndo> => {
  for (let round = 0; round < ROUNDS; round++) {
    try {
      const [, [row]] = await db.batch([
        sql`select undo_import_call(${workspaceId}, ${callId}, ${newId()}, ${actor}, ${withChanged}, ${now})`.compile(
          db,
        ),
        readUndoQuery(workspaceId, callId, false, withChanged).compile(db),
      ])
      if (row) return row.read
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
  throw lostRace('what this import has made')
}

const readUndoQuery = (
  workspaceId: string,
  callId: string,
  isDry: boolean,
  withChanged: boolean,
  shown = KEPT_SHOWN,
) =>
  sql<{
    read: CallUndo
  }>`select read_undo(${workspaceId}, ${callId}, ${isDry}, ${withChanged}, ${shown}) as read`

/**
 * What an undo of the call would do, if the later calls of its import are undone before.
 *
 * @param shown how many rows that stay are named
 */
export const previewCall = async (
  db: Db,
  workspaceId: string,
  callId: string,
  { withChanged }: UndoOptions,
  shown?: number,
): Promise<CallUndo> => {
  const { rows } = await readUndoQuery(workspaceId, callId, true, withChanged, shown).execute(db)
  const [row] = rows
  if (!row) throw new Error('A select without a table returns one row.')
  return row.read
}
