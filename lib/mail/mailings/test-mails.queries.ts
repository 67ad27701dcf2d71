/** Mails that managers send to themselves, to try them. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { PartnerMailKind } from '../mails.ts'

/** The most test mails of a manager in a workspace per hour: enough to try a text, and no flood. */
export const MAX_TEST_MAILS = 10
const HOUR_MS = 3_600_000

type TestMail = {
  workspaceId: string
  /** The program whose brand the mail has; null if the workspace has no program. */
  programId: string | null
  recipient: string
  kind: PartnerMailKind
  details: object
  now: Date
}

/**
 * Queues a mail with made-up details. May run twice.
 *
 * @param recipient the manager's own address, which signing in has verified
 * @returns whether it was queued; false if the manager has sent too many within an hour
 */
export const queueTestMail = async (db: Db, mail: TestMail): Promise<boolean> => {
  const { workspaceId, programId, recipient, kind, details, now } = mail
  const id = newId()
  const since = new Date(now.getTime() - HOUR_MS)
  const [, , queued] = await db.batch([
    // Serializes the manager's requests, so that concurrent ones are counted.
    sql`select from members where workspace_id = ${workspaceId} and email = ${recipient} for no key update`.compile(
      db,
    ),
    sql`
      insert into mails (id, workspace_id, program_id, kind, recipient, occasion, details, created_at, next_attempt_at)
      select ${id}, ${workspaceId}, ${programId}::uuid, ${kind}, ${recipient}, 'test', ${JSON.stringify(details)}::jsonb, ${now}::timestamptz,
             ${now}::timestamptz
      where (select count(*) from mails
             where workspace_id = ${workspaceId} and recipient = ${recipient} and occasion = 'test'
               and created_at > ${since}::timestamptz) < ${MAX_TEST_MAILS}::integer
      on conflict (id) do nothing`.compile(db),
    db.selectFrom('mails').where('id', '=', id).select('id').compile(),
  ])
  return queued.length > 0
}
