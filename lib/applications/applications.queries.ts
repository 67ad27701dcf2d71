/** Applications: what people send, and what managers decide. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import { unlessTaken } from '../imports/partner-import.queries.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { createPartner, type NewPartner } from '../workspace/new-partner.queries.ts'
import type { Answer, ApplicationStatus } from './applications.ts'
import type { PublicJoinPage } from './join-pages.queries.ts'

export type ApplicationRow = Awaited<ReturnType<typeof listApplications>>[number]

const selectApplications = (db: Db, workspaceId: string) =>
  db
    .selectFrom('applications as a')
    .innerJoin('programs as p', 'p.id', 'a.program_id')
    .where('a.workspace_id', '=', workspaceId)
    .select([
      'a.id',
      'a.program_id as programId',
      'p.name as programName',
      'a.email',
      'a.name',
      'a.site_url as siteUrl',
      'a.promotion',
      'a.answers',
      'a.agreement_version as agreementVersion',
      'a.applied_at as appliedAt',
      'a.invited_at as invitedAt',
      'a.invited_by as invitedBy',
      'a.group_id as groupId',
      'a.status',
      'a.decided_at as decidedAt',
      'a.decided_by as decidedBy',
      'a.reason',
      'a.is_blocked as isBlocked',
      'a.partner_id as partnerId',
    ])

/** The columns behind the status, which indexes know. */
const hasStatus = (status: ApplicationStatus) => {
  if (status === 'applied') return sql<SqlBool>`a.outcome is null and a.applied_at is not null`
  if (status === 'invited') return sql<SqlBool>`a.outcome is null and a.applied_at is null`
  return sql<SqlBool>`a.outcome = ${status}`
}

export type ApplicationFilter = PageRequest & { status?: ApplicationStatus | undefined }

/** The applications of a workspace, newest first. */
export const listApplications = (
  db: Db,
  workspaceId: string,
  { status, cursor, limit }: ApplicationFilter,
) => {
  return selectApplications(db, workspaceId)
    .where(status ? hasStatus(status) : sql<SqlBool>`true`)
    .where(cursor ? sql<SqlBool>`a.id < ${cursor}` : sql<SqlBool>`true`)
    .orderBy('a.id', 'desc')
    .limit(limit)
    .execute()
}

/** @param id a UUID */
export const findApplication = (db: Db, workspaceId: string, id: string) =>
  selectApplications(db, workspaceId).where('a.id', '=', id).executeTakeFirst()

/** How many applications wait for a manager, up to a limit, as an expression. */
export const countWaiting = (workspaceId: string, most: number) => sql<number>`
  (select count(*)::int from (select from applications where workspace_id = ${workspaceId} and outcome is null and applied_at is not null limit ${most}) a)`

/** What somebody has applied for, as a query. */
export const ownApplicationsQuery = (email: string) => sql<{
  id: string
  programId: string
  programName: string
  status: ApplicationStatus
  reason: string | null
  isBlocked: boolean
  appliedAt: Date | null
}>`
  select a.id, a.program_id as "programId", p.name as "programName", a.status, a.reason, a.is_blocked as "isBlocked",
         a.applied_at as "appliedAt"
  from applications a join programs p on p.id = a.program_id where a.email = ${email} order by a.id desc`

/** What somebody is to a program: nobody, an applicant, or a partner. */
export type Standing = 'none' | ApplicationStatus | 'blocked' | 'partner' | 'banned'

/** @param email whoever is signed in with it */
export const readStanding = async (db: Db, programId: string, email: string): Promise<Standing> => {
  const [[partner], [application]] = await db.batch([
    db
      .selectFrom('partners')
      .where('program_id', '=', programId)
      .where('email', '=', email)
      .select('status')
      .compile(),
    db
      .selectFrom('applications')
      .where('program_id', '=', programId)
      .where('email', '=', email)
      .select(['status', 'is_blocked as isBlocked'])
      .compile(),
  ])
  if (partner) return partner.status === 'banned' ? 'banned' : 'partner'
  if (application?.isBlocked) return 'blocked'
  return application?.status ?? 'none'
}

export type NewApplication = {
  email: string
  name: string
  siteUrl: string | null
  promotion: string
  answers: Answer[]
}

const ifInvited = (column: 'invited_at' | 'invited_by' | 'group_id') =>
  sql<never>`case when applications.status = 'invited' then ${sql.ref(`applications.${column}`)} end`

/**
 * Saves an application, also of somebody who was invited, or rejected and not blocked. A repeat changes nothing.
 *
 * @returns what is saved; undefined if the address is blocked
 */
export const saveApplication = async (
  db: Db,
  { workspaceId, programId, agreement }: PublicJoinPage,
  { email, name, siteUrl, promotion, answers }: NewApplication,
  now: Date,
): Promise<Pick<ApplicationRow, 'id' | 'status' | 'groupId' | 'invitedBy'> | undefined> => {
  const written = {
    name,
    site_url: siteUrl,
    promotion,
    answers: JSON.stringify(answers),
    agreement_version: agreement?.version ?? null,
    applied_at: now,
  }
  const [, [saved]] = await db.batch([
    db
      .insertInto('applications')
      .values({ id: newId(), workspace_id: workspaceId, program_id: programId, email, ...written })
      .onConflict((conflict) =>
        conflict
          .columns(['program_id', 'email'])
          .doUpdateSet({
            ...written,
            // An invitation ends with a rejection.
            invited_at: ifInvited('invited_at'),
            invited_by: ifInvited('invited_by'),
            group_id: ifInvited('group_id'),
            outcome: null,
            decided_at: null,
            decided_by: null,
            reason: null,
          })
          .where('applications.status', 'in', ['invited', 'rejected'])
          .where('applications.is_blocked', '=', false),
      )
      .compile(),
    db
      .selectFrom('applications')
      .where('program_id', '=', programId)
      .where('email', '=', email)
      .where('is_blocked', '=', false)
      .select(['id', 'status', 'group_id as groupId', 'invited_by as invitedBy'])
      .compile(),
  ])
  return saved
}

/** What a decision needs to know of an application. */
type Decided = Pick<ApplicationRow, 'id' | 'programId' | 'email' | 'name'>

/** Of concurrent decisions, one finds that nobody has decided it. */
const lock = (id: string) => sql<unknown>`select from applications where id = ${id} for update`

/** Whether nobody has decided it, as a condition. */
const isWaiting = (id: string) =>
  sql<SqlBool>`exists (select from applications where id = ${id} and outcome is null)`

/**
 * Makes the applicant a partner, in one transaction. If the address is a partner's already, the application is approved for that
 * one. Idempotent.
 *
 * @param decidedBy null if the page approves by itself
 * @returns whether it is approved; not if it was rejected before
 */
export const approveApplication = async (
  db: Db,
  act: Act,
  { id, programId, email, name }: Decided,
  { groupId, welcome, decidedBy }: Pick<NewPartner, 'groupId' | 'welcome'> & { decidedBy: string | null },
): Promise<'approved' | 'group_not_found' | 'decided'> => {
  const { workspaceId, now } = act
  const approvedFor = (partnerId: string) => [
    lock(id).compile(db),
    auditEntry(db, {
      ...act,
      firstId: undefined,
      action: 'application.approved',
      subjectId: id,
      details: { email },
      when: isWaiting(id),
    }).compile(),
    db
      .updateTable('applications')
      .set({ outcome: 'approved', decided_at: now, decided_by: decidedBy, partner_id: partnerId })
      .where('id', '=', id)
      .where('outcome', 'is', null)
      .compile(),
    // Also if a manager rejects it at the same moment: then nobody becomes a partner.
    sql`select assert_unchanged(exists (select from applications where id = ${id} and partner_id = ${partnerId}))`.compile(
      db,
    ),
    sql`
      insert into agreement_acceptances (partner_id, version, program_id, workspace_id, accepted_at)
      select partner_id, agreement_version, program_id, workspace_id, applied_at from applications
      where id = ${id} and agreement_version is not null
      on conflict do nothing`.compile(db),
  ]
  const before = await findApplication(db, workspaceId, id)
  if (before?.status === 'approved') return 'approved'
  if (before?.status !== 'applied' && before?.status !== 'invited') return 'decided'
  const created = await createPartner(
    db,
    { ...act, firstId: `${id.slice(0, -2)}00` },
    { programId, email, name, slug: null, groupId, coupon: null, suffixTaken: true, welcome, approvedFor },
  )
  if (!('partner' in created)) return 'group_not_found'
  if (created.outcome === 'created') return 'approved'
  await unlessTaken(() => db.batch(approvedFor(created.partner.id)))
  const after = await findApplication(db, workspaceId, id)
  return after?.status === 'approved' ? 'approved' : 'decided'
}

/**
 * Rejects an application. Idempotent.
 *
 * @param mail what the mail to the applicant says; null sends none
 * @returns whether it is rejected; not if it was approved before
 */
export const rejectApplication = async (
  db: Db,
  act: Act,
  { id, email }: Decided,
  { reason, blocks, mail }: { reason: string | null; blocks: boolean; mail: object | null },
): Promise<boolean> => {
  const { workspaceId, actor, now } = act
  const [, , , , [after]] = await db.batch([
    lock(id).compile(db),
    auditEntry(db, {
      ...act,
      action: 'application.rejected',
      subjectId: id,
      details: { email, reason, blocks, mailed: mail !== null },
      when: isWaiting(id),
    }).compile(),
    sql`
      insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
      select ${newId()}, ${workspaceId}, 'application_rejected', ${email}, ${JSON.stringify(mail)}::jsonb, ${now}, ${now}
      where ${mail !== null} and ${isWaiting(id)}`.compile(db),
    db
      .updateTable('applications')
      .set({ outcome: 'rejected', decided_at: now, decided_by: actor, reason, is_blocked: blocks })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where('outcome', 'is', null)
      .compile(),
    db.selectFrom('applications').where('id', '=', id).select('status').compile(),
  ])
  return after?.status === 'rejected'
}

/** Deletes what somebody who is not a partner has sent, who may apply again. Idempotent. */
export const deleteApplication = async (db: Db, act: Act, { id }: Decided): Promise<void> => {
  const isNoPartner = sql<SqlBool>`exists (
    select from applications where workspace_id = ${act.workspaceId} and id = ${id} and partner_id is null)`
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'application.deleted',
      subjectId: id,
      details: {},
      when: isNoPartner,
    }).compile(),
    db
      .deleteFrom('applications')
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .where('partner_id', 'is', null)
      .compile(),
  ])
}
