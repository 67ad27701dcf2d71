/** Notes of managers about a partner. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { NoteResponse } from './notes.responses.ts'

export type NoteRow = NoteResponse

/** The notes about a partner, newest first. */
export const notesQuery = (
  db: Db,
  workspaceId: string,
  partnerId: string,
  { cursor, limit }: PageRequest,
) =>
  selectNotes(db, workspaceId, partnerId)
    .where((eb) => (cursor ? eb('id', '<', cursor) : sql<SqlBool>`true`))
    .orderBy('id', 'desc')
    .limit(limit)

const selectNotes = (db: Db, workspaceId: string, partnerId: string) =>
  db
    .selectFrom('partner_notes')
    .where('workspace_id', '=', workspaceId)
    .where('partner_id', '=', partnerId)
    .select(['id', 'author', 'content', 'created_at as createdAt'])

/** @param id a UUID, like `partnerId` */
export const findNote = (db: Db, workspaceId: string, partnerId: string, id: string) =>
  selectNotes(db, workspaceId, partnerId).where('id', '=', id).executeTakeFirst()

/** The details of an audit entry: the partner, and not the content. */
const aboutPartner = (partnerId: string) =>
  sql`(select jsonb_build_object('email', p.email) from partners p where p.id = ${partnerId})`

/** Adds a note by its id. Idempotent. @returns it; undefined if the workspace lacks the partner */
export const addNote = async (
  db: Db,
  act: Act,
  partnerId: string,
  content: string,
  id = idOf(act),
): Promise<NoteRow | undefined> => {
  const { workspaceId, actor, now } = act
  const note = selectNotes(db, workspaceId, partnerId).where('id', '=', id)
  const partner = sql`select from partners where workspace_id = ${workspaceId} and id = ${partnerId} and undone_at is null`
  const [, , , [added]] = await db.batch([
    // A form that is sent twice concurrently waits here, and then finds the note.
    sql<never>`${partner} for no key update`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'note.added',
      subjectId: partnerId,
      details: aboutPartner(partnerId),
      when: sql<SqlBool>`exists (${partner}) and not exists (select from partner_notes where id = ${id})`,
    }).compile(),
    sql<never>`
      insert into partner_notes (id, workspace_id, partner_id, author, content, created_at)
      select ${id}::uuid, workspace_id, id, ${actor}, ${content}, ${now}::timestamptz
      from partners where workspace_id = ${workspaceId} and id = ${partnerId} and undone_at is null
      on conflict (id) do nothing`.compile(db),
    note.compile(),
  ])
  return added
}

/** @param partnerId a UUID, like `id` @returns undefined if the partner has no such note */
export const deleteNote = async (
  db: Db,
  act: Act,
  partnerId: string,
  id: string,
): Promise<NoteRow | undefined> => {
  const { workspaceId } = act
  const note = await findNote(db, workspaceId, partnerId, id)
  if (!note) return undefined
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'note.deleted',
      subjectId: partnerId,
      details: aboutPartner(partnerId),
      // A concurrent deletion waits for the row lock, and then writes no entry.
      when: sql<SqlBool>`exists (select from partner_notes where workspace_id = ${workspaceId} and id = ${id} for update)`,
    }).compile(),
    db
      .deleteFrom('partner_notes')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .compile(),
  ])
  return note
}
