/** The audit log: who changed what, and when. */
import type { Db } from './connection.ts'
import { newId } from './ids.ts'

/** Something that a person did to a workspace. Past tense, by resource, so that a list of them reads like a story. */
export type AuditAction =
  | 'workspace.created'
  | 'member.invited'
  | 'member.changed'
  | 'member.removed'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'program.created'
  | 'program.changed'
  | 'group.created'
  | 'group.changed'
  | 'partner.changed'
  | 'coupon.added'
  | 'coupon.removed'
  | 'partners.imported'
  | 'customers.imported'
  | 'mail.retried'

export type AuditEntry = {
  workspaceId: string
  /** The e-mail address of whoever did it. */
  actor: string
  action: AuditAction
  /** The row that it was done to. */
  subjectId: string | null
  details: Record<string, unknown>
  now: Date
}

/**
 * The statement that writes an entry, for the batch of the change itself: both are saved, or neither is.
 * It may run twice.
 *
 * @example
 * ```ts
 * await db.batch([change.compile(), auditEntry(db, { ... }).compile()])
 * ```
 */
export const auditEntry = (db: Db, { workspaceId, actor, action, subjectId, details, now }: AuditEntry) =>
  db
    .insertInto('audit_entries')
    .values({
      id: newId(),
      workspace_id: workspaceId,
      actor,
      action,
      subject_id: subjectId,
      details: JSON.stringify(details),
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())

/** The entries of a workspace, newest first. */
export const listAudit = (
  db: Db,
  workspaceId: string,
  page: { cursor?: string | undefined; limit: number },
) => {
  const entries = db
    .selectFrom('audit_entries')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'actor', 'action', 'subject_id', 'details', 'created_at'])
    .orderBy('id', 'desc')
    .limit(page.limit)
  return (page.cursor ? entries.where('id', '<', page.cursor) : entries).execute()
}
