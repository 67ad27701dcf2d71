/**
 * Changes a member's email address in all workspaces, once links to both addresses are confirmed.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { breaks } from '../db/neon.ts'

/** Open requests per address: enough for typing errors, too few to flood a mailbox. */
const MAX_OPEN = 3

/** `old` and `new` are the links to the two addresses. */
type Request = {
  from: string
  to: string
  /** The workspace that sends the mails. */
  workspaceId: string
  old: { tokenHash: string; url: string }
  new: { tokenHash: string; url: string }
  now: Date
  expiresAt: Date
}

/**
 * Saves a request, and mails both links.
 * @returns false if the address has too many open requests
 */
export const requestMemberAddress = async (db: Db, request: Request): Promise<boolean> => {
  const { from, to, workspaceId, now, expiresAt } = request
  const id = newId()
  const links = [
    { mailId: newId(), recipient: from, isNew: false, url: request.old.url },
    { mailId: newId(), recipient: to, isNew: true, url: request.new.url },
  ]
  const saved = sql<SqlBool>`exists (select from address_changes where id = ${id})`
  const statements = [
    sql`
      insert into address_changes (id, email, new_email, token_hash, old_token_hash, created_at, expires_at)
      select ${id}::uuid, ${from}, ${to}, ${request.new.tokenHash}, ${request.old.tokenHash}, ${now}::timestamptz,
             ${expiresAt}::timestamptz
      where (select count(*) from address_changes
             where email = ${from} and old_token_hash is not null and done_at is null and expires_at > ${now}) < ${MAX_OPEN}
      on conflict do nothing`,
    ...links.map(
      ({ mailId, recipient, isNew, url }) => sql`
        insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
        select ${mailId}::uuid, ${workspaceId}::uuid, 'member_address', ${recipient},
               jsonb_build_object('from', ${from}::text, 'to', ${to}::text, 'isNew', ${isNew}::boolean, 'url', ${url}::text),
               ${now}::timestamptz, ${now}::timestamptz
        where ${saved} on conflict do nothing`,
    ),
  ]
  const results = await db.batch([
    ...statements.map((statement) => statement.compile(db)),
    db.selectFrom('address_changes').where('id', '=', id).select('id').compile(),
  ])
  return results.at(-1)?.length === 1
}

/** An open request, seen from one of its links. */
export type OpenRequest = {
  to: string
  /** Whether it is the link to the new address. */
  isNew: boolean
  /** Whether this link is confirmed. */
  isConfirmed: boolean
}

const isNamed = (from: string, tokenHash: string) => sql<SqlBool>`
  (email = ${from} and old_token_hash is not null and ${tokenHash} in (token_hash, old_token_hash))`

/** The open request of a link, or null. Only a session of the old address can use it. */
export const findMemberAddress = async (
  db: Db,
  from: string,
  tokenHash: string,
  now: Date,
): Promise<OpenRequest | null> => {
  const { rows } = await sql<OpenRequest>`
    select new_email as to, token_hash = ${tokenHash} as "isNew",
           case when token_hash = ${tokenHash} then new_confirmed_at else old_confirmed_at end is not null as "isConfirmed"
    from address_changes where ${isNamed(from, tokenHash)} and done_at is null and expires_at > ${now}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Ends a request, from either of its links. */
export const cancelMemberAddress = (
  db: Db,
  from: string,
  tokenHash: string,
  now: Date,
): Promise<unknown> =>
  sql`update address_changes set expires_at = ${now} where ${isNamed(from, tokenHash)} and done_at is null`.execute(
    db,
  )

/** Whether the new address is a member of one of the workspaces. */
const isTaken = (from: string) => sql<SqlBool>`exists (
  select from members o join members n on n.workspace_id = o.workspace_id where o.email = ${from} and n.email = new_email)`

/**
 * Confirms one of the two links, and changes the address once both are confirmed. Runs and limits
 * that wait for another manager's approval keep waiting. The old address can no longer sign in,
 * unless it is a partner's. Idempotent.
 */
export const confirmMemberAddress = async (
  db: Db,
  { from, to, tokenHash, now }: { from: string; to: string; tokenHash: string; now: Date },
): Promise<'changed' | 'waits' | 'taken' | 'expired'> => {
  const mine = sql`(select workspace_id from members where email = ${from})`
  const isOpen = sql<SqlBool>`${isNamed(from, tokenHash)} and done_at is null and expires_at > ${now}`
  const isDone = sql<SqlBool>`exists (select from address_changes where ${isNamed(from, tokenHash)} and done_at = ${now})`
  const statements = [
    // Serialized with changes of members, which lock the workspace, too.
    sql`select id from workspaces where id in ${mine} order by id for no key update`,
    sql`update address_changes
        set new_confirmed_at = case when token_hash = ${tokenHash} then coalesce(new_confirmed_at, ${now}) else new_confirmed_at end,
            old_confirmed_at = case when old_token_hash = ${tokenHash} then coalesce(old_confirmed_at, ${now}) else old_confirmed_at end
        where ${isOpen} and not ${isTaken(from)}`,
    sql`update address_changes set done_at = ${now}
        where ${isOpen} and num_nulls(new_confirmed_at, old_confirmed_at) = 0 and not ${isTaken(from)}`,
    sql`update address_changes set expires_at = ${now} where email = ${from} and done_at is null and ${isDone}`,
    sql`insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
        select uuidv7(), workspace_id, ${from}, 'member.address_changed', id,
               jsonb_build_object('from', ${from}::text, 'to', ${to}::text), ${now}::timestamptz
        from members where email = ${from} and ${isDone}`,
    sql`update payout_runs set created_by = ${to}
        where created_by = ${from} and needs_approval is distinct from false and approved_at is null and workspace_id in ${mine} and ${isDone}`,
    sql`update payout_runs set first_approved_by = ${to}
        where first_approved_by = ${from} and approved_at is null and workspace_id in ${mine} and ${isDone}`,
    sql`update approval_limit_requests set requested_by = ${to}
        where requested_by = ${from} and workspace_id in ${mine} and ${isDone}`,
    sql`update mails set recipient = ${to}
        where recipient = ${from} and partner_id is null and sent_at is null and kind <> 'member_address'
          and workspace_id in ${mine} and ${isDone}`,
    sql`update members set email = ${to} where email = ${from} and ${isDone}`,
    sql`select erase_sign_ins(array[${from}::text]) where ${isDone}`,
  ]
  try {
    const results = await db.batch([
      ...statements.map((statement) => statement.compile(db)),
      sql<{ isDone: boolean | null; isOpen: boolean; isTaken: boolean }>`
        select done_at = ${now} as "isDone", done_at is null and expires_at > ${now} as "isOpen", ${isTaken(from)} as "isTaken"
        from address_changes where ${isNamed(from, tokenHash)}`.compile(db),
    ])
    const [last] = results.at(-1) as { isDone: boolean | null; isOpen: boolean; isTaken: boolean }[]
    if (last?.isDone) return 'changed'
    if (!last?.isOpen) return 'expired'
    return last.isTaken ? 'taken' : 'waits'
  } catch (error) {
    if (breaks(error, 'members_workspace_id_email_key')) return 'taken'
    throw error
  }
}
