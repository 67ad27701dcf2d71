/** Support addresses. Replies go there once a reader of that mailbox has opened a mailed link. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { SupportAddressDetails } from './outbox/details.ts'

const DAY_MS = 86_400_000
/** Mails in 24 hours: nobody needs more, and a merchant might type somebody else's address. */
const MAX_OF_WORKSPACE = 10
const MAX_TO_ADDRESS = 3

type SupportCheck = {
  programId: string
  /** The address that the manager has seen. */
  email: string
  /** The hash of the token in the link. */
  tokenHash: string
  expiresAt: Date
  details: SupportAddressDetails
}

/**
 * Mails a new link to the support address of a program.
 *
 * @param check.programId of a program of the workspace
 * @returns false if the address was changed or confirmed meanwhile, or got several links already
 */
export const requestSupportCheck = async (
  db: Db,
  act: Act,
  { programId, email, tokenHash, expiresAt, details }: SupportCheck,
): Promise<boolean> => {
  const { workspaceId, now } = act
  const mailId = newId()
  const since = new Date(now.getTime() - DAY_MS)
  const recent = sql`select from mails where kind = 'support_address' and created_at > ${since}::timestamptz`
  const [, , , sent] = await db.batch([
    // Serializes the requests, so that concurrent ones are counted.
    sql`select pg_advisory_xact_lock(hashtextextended('support addresses', 0))`.compile(db),
    sql`
      insert into mails (id, workspace_id, program_id, kind, recipient, details, created_at, next_attempt_at)
      select ${mailId}, ${workspaceId}, ${programId}, 'support_address', ${email}, ${JSON.stringify(details)}::jsonb,
             ${now}::timestamptz, ${now}::timestamptz
      from brands
      where workspace_id = ${workspaceId} and program_id = ${programId} and support_email = ${email}
        and support_email_verified_at is null
        and (select count(*) from (${recent} and workspace_id = ${workspaceId}) m) < ${MAX_OF_WORKSPACE}::integer
        and (select count(*) from (${recent} and recipient = ${email}) m) < ${MAX_TO_ADDRESS}::integer
      on conflict (id) do nothing`.compile(db),
    sql`
      update brands set support_check_hash = ${tokenHash}, support_check_until = ${expiresAt}::timestamptz
      where workspace_id = ${workspaceId} and program_id = ${programId} and support_email = ${email}
        and exists (select from mails where id = ${mailId})`.compile(db),
    db.selectFrom('mails').where('id', '=', mailId).select('id').compile(),
  ])
  return sent.length > 0
}

export type FoundCheck = {
  programId: string
  workspaceId: string
  workspaceName: string
  programName: string
  email: string
  isVerified: boolean
}

/** The support address that a link confirms; undefined if the link is not valid any more. */
export const findSupportCheck = async (
  db: Db,
  tokenHash: string,
  now: Date,
): Promise<FoundCheck | undefined> => {
  const { rows } = await sql<FoundCheck>`
    select b.program_id as "programId", w.id as "workspaceId", w.name as "workspaceName", p.name as "programName",
           b.support_email as email, b.support_email_verified_at is not null as "isVerified"
    from brands b join programs p on p.id = b.program_id join workspaces w on w.id = b.workspace_id
    where b.support_check_hash = ${tokenHash} and b.support_check_until > ${now}::timestamptz`.execute(
    db,
  )
  return rows[0]
}

/** Confirms it. May run twice. @returns false if the address was changed meanwhile */
export const confirmSupportAddress = async (
  db: Db,
  tokenHash: string,
  { programId, workspaceId, email }: FoundCheck,
  now: Date,
): Promise<boolean> => {
  const mine = sql`program_id = ${programId} and support_check_hash = ${tokenHash} and support_email = ${email}`
  const [, , , rows] = await db.batch([
    // Of concurrent requests, one writes an entry.
    sql`select from brands where ${mine} for no key update`.compile(db),
    auditEntry(db, {
      workspaceId,
      actor: email,
      now,
      action: 'brand.support_confirmed',
      subjectId: programId,
      details: { email },
      when: sql<SqlBool>`exists (select from brands where ${mine} and support_email_verified_at is null)`,
    }).compile(),
    sql`
      update brands set support_email_verified_at = coalesce(support_email_verified_at, ${now}::timestamptz)
      where ${mine}`.compile(db),
    sql`select from brands where ${mine} and support_email_verified_at is not null`.compile(db),
  ])
  return rows.length > 0
}
