/** Who gets no mails from a workspace that go to many. */
import { type SqlBool, sql } from 'kysely'
import { type AuditAction, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { UNSUBSCRIBABLE_KINDS } from '../mails.ts'
import { readUnsubscribeToken } from './unsubscribe.ts'

/** A partner, or somebody who was invited, as the link in the mails finds it. */
export type Subscriber = {
  /** The id of the partner, or of the application. */
  id: string
  /** null for somebody who was invited. */
  partnerId: string | null
  workspaceId: string
  email: string
  workspaceName: string
  isUnsubscribed: boolean
}

/** The recipient of a link; undefined if this installation has not signed the link. */
export const findSubscriber = async (db: Db, token: string): Promise<Subscriber | undefined> => {
  const { key } = await db.selectFrom('unsubscribe_key').select('key').executeTakeFirstOrThrow()
  const id = await readUnsubscribeToken(key, token)
  if (!id) return undefined
  const { rows } = await sql<Subscriber>`
    select s.id, s.partner_id as "partnerId", w.id as "workspaceId", s.email, w.name as "workspaceName",
           exists (select from mail_optouts o where o.workspace_id = w.id and o.email = s.email) as "isUnsubscribed"
    from (
      select id, id as partner_id, workspace_id, email from partners where id = ${id}
      union all
      select id, partner_id, workspace_id, email from applications where id = ${id}
    ) s join workspaces w on w.id = s.workspace_id`.execute(db)
  return rows[0]
}

/** Withdraws a person's queued mails that were not attempted. For the rest, see `leaseMails`. */
const withdrawMessages = ({ workspaceId, email }: Subscriber) => sql`
  delete from mails
  where workspace_id = ${workspaceId} and kind = any (${sql.val(UNSUBSCRIBABLE_KINDS)}::text[]) and attempts = 0 and sent_at is null
    and (partner_id in (select id from partners where workspace_id = ${workspaceId} and email = ${email})
         or (partner_id is null and recipient = ${email}))`

/** Unsubscribes a person from a workspace's bulk mails, or subscribes them again. Idempotent. */
export const setUnsubscribed = async (
  db: Db,
  subscriber: Subscriber,
  isUnsubscribed: boolean,
  now: Date,
): Promise<void> => {
  const { id, partnerId, workspaceId, email } = subscriber
  const known = sql`exists (select from mail_optouts where workspace_id = ${workspaceId} and email = ${email})`
  const action: AuditAction = isUnsubscribed ? 'partner.unsubscribed' : 'partner.subscribed'
  const change = isUnsubscribed
    ? sql`insert into mail_optouts (workspace_id, email, created_at)
          values (${workspaceId}, ${email}, ${now}::timestamptz) on conflict do nothing`
    : sql`delete from mail_optouts where workspace_id = ${workspaceId} and email = ${email}`
  await db.batch([
    // Of concurrent requests, one writes an entry.
    sql`select from partners where id = ${id} for no key update`.compile(db),
    sql`select from applications where id = ${id} for no key update`.compile(db),
    auditEntry(db, {
      workspaceId,
      actor: email,
      now,
      action,
      subjectId: partnerId,
      details: { email },
      when: isUnsubscribed ? sql<SqlBool>`not ${known}` : sql<SqlBool>`${known}`,
    }).compile(),
    change.compile(db),
    ...(isUnsubscribed ? [withdrawMessages(subscriber).compile(db)] : []),
  ])
}
