/** Who gets no messages from a workspace. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { type AuditAction, auditEntry } from '../workspace/audit.queries.ts'
import { UNSUBSCRIBABLE_KINDS } from './mails.ts'
import { readUnsubscribeToken } from './unsubscribe.ts'

/** A partner, as the link in its mails finds it. */
export type Subscriber = {
  partnerId: string
  workspaceId: string
  email: string
  workspaceName: string
  isUnsubscribed: boolean
}

/** The partner that a link is for; undefined if the link is not ours. */
export const findSubscriber = async (db: Db, token: string): Promise<Subscriber | undefined> => {
  const { key } = await db.selectFrom('unsubscribe_key').select('key').executeTakeFirstOrThrow()
  const partnerId = await readUnsubscribeToken(key, token)
  if (!partnerId) return undefined
  return db
    .selectFrom('partners as p')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .where('p.id', '=', partnerId)
    .select(['p.id as partnerId', 'w.id as workspaceId', 'p.email', 'w.name as workspaceName'])
    .select(
      sql<boolean>`exists (select from mail_optouts o where o.workspace_id = p.workspace_id and o.email = p.email)`.as(
        'isUnsubscribed',
      ),
    )
    .executeTakeFirst()
}

/** Withdraws what was queued for a person and not tried yet. The mailer sends none of the rest: see `leaseMails`. */
const withdrawMessages = (db: Db, { workspaceId, email }: Subscriber) =>
  db
    .deleteFrom('mails')
    .where('partner_id', 'in', (eb) =>
      eb
        .selectFrom('partners')
        .where('workspace_id', '=', workspaceId)
        .where('email', '=', email)
        .select('id'),
    )
    .where('kind', 'in', UNSUBSCRIBABLE_KINDS)
    .where('attempts', '=', 0)
    .where('sent_at', 'is', null)

/** Ends messages of a workspace to a person, or begins them again. Idempotent. */
export const setUnsubscribed = async (
  db: Db,
  subscriber: Subscriber,
  isUnsubscribed: boolean,
  now: Date,
): Promise<void> => {
  const { partnerId, workspaceId, email } = subscriber
  const known = sql`exists (select from mail_optouts where workspace_id = ${workspaceId} and email = ${email})`
  const action: AuditAction = isUnsubscribed ? 'partner.unsubscribed' : 'partner.subscribed'
  const change = isUnsubscribed
    ? sql`insert into mail_optouts (workspace_id, email, created_at)
          values (${workspaceId}, ${email}, ${now}::timestamptz) on conflict do nothing`
    : sql`delete from mail_optouts where workspace_id = ${workspaceId} and email = ${email}`
  await db.batch([
    // Of concurrent requests, one writes an entry.
    sql`select from partners where id = ${partnerId} for no key update`.compile(db),
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
    ...(isUnsubscribed ? [withdrawMessages(db, subscriber).compile()] : []),
  ])
}
