/** Applications, and people's standing in a program. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { Language } from '../languages/languages.ts'
import type { Answer, ApplicationStatus } from './applications.ts'
import type { PublicJoinPage } from './join-pages.queries.ts'

export type ApplicationRow = NonNullable<Awaited<ReturnType<typeof findApplication>>>

const selectApplications = (db: Db) =>
  db
    .selectFrom('applications as a')
    .innerJoin('programs as p', 'p.id', 'a.program_id')
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

/** The columns that the status is derived from. They have indexes. */
const hasStatus = (status: ApplicationStatus) => {
  if (status === 'applied') return sql<SqlBool>`a.outcome is null and a.applied_at is not null`
  if (status === 'invited') return sql<SqlBool>`a.outcome is null and a.applied_at is null`
  return sql<SqlBool>`a.outcome = ${status}`
}

export type ApplicationFilter = PageRequest & {
  programId?: string | undefined
  status?: ApplicationStatus | undefined
}

/** The applications of a workspace, newest first, as a query. */
export const applicationsQuery = (
  db: Db,
  workspaceId: string,
  { programId, status, cursor, limit }: ApplicationFilter,
) =>
  selectApplications(db)
    .where(
      // Only one of the two conditions, so that a program with few applications does not read the
      // index of the whole workspace.
      programId
        ? sql<SqlBool>`a.program_id = ${programId} and p.workspace_id = ${workspaceId}`
        : sql<SqlBool>`a.workspace_id = ${workspaceId}`,
    )
    .where(status ? hasStatus(status) : sql<SqlBool>`true`)
    .where(cursor ? sql<SqlBool>`a.id < ${cursor}` : sql<SqlBool>`true`)
    .orderBy('a.id', 'desc')
    .limit(limit)

/** One application, as a query. @param id a UUID */
export const applicationQuery = (db: Db, workspaceId: string, id: string) =>
  selectApplications(db).where('a.workspace_id', '=', workspaceId).where('a.id', '=', id)

/** @param id a UUID */
export const findApplication = (db: Db, workspaceId: string, id: string) =>
  applicationQuery(db, workspaceId, id).executeTakeFirst()

/** The number of applications that wait for a manager, up to a limit, as an expression. */
export const countWaiting = (workspaceId: string, most: number) => sql<number>`
  (select count(*)::int from (
    select from applications a where a.workspace_id = ${workspaceId} and ${hasStatus('applied')} limit ${most}) waiting)`

/** The applications of an email address, as a query. */
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

/** A person's relation to a program: none, an applicant, or a partner. */
export type Standing = 'none' | ApplicationStatus | 'blocked' | 'partner' | 'banned'

/** @param email of the signed-in person */
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
  /** The language of the page, for the mails about it. */
  language: Language
}

const ifInvited = (column: 'invited_at' | 'invited_by' | 'group_id') =>
  sql<never>`case when applications.status = 'invited' then ${sql.ref(`applications.${column}`)} end`

/**
 * Saves an application, also of an invited person, or one who was rejected and not blocked.
 * Idempotent.
 *
 * @returns the saved application; undefined if the address is blocked
 */
export const saveApplication = async (
  db: Db,
  { workspaceId, programId, agreement }: PublicJoinPage,
  { email, name, siteUrl, promotion, answers, language }: NewApplication,
  now: Date,
): Promise<Pick<ApplicationRow, 'id' | 'status' | 'groupId' | 'invitedBy'> | undefined> => {
  const written = {
    name,
    site_url: siteUrl,
    promotion,
    answers: JSON.stringify(answers),
    agreement_version: agreement?.version ?? null,
    applied_at: now,
    language,
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
