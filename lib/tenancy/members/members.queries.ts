/** Members of a workspace. At least one of them is always a manager who has signed in. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf, newId } from '../../db/ids.ts'
import { breaks } from '../../db/neon.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { InvitationDetails } from '../../mail/outbox/details.ts'
import { invitationMail, withdrawInvitation } from '../../mail/outbox/outbox.queries.ts'
import { noticesOfRole, type Role, type RoleNotice } from '../../rules/roles/roles.ts'
import type { MemberResponse } from './members.responses.ts'

export type Member = MemberResponse

const selectMembers = (db: Db, workspaceId: string) =>
  db
    .selectFrom('members')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'email', 'role', 'payout_mails as payoutMails', 'created_at as createdAt'])

/** @param id a UUID */
export const findMember = (db: Db, workspaceId: string, id: string): Promise<Member | undefined> =>
  selectMembers(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** @param email normalized */
export const findMemberByEmail = (
  db: Db,
  workspaceId: string,
  email: string,
): Promise<Member | undefined> =>
  selectMembers(db, workspaceId).where('email', '=', email).executeTakeFirst()

/**
 * The number of managers who have signed in, as a column. An address that never signed in may be a
 * typing error.
 */
export const countManagersQuery = (workspaceId: string) => sql<number>`
  (select count(*)::int from members where workspace_id = ${workspaceId} and role = 'manager' and has_signed_in(email))`

/** The members of a workspace, newest first. */
export const listMembers = (
  db: Db,
  workspaceId: string,
  { cursor, limit }: PageRequest,
): Promise<Member[]> => {
  const members = selectMembers(db, workspaceId).orderBy('id', 'desc').limit(limit)
  return (cursor ? members.where('id', '<', cursor) : members).execute()
}

/**
 * Mails all managers, whatever their mail settings, who gets or loses a role that pays. Run it
 * before the change.
 */
const mailManagers = (
  { workspaceId, actor, now }: Act,
  notices: RoleNotice[],
  {
    email,
    occasion = newId(),
    when,
  }: { email: string; occasion?: string; when: RawBuilder<SqlBool> },
) => sql`
  select mail_managers(${workspaceId}, notice, ${actor}, ${email}, null, null,
                         notice || ' ' || ${occasion}::text, ${now})
  from unnest(${sql.val(notices)}::text[]) notice where ${when}`

/**
 * Adds a member, mails an invitation, and mails all managers about a role that pays.
 *
 * @returns null if the person is a member already
 */
export const inviteMember = async (
  db: Db,
  act: Act,
  { email, details }: { email: string; details: InvitationDetails },
): Promise<Member | null> => {
  const { role } = details
  const id = idOf(act)
  try {
    await db.batch([
      mailManagers(act, noticesOfRole(null, role), {
        email,
        occasion: id,
        when: sql<SqlBool>`true`,
      }).compile(db),
      db
        .insertInto('members')
        .values({ id, workspace_id: act.workspaceId, email, role, created_at: act.now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      invitationMail(act, email, details).compile(db),
      auditEntry(db, {
        ...act,
        action: 'member.invited',
        subjectId: id,
        details: { email, role },
      }).compile(),
    ])
  } catch (error) {
    if (!breaks(error, 'members_workspace_id_email_key')) throw error
    // A concurrent copy with the same Idempotency-Key has inserted the row: Postgres may check the
    // address before the id.
    return (await findMember(db, act.workspaceId, id)) ?? null
  }
  return { id, email, role, payoutMails: true, createdAt: act.now }
}

export type MemberUpdate = { outcome: 'done'; member: Member } | { outcome: 'last_manager' }

/**
 * Changes a member's role, unless no manager would be left.
 * @returns undefined if there is no such member
 */
export const changeRole = async (
  db: Db,
  act: Act,
  id: string,
  role: Role,
): Promise<MemberUpdate | undefined> => {
  const before = await findMember(db, act.workspaceId, id)
  if (!before) return undefined
  if (before.role === role) return { outcome: 'done', member: before }

  const { lock, mayLose, find } = guarded(db, act, id)
  const allowed = role === 'manager' ? sql<SqlBool>`true` : mayLose
  const changes = sql<SqlBool>`${allowed} and exists (${find.where('role', '<>', role)})`
  const [, , , , [after]] = await db.batch([
    lock.compile(),
    auditEntry(db, {
      ...act,
      action: 'member.changed',
      subjectId: id,
      details: { email: before.email, role: { from: before.role, to: role } },
      when: changes,
    }).compile(),
    mailManagers(act, noticesOfRole(before.role, role), {
      email: before.email,
      when: changes,
    }).compile(db),
    db
      .updateTable('members')
      .set({ role })
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .where(allowed)
      .compile(),
    find.compile(),
  ])
  if (!after) return undefined
  return after.role === role ? { outcome: 'done', member: after } : { outcome: 'last_manager' }
}

/** Makes a person a manager, and invites one who is no member. Idempotent. */
export const handOver = async (
  db: Db,
  act: Act,
  { email, details }: { email: string; details: InvitationDetails },
): Promise<void> => {
  const heir = await findMemberByEmail(db, act.workspaceId, email)
  if (heir) await changeRole(db, act, heir.id, 'manager')
  else await inviteMember(db, act, { email, details })
}

/** @returns undefined if there is no such member */
const changePayoutMails = async (
  db: Db,
  act: Act,
  id: string,
  payoutMails: boolean,
): Promise<MemberUpdate | undefined> => {
  const before = await findMember(db, act.workspaceId, id)
  if (!before || before.payoutMails === payoutMails)
    return before && { outcome: 'done', member: before }
  const find = selectMembers(db, act.workspaceId).where('id', '=', id)
  const [, , [member]] = await db.batch([
    auditEntry(db, {
      ...act,
      action: 'member.changed',
      subjectId: id,
      details: { email: before.email, payoutMails: { from: before.payoutMails, to: payoutMails } },
      when: sql<SqlBool>`exists (${find.where('payout_mails', '<>', payoutMails)})`,
    }).compile(),
    db
      .updateTable('members')
      .set({ payout_mails: payoutMails })
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .compile(),
    find.compile(),
  ])
  return member && { outcome: 'done', member }
}

/**
 * Changes a member's mails and role, unless no manager would be left.
 * @returns undefined if there is no such member
 */
export const changeMember = async (
  db: Db,
  act: Act,
  id: string,
  { role, payoutMails }: { role?: Role | undefined; payoutMails?: boolean | undefined },
): Promise<MemberUpdate | undefined> => {
  if (role !== undefined) {
    const update = await changeRole(db, act, id, role)
    if (update?.outcome !== 'done' || payoutMails === undefined) return update
  }
  if (payoutMails !== undefined) return changePayoutMails(db, act, id, payoutMails)
  const member = await findMember(db, act.workspaceId, id)
  return member && { outcome: 'done', member }
}

/**
 * Removes a member, unless no manager would be left.
 * @returns undefined if there is no such member
 */
export const removeMember = async (
  db: Db,
  act: Act,
  id: string,
): Promise<MemberUpdate | undefined> => {
  const before = await findMember(db, act.workspaceId, id)
  if (!before) return undefined

  const { lock, mayLose, find } = guarded(db, act, id)
  const [, , , , [after]] = await db.batch([
    lock.compile(),
    auditEntry(db, {
      ...act,
      action: 'member.removed',
      subjectId: id,
      details: { email: before.email, role: before.role },
      when: mayLose,
    }).compile(),
    mailManagers(act, noticesOfRole(before.role, null), {
      email: before.email,
      when: mayLose,
    }).compile(db),
    db
      .deleteFrom('members')
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .where(mayLose)
      .compile(),
    find.compile(),
    withdrawInvitation(act.workspaceId, before.email).compile(db),
  ])
  return after ? { outcome: 'last_manager' } : { outcome: 'done', member: before }
}

/**
 * Keeps two managers from demoting each other concurrently. The lock is a statement of its own,
 * because the snapshot of the same statement would be older than the lock. `mayLose` requires
 * another manager who has signed in, because an invitation may have gone to a wrong address.
 */
const guarded = (db: Db, { workspaceId }: Act, id: string) => {
  const find = selectMembers(db, workspaceId).where('id', '=', id)
  const otherManagers = selectMembers(db, workspaceId)
    .where('id', '<>', id)
    .where('role', '=', 'manager')
    .where(sql<SqlBool>`has_signed_in(email)`)
  const mayGo = sql<SqlBool>`(role <> 'manager' or exists (${otherManagers}))`
  return {
    find,
    lock: db.selectFrom('workspaces').where('id', '=', workspaceId).select('id').forNoKeyUpdate(),
    mayLose: sql<SqlBool>`exists (${find.where(mayGo)})`,
  }
}
