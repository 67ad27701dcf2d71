/** The audit log: who changed what, and when. */
import { type Expression, isExpression, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { idOf } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'

/** `resource.verb`, in the past tense. */
export type AuditAction =
  | `workspace.${'created' | 'changed' | 'limit_requested' | 'limit_approved' | 'limit_declined'}`
  | `workspace.${'trusted' | 'deletion_scheduled' | 'deletion_canceled' | 'deletion_called_off'}`
  | `member.${'signed_in' | 'passkey_added' | 'passkey_removed' | 'invited' | 'changed'}`
  | `member.${'removed' | 'recovered' | 'address_changed'}`
  | `api_key.${'created' | 'rotated' | 'revoked'}`
  | `program.${'created' | 'changed' | 'shadow_started' | 'commissions_uploaded' | 'cut_over'}`
  | 'program.links_confirmed'
  | `group.${'created' | 'changed'}`
  | 'join_page.changed'
  | `brand.${'changed' | 'support_confirmed'}`
  | `application.${'invited' | 'approved' | 'rejected' | 'deleted'}`
  | `partner.${'created' | 'changed' | 'address_changed' | 'erased' | 'unsubscribed'}`
  | 'partner.subscribed'
  | `partners.${'mailed' | 'imported' | 'adjusted'}`
  | 'personal_data.exported'
  | 'statement.exported'
  | 'list.exported'
  | 'payout_year.exported'
  | `customer.${'erased' | 'merged' | 'merge_dismissed'}`
  | `link.${'added' | 'released'}`
  | `note.${'added' | 'deleted'}`
  | `coupon.${'added' | 'removed'}`
  | `commission.${'adjusted' | 'reversed' | 'held' | 'released' | 'rejected'}`
  | `event.${'credited' | 'corrected' | 'refunded'}`
  | 'customers.imported'
  | `import_source.${'started' | 'removed'}`
  | 'import.undone'
  | 'mail.retried'
  | 'mail_text.changed'
  | `payout_run.${'begun' | 'approval_requested' | 'first_approved' | 'approved' | 'declined'}`
  | `payout_run.${'marked_paid' | 'unmarked' | 'confirmed' | 'canceled' | 'review_ended'}`
  | 'payout_run.exported'
  | 'payer.changed'
  | 'payee.changed'
  | `payment_details.${'changed' | 'canceled'}`
  | `payout_account.${'connected' | 'changed' | 'confirmed' | 'disconnected'}`
  | `payout.${'reversed' | 'released' | 'returned' | 'canceled' | 'resolved' | 'found_sent'}`
  | 'payout.adopted'
  | `stripe_secret.${'added' | 'removed'}`
  | `stripe_key.${'added' | 'removed'}`
  | `webhook_endpoint.${'created' | 'changed' | 'removed' | 'secret_rotated' | 'resent'}`

/** Who changes a workspace, and when. */
export type Act = {
  workspaceId: string
  /** An email address, or `API key "<name>"`. */
  actor: string
  now: Date
  /**
   * What the ids of what is created follow from, if the request has an Idempotency-Key: see `idOf`.
   */
  firstId?: string | undefined
}

/** The place of the audit entry among the rows that a request with an Idempotency-Key creates. */
const ENTRY = 255

export type AuditEntry = Act & {
  /** If the batch names the entry elsewhere. */
  id?: string
  action: AuditAction
  subjectId: string | null
  /** Or an expression, for what is known only in the batch. */
  details: Record<string, unknown> | Expression<unknown>
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
  { id, workspaceId, actor, action, subjectId, details, now, firstId, when }: AuditEntry,
) =>
  db
    .insertInto('audit_entries')
    .columns(['id', 'workspace_id', 'actor', 'action', 'subject_id', 'details', 'created_at'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`${id ?? idOf({ firstId }, ENTRY)}::uuid`.as('id'),
          sql<string>`${workspaceId}::uuid`.as('workspace_id'),
          sql<string>`${actor}`.as('actor'),
          sql<string>`${action}`.as('action'),
          sql<string | null>`${subjectId}::uuid`.as('subject_id'),
          sql<string>`${isExpression(details) ? details : JSON.stringify(details)}::jsonb`.as(
            'details',
          ),
          sql<Date>`${now}::timestamptz`.as('created_at'),
        ])
        .where(when ?? sql<SqlBool>`true`),
    )
    .onConflict((conflict) => conflict.doNothing())

type Export = Pick<AuditEntry, 'subjectId' | 'details'> & {
  action: AuditAction & `${string}.exported`
}

/**
 * Records that somebody downloads data. Awaited before the response: what cannot be recorded is not
 * sent.
 */
export const recordExport = async (db: Db, act: Act, entry: Export): Promise<void> => {
  await auditEntry(db, { ...act, ...entry }).execute()
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number]

export type AuditFilter = PageRequest & {
  /** Entries about this row alone. */
  subjectId?: string | undefined
}

/**
 * The entries of a workspace, newest first, without the ids of an import's opening balances: see
 * `findAuditEntry`.
 */
export const listAudit = (db: Db, workspaceId: string, filter: AuditFilter) =>
  auditLogQuery(db, workspaceId, filter).execute()

export const auditLogQuery = (
  db: Db,
  workspaceId: string,
  { subjectId, cursor, limit }: AuditFilter,
) =>
  db
    .selectFrom('audit_entries')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'actor', 'action', 'subject_id as subjectId', 'created_at as createdAt'])
    .select(
      sql<
        Record<string, unknown>
      >`case when action = 'partners.imported' then details #- '{openingBalances,ids}' else details end`.as(
        'details',
      ),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .where((eb) =>
      eb.and([
        ...(subjectId ? [eb('subject_id', '=', subjectId)] : []),
        ...(cursor ? [eb('id', '<', cursor)] : []),
      ]),
    )

/** An entry with all of its details, as a query for a batch. @param id must be a UUID */
export const auditEntryQuery = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('audit_entries')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .select([
      'id',
      'actor',
      'action',
      'subject_id as subjectId',
      'details',
      'created_at as createdAt',
    ])

/** An opening balance that an import made. */
export type ImportedBalance = {
  commissionId: string
  amountCents: bigint
  currency: string
  partnerId: string
  partnerName: string | null
  partnerSlug: string
}

/** The opening balances that an entry names, as a query for a batch. @param id must be a UUID */
export const importedBalancesQuery = (workspaceId: string, id: string) => sql<ImportedBalance>`
  select c.id as "commissionId", c.amount_cents as "amountCents", c.currency, p.id as "partnerId", p.name as "partnerName",
         p.slug as "partnerSlug"
  from audit_entries a
  cross join lateral jsonb_array_elements_text(a.details #> '{openingBalances,ids}') as named (id)
  join commissions c on c.workspace_id = a.workspace_id and c.id = named.id::uuid
  join partners p on p.id = c.partner_id
  where a.workspace_id = ${workspaceId} and a.id = ${id} and jsonb_typeof(a.details #> '{openingBalances,ids}') = 'array'
  order by c.id`
