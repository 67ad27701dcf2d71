/** The audit log: who changed what, and when. */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'

/** `resource.verb`, in the past tense. */
export type AuditAction =
  | 'workspace.created'
  | 'workspace.changed'
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
  | 'partner.address_changed'
  | 'partner.erased'
  | 'customer.erased'
  | 'coupon.added'
  | 'coupon.removed'
  | 'commission.adjusted'
  | 'commission.held'
  | 'commission.released'
  | 'commission.rejected'
  | 'partners.imported'
  | 'customers.imported'
  | 'mail.retried'
  | 'payout_run.begun'
  | 'payout_run.approval_requested'
  | 'payout_run.approved'
  | 'payout_run.declined'
  | 'payout_run.marked_paid'
  | 'payout_run.unmarked'
  | 'payout_run.confirmed'
  | 'payout_run.canceled'
  | 'payout_run.review_ended'
  | 'payout_run.exported'
  | 'payer.changed'
  | 'payee.changed'
  | 'payment_details.changed'
  | 'payment_details.canceled'
  | 'payout_account.connected'
  | 'payout_account.disconnected'
  | 'payout.reversed'
  | 'payout.released'
  | 'payout.returned'
  | 'payout.canceled'
  | 'payout.resolved'
  | 'payout.found_sent'
  | 'stripe_secret.added'
  | 'stripe_secret.removed'
  | 'stripe_key.added'
  | 'stripe_key.removed'

/** Who changes a workspace, and when. */
export type Act = {
  workspaceId: string
  /** An email address, or `API key "<name>"`. */
  actor: string
  now: Date
}

export type AuditEntry = Act & {
  action: AuditAction
  /** The id of the changed row. */
  subjectId: string | null
  details: Record<string, unknown>
  /** Writes the entry only if this holds at its position in the batch. */
  when?: Expression<SqlBool>
}

/**
 * Inserts an entry, in the same batch as the change. Idempotent.
 *
 * @example
 * ```ts
 * await db.batch([change.compile(), auditEntry(db, { ... }).compile()])
 * ```
 */
export const auditEntry = (
  db: Db,
  { workspaceId, actor, action, subjectId, details, now, when }: AuditEntry,
) =>
  db
    .insertInto('audit_entries')
    .columns(['id', 'workspace_id', 'actor', 'action', 'subject_id', 'details', 'created_at'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`${newId()}::uuid`.as('id'),
          sql<string>`${workspaceId}::uuid`.as('workspace_id'),
          sql<string>`${actor}`.as('actor'),
          sql<string>`${action}`.as('action'),
          sql<string | null>`${subjectId}::uuid`.as('subject_id'),
          sql<string>`${JSON.stringify(details)}::jsonb`.as('details'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
        ])
        .where(when ?? sql<SqlBool>`true`),
    )
    .onConflict((conflict) => conflict.doNothing())

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number]

/** The entries of a workspace, newest first. */
export const listAudit = (db: Db, workspaceId: string, { cursor, limit }: PageRequest) => {
  const entries = db
    .selectFrom('audit_entries')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'actor', 'action', 'subject_id as subjectId', 'details', 'created_at as createdAt'])
    .orderBy('id', 'desc')
    .limit(limit)
  return (cursor ? entries.where('id', '<', cursor) : entries).execute()
}
