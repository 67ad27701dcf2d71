/** The mails of a workspace, as managers list and retry them. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { Act } from '../workspace/audit.queries.ts'
import type { MailKind, MailStatus } from './mails.ts'

const selectMails = (db: Db, workspaceId: string) =>
  db
    .selectFrom('mails')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      sql.ref<MailKind>('kind').as('kind'),
      'recipient',
      'partner_id as partnerId',
      'status',
      'attempts',
      'last_error as lastError',
      'created_at as createdAt',
      'next_attempt_at as nextAttemptAt',
      'sent_at as sentAt',
      'failed_at as failedAt',
    ])

/** A mail as managers see it. */
export type MailRow = Awaited<ReturnType<typeof listMails>>[number]

type MailFilter = PageRequest & { status?: MailStatus | undefined; partnerId?: string | undefined }

/** The mails of a workspace, newest first. */
export const listMails = (db: Db, workspaceId: string, filter: MailFilter) =>
  mailsQuery(db, workspaceId, filter).execute()

/** The same as a query, for a batch. */
export const mailsQuery = (
  db: Db,
  workspaceId: string,
  { cursor, limit, status: wanted, partnerId }: MailFilter,
) =>
  selectMails(db, workspaceId)
    .$if(partnerId !== undefined, (mails) => mails.where('partner_id', '=', partnerId ?? ''))
    .$if(cursor !== undefined, (mails) => mails.where('id', '<', cursor ?? ''))
    // Most were sent. By their status, which is computed, Postgres would expect few, and read and sort all of them.
    .$if(wanted === 'sent', (mails) => mails.where('sent_at', 'is not', null))
    // The predicate of mails_unsent_idx.
    .$if(wanted !== undefined && wanted !== 'sent', (mails) =>
      mails.where('status', '=', wanted ?? 'queued').where('sent_at', 'is', null),
    )
    .orderBy('id', 'desc')
    .limit(limit)

/**
 * Queues a failed mail again, with all its attempts, and records it in the audit log. Idempotent: a mail that has not
 * failed stays as it is.
 *
 * @param id must be a UUID
 * @returns the mail as it is now; undefined if the workspace has no such mail
 */
export const retryMail = async (
  db: Db,
  { workspaceId, actor, now }: Act,
  id: string,
): Promise<MailRow | undefined> => {
  const retry = sql`
    with retried as (
      update mails
      set failed_at = null, attempts = 0, first_attempt_at = null, next_attempt_at = ${now}, last_error = null
      where workspace_id = ${workspaceId} and id = ${id} and failed_at is not null
      returning id, recipient, kind
    )
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}, ${workspaceId}, ${actor}, 'mail.retried', id,
           jsonb_build_object('recipient', recipient, 'kind', kind), ${now}
    from retried`
  const [, rows] = await db.batch([
    retry.compile(db),
    selectMails(db, workspaceId).where('id', '=', id).compile(),
  ])
  return rows[0]
}
