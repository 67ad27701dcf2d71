/** The mails of a workspace, as managers list and retry them. */
import { sql } from 'kysely'
import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import { isDelivery, type MailKind, type MailStatus } from './mails.ts'

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
      'delivery_reason as deliveryReason',
      'delivery_at as deliveryAt',
    ])

export type MailRow = Awaited<ReturnType<typeof listMails>>[number]

type MailFilter = PageRequest & { status?: MailStatus | undefined; partnerId?: string | undefined }

export const listMails = (db: Db, workspaceId: string, filter: MailFilter) =>
  mailsQuery(db, workspaceId, filter).execute()

/** The mails of a workspace, newest first, as a query. */
export const mailsQuery = (
  db: Db,
  workspaceId: string,
  { cursor, limit, status: wanted, partnerId }: MailFilter,
) =>
  selectMails(db, workspaceId)
    .$if(partnerId !== undefined, (mails) => mails.where('partner_id', '=', partnerId ?? ''))
    .$if(cursor !== undefined, (mails) => mails.where('id', '<', cursor ?? ''))
    // A filter on the computed status would make Postgres expect few mails, and sort all of them.
    // This one uses mails_delivery_idx.
    .$if(wanted === 'sent', (mails) =>
      mails.where('sent_at', 'is not', null).where('delivery', 'is', null),
    )
    .$if(isDelivery(wanted), (mails) =>
      mails
        .where('sent_at', 'is not', null)
        .where('delivery', '=', isDelivery(wanted) ? wanted : null),
    )
    // The predicate of mails_unsent_idx.
    .$if(wanted !== undefined && wanted !== 'sent' && !isDelivery(wanted), (mails) =>
      mails.where('status', '=', wanted ?? 'queued').where('sent_at', 'is', null),
    )
    .orderBy('id', 'desc')
    .limit(limit)

/** What the provider reported of the latest mail to a partner's present address, as a query. */
export const lastDeliveryQuery = (db: Db, workspaceId: string, partnerId: string) =>
  db
    .selectFrom('mails as m')
    .innerJoin('partners as p', 'p.id', 'm.partner_id')
    .where('m.workspace_id', '=', workspaceId)
    .where('m.partner_id', '=', partnerId)
    .whereRef('m.recipient', '=', 'p.email')
    .where('m.delivery', 'is not', null)
    .orderBy('m.id', 'desc')
    .limit(1)
    .select(['m.delivery', 'm.delivery_reason as reason', 'm.delivery_at as at'])

/**
 * Queues a failed mail again, with all its attempts, and an audit entry. Idempotent: mails that
 * have not failed do not change.
 *
 * @param id a UUID
 * @returns the mail; undefined if the workspace has no such mail
 */
export const retryMail = async (
  db: Db,
  { workspaceId, actor, now }: Act,
  id: string,
): Promise<MailRow | undefined> => {
  const retry = sql`
    with retried as (
      update mails
      set failed_at = null, attempts = 0, first_attempt_at = null, next_attempt_at = ${now}, last_error = null, batch_id = null
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
