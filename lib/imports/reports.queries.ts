/** The results of imports, from their answers and audit entries. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { MailStatus } from '../mail/mails.ts'
import type { Undone } from './undo.ts'

/**
 * An import of any number of calls.
 *
 * @property id of its first call, the cursor of the list
 * @property partners created, or given an opening balance
 * @property customers created or updated
 * @property errors refused rows
 */
export type ImportSummary = {
  id: string
  importId: string
  actor: string
  at: Date
  partners: number
  customers: number
  errors: number
  isUndone: boolean
}

/** Newest first. */
export const listImports = async (
  db: Db,
  workspaceId: string,
  { cursor, limit }: PageRequest,
): Promise<ImportSummary[]> => {
  const { rows } = await sql<ImportSummary>`
    select c.audit_id as id, c.import_id as "importId", a.actor, a.created_at as at, t.*,
           import_is_undone(c.workspace_id, c.import_id) as "isUndone"
    from import_calls c join audit_entries a on a.id = c.audit_id cross join lateral (
      select coalesce(sum((e.details ->> 'created')::integer + coalesce((e.details ->> 'completed')::integer, 0)) filter (where e.action = 'partners.imported'), 0)::integer as partners,
             coalesce(sum((e.details ->> 'rows')::integer - (e.details ->> 'unchanged')::integer - (e.details ->> 'errors')::integer)
                      filter (where e.action = 'customers.imported'), 0)::integer as customers,
             coalesce(sum((e.details ->> 'errors')::integer), 0)::integer as errors
      from import_calls o join audit_entries e on e.id = o.audit_id
      where o.workspace_id = ${workspaceId} and o.import_id = c.import_id) t
    where c.workspace_id = ${workspaceId} and c.audit_id < ${cursor ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}
      and not exists (select from import_calls f
                      where f.workspace_id = ${workspaceId} and f.import_id = c.import_id and f.audit_id < c.audit_id)
    order by c.audit_id desc limit ${limit}`.execute(db)
  return rows
}

type Kind = 'partners' | 'customers'

/** The result of a row, from the answer of its call. */
export type ImportedRow = {
  /** Names the call and the row within it: the cursor of the next page. */
  id: string
  kind: Kind
  /** The customer's external id; null for a partner. */
  customer: string | null
  /** The partner's email address. */
  partner: string
  status: string
  /** The former partner of the customer. */
  formerPartner: string | null
  slug: string | null
  requestedSlug: string | null
  couponMapped: boolean | null
  code: string | null
  message: string | null
}

/**
 * Rows by result. For created partners: how many got another slug, or their coupon. For updated
 * customers: how many changed partners.
 */
export type ImportCount = {
  kind: Kind
  status: string
  rows: number
  renamed: number
  coupons: number
  moved: number
}

type Owed = { count: number; sums: { currency: string; amountCents: number }[] }

/** A call of the import, and the opening balances that it created. */
export type ImportCallEntry = {
  actor: string
  at: Date
  kind: Kind
  programName: string | null
  mailed: boolean
  owed: Owed | null
}

/** “We’ve moved” mails to the created partners, by status. */
export type ImportMails = { status: MailStatus; mails: number }

export type ImportReport = {
  calls: ImportCallEntry[]
  counts: ImportCount[]
  rows: ImportedRow[]
  mails: ImportMails[]
  /** The undo of the import, if there was one. */
  undo: { at: Date; by: string | null; undone: Undone } | undefined
}

const KIND = sql<Kind>`split_part(a.action, '.', 1)`

const rowsQuery = (workspaceId: string, importId: string) => sql`
  select c.audit_id || ' ' || lpad(r.n::text, 4, '0') as id, ${KIND} as kind,
         r.result ->> 'customerExternalId' as customer, coalesce(r.email, r.result ->> 'email', r.result ->> 'partnerEmail') as partner,
         coalesce(r.result ->> 'status', 'created') as status, r.result ->> 'ownerEmail' as "formerPartner",
         coalesce(r.slug, nullif(r.result ->> 'slug', '')) as slug,
         r.result ->> 'requestedSlug' as "requestedSlug", r.result ->> 'code' as code, r.result ->> 'message' as message,
         case when r.result is null then false else (r.result ->> 'couponMapped')::boolean end as "couponMapped"
  from import_calls c join audit_entries a on a.id = c.audit_id
    cross join lateral import_results(c.answer, c.made_emails, c.made_slugs) r
  where c.workspace_id = ${workspaceId} and c.import_id = ${importId}`

/** The same as `isMoved`. */
const IS_MOVED = sql`status = 'updated' and "formerPartner" is not null`

/** The rows of an import, in their order. */
export const listImportedRows = async (
  db: Db,
  workspaceId: string,
  importId: string,
  { cursor, limit }: PageRequest,
): Promise<ImportedRow[]> => {
  const [call, row] = (cursor ?? '00000000-0000-0000-0000-000000000000 0').split(' ')
  const after = sql`
    and c.audit_id >= ${call}::uuid and (c.audit_id, r.n) > (${call}::uuid, ${row}::bigint)`
  const { rows } = await sql<ImportedRow>`
    ${rowsQuery(workspaceId, importId)} ${after} order by c.audit_id, r.n limit ${limit}`.execute(
    db,
  )
  return rows
}

/** @returns undefined if the workspace has no such import */
export const importExists = async (
  db: Db,
  workspaceId: string,
  importId: string,
): Promise<true | undefined> => {
  const { rows } = await sql`
    select from import_calls where workspace_id = ${workspaceId} and import_id = ${importId} limit 1`.execute(
    db,
  )
  return rows.length > 0 ? true : undefined
}

/**
 * The report of an import, in one database round trip.
 *
 * @param shown how many rows to list of those that were renamed, moved, refused, or have a remark
 * @returns undefined if the workspace has no such import
 */
export const readImport = async (
  db: Db,
  workspaceId: string,
  importId: string,
  shown: number,
): Promise<ImportReport | undefined> => {
  const [calls, counts, rows, mails, [undo]] = await db.batch([
    sql<ImportCallEntry>`
      select a.actor, a.created_at as at, ${KIND} as kind, p.name as "programName",
             coalesce((a.details ->> 'sendWelcomeEmail')::boolean, false) as mailed, a.details -> 'openingBalances' as owed
      from import_calls c join audit_entries a on a.id = c.audit_id left join programs p on p.id = a.subject_id
      where c.workspace_id = ${workspaceId} and c.import_id = ${importId} order by c.audit_id`.compile(
      db,
    ),
    sql<ImportCount>`
      select kind, status, count(*)::integer as rows, count("requestedSlug")::integer as renamed,
             count(*) filter (where "couponMapped")::integer as coupons, count(*) filter (where ${IS_MOVED})::integer as moved
      from (${rowsQuery(workspaceId, importId)}) r group by kind, status`.compile(db),
    sql<ImportedRow>`
      select * from (${rowsQuery(workspaceId, importId)}) r
      where code is not null or "requestedSlug" is not null or ${IS_MOVED} or status in ('partner_not_found', 'error')
      order by id limit ${shown}`.compile(db),
    sql<ImportMails>`
      select m.status, count(*)::integer as mails
      from import_calls c join mails m on m.partner_id = any(c.made) and m.kind = 'moved' and m.payout_id is null and m.occasion <> 'test'
      where c.workspace_id = ${workspaceId} and c.import_id = ${importId} and not import_is_undone(c.workspace_id, c.import_id)
      group by m.status`.compile(db),
    sql<NonNullable<ImportReport['undo']>>`
      select i.undone_at as at, i.undone,
             (select a.actor from audit_entries a where a.subject_id = i.import_id and a.action = 'import.undone') as by
      from undone_imports i where i.workspace_id = ${workspaceId} and i.import_id = ${importId}`.compile(
      db,
    ),
  ])
  return calls.length > 0 ? { calls, counts, rows, mails, undo } : undefined
}
