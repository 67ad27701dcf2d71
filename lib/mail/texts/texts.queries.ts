/** The words of mails that managers have changed. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { isConflict } from '../../db/neon.ts'
import type { EditableKind } from '../mails.ts'
import { type EditedText, withoutDefaults } from './texts.ts'

/** A changed text. The version goes up with each change. */
export type StoredText = EditedText & { kind: EditableKind; version: number }

/** Before a text was changed. */
export const UNCHANGED = { subject: null, intro: null, version: 0 } as const

export const listMailTexts = (db: Db, workspaceId: string): Promise<StoredText[]> =>
  textsQuery(db, workspaceId).execute()

const textsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('mail_texts')
    .where('workspace_id', '=', workspaceId)
    .select(['kind', 'subject', 'intro', 'version'])

/**
 * Changes the words of a mail, or resets them to the default with null. May run twice.
 *
 * @param version of the text that the manager has seen, 0 before the first change
 * @returns the text; null if somebody else has changed it since
 */
export const saveMailText = async (
  db: Db,
  act: Act,
  kind: EditableKind,
  { version, ...edited }: EditedText & { version: number },
): Promise<StoredText | null> => {
  const { workspaceId } = act
  const text = withoutDefaults(kind, edited)
  const changeId = newId()
  const batch = [
    // Serializes the first changes of a text, when it has no row to lock.
    sql`select from workspaces where id = ${workspaceId} for no key update`.compile(db),
    sql`
      select assert_unchanged(coalesce(
        (select version = ${version}::integer or change_id = ${changeId} from mail_texts
         where workspace_id = ${workspaceId} and kind = ${kind}),
        ${version}::integer = 0))`.compile(db),
    sql`
      insert into mail_texts as t (workspace_id, kind, subject, intro, version, change_id)
      values (${workspaceId}, ${kind}, ${text.subject}, ${text.intro}, 1, ${changeId})
      on conflict (workspace_id, kind) do update
      set subject = excluded.subject, intro = excluded.intro, version = t.version + 1, change_id = excluded.change_id
      where t.version = ${version}::integer`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'mail_text.changed',
      subjectId: workspaceId,
      details: { kind, ...text },
    }).compile(),
  ]
  try {
    await db.batch(batch)
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
  return { kind, ...text, version: version + 1 }
}
