/** The public pages of programs, and the terms that their partners accept. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Brand } from '../brand/brand.ts'
import { BRAND_COLUMNS, contactIn } from '../brand/brands.queries.ts'
import type { Db } from '../db/connection.ts'
import type { Agreement, JoinPage } from './applications.ts'

/** A manager's settings. */
export type JoinSettings = JoinPage & {
  /** The terms that partners accept; blank for none. */
  agreement: string
}

/** A program's public page, with what it shows. */
export type PublicJoinPage = JoinPage &
  Brand & {
    programId: string
    programName: string
    siteUrl: string
    workspaceId: string
    workspaceName: string
    /** The address for questions of the program's applicants and partners. */
    contact: string | null
    /** null if there are no terms to accept. */
    agreement: Agreement | null
  }

/** A program's newest terms, as a query. A version without text ends them. */
const agreementQuery = (programId: string) => sql<Agreement>`
  select version, content from agreements where program_id = ${programId} order by version desc limit 1`

/** Creates a closed and blank page unless the program has one, as a query. */
export const blankPageQuery = (workspaceId: string, programId: string) => sql`
  insert into join_pages (program_id, workspace_id, is_open, intro, questions, approves)
  values (${programId}, ${workspaceId}, false, '', '[]', false) on conflict do nothing`

const pageQuery = (db: Db, programId: string) =>
  db
    .selectFrom('join_pages as j')
    .innerJoin('programs as p', 'p.id', 'j.program_id')
    .innerJoin('workspaces as w', 'w.id', 'j.workspace_id')
    .leftJoin('brands as b', 'b.program_id', 'j.program_id')
    .where('j.program_id', '=', programId)
    .select([
      'j.is_open as isOpen',
      'j.intro',
      'j.questions',
      'j.approves',
      'j.group_id as groupId',
      'p.id as programId',
      'p.name as programName',
      'p.site_url as siteUrl',
      'w.id as workspaceId',
      'w.name as workspaceName',
      contactIn(sql.ref('j.workspace_id')).as('contact'),
    ])
    .select(BRAND_COLUMNS)

/** The page of a program, open or not. @param programId a UUID */
export const readJoinPage = async (
  db: Db,
  programId: string,
): Promise<PublicJoinPage | undefined> => {
  const [[page], [agreement]] = await db.batch([
    pageQuery(db, programId).compile(),
    agreementQuery(programId).compile(db),
  ])
  return page && { ...page, agreement: agreement?.content ? agreement : null }
}

/** A page's settings. They are closed and blank before the first change. */
export const settingsOf = (page: PublicJoinPage | undefined): JoinSettings => ({
  isOpen: page?.isOpen ?? false,
  intro: page?.intro ?? '',
  questions: page?.questions ?? [],
  approves: page?.approves ?? false,
  groupId: page?.groupId ?? null,
  agreement: page?.agreement?.content ?? '',
})

/**
 * Changes the page of a program. Undefined fields keep their values. Changed terms become a new
 * version. The lock serializes concurrent changes, so that each gets its own version.
 *
 * @param programId of a program of the workspace
 * @returns the page; undefined, without a change, if the group belongs to another program
 */
export const saveJoinPage = async (
  db: Db,
  act: Act,
  programId: string,
  {
    isOpen,
    intro,
    questions,
    approves,
    groupId,
    agreement,
  }: { [Name in keyof JoinSettings]?: JoinSettings[Name] | undefined },
): Promise<PublicJoinPage | undefined> => {
  const { workspaceId, actor, now } = act
  if (groupId) {
    const group = await db
      .selectFrom('groups')
      .where('program_id', '=', programId)
      .where('id', '=', groupId)
      .select('id')
      .executeTakeFirst()
    if (!group) return undefined
  }
  const [, , , , , [page], [newest]] = await db.batch([
    sql`select from programs where workspace_id = ${workspaceId} and id = ${programId} for update`.compile(
      db,
    ),
    blankPageQuery(workspaceId, programId).compile(db),
    db
      .updateTable('join_pages')
      // Kysely omits undefined fields. At least one has to be set.
      .set({
        program_id: programId,
        is_open: isOpen,
        intro,
        questions: questions && JSON.stringify(questions),
        approves,
        group_id: groupId,
      })
      .where('program_id', '=', programId)
      .compile(),
    sql`
      insert into agreements (program_id, version, workspace_id, content, created_by, created_at)
      select ${programId}, coalesce(newest.version, 0) + 1, ${workspaceId}, ${agreement ?? ''}, ${actor}, ${now}
      from (select) one left join (${agreementQuery(programId)}) newest on true
      where ${agreement !== undefined} and coalesce(newest.content, '') <> ${agreement ?? ''}`.compile(
      db,
    ),
    auditEntry(db, {
      ...act,
      action: 'join_page.changed',
      subjectId: programId,
      details: {
        isOpen,
        approves,
        questions: questions?.length,
        agreement: agreement === undefined ? undefined : agreement !== '',
      },
    }).compile(),
    pageQuery(db, programId).compile(),
    agreementQuery(programId).compile(db),
  ])
  return page && { ...page, agreement: newest?.content ? newest : null }
}

export type AgreementRow = { version: number; createdBy: string; createdAt: Date }

const selectAgreements = (db: Db, programId: string) =>
  db
    .selectFrom('agreements')
    .where('program_id', '=', programId)
    .select(['version', 'created_by as createdBy', 'created_at as createdAt'])

/** The versions of a program's terms, newest first, without their texts, which may be long. */
export const listAgreements = (
  db: Db,
  programId: string,
  { cursor, limit }: { cursor?: number | undefined; limit: number },
): Promise<AgreementRow[]> =>
  selectAgreements(db, programId)
    .where((eb) => (cursor ? eb('version', '<', cursor) : sql<SqlBool>`true`))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()

/** A version of a program's terms. It is blank if it ended the terms. */
export const findAgreement = (db: Db, programId: string, version: number) =>
  selectAgreements(db, programId)
    .where('version', '=', version)
    .select('content')
    .executeTakeFirst()

/** Terms that a partner has not accepted yet. */
export type OpenAgreement = Agreement &
  Brand & { partnerId: string; programId: string; programName: string }

/** The newest terms that the partners of an email address have not accepted, as a query. */
export const openAgreementsQuery = (email: string) => sql<OpenAgreement>`
  select p.id as "partnerId", p.program_id as "programId", pr.name as "programName", a.version, a.content,
         b.logo_url as "logoUrl", b.accent_color as "accentColor", b.support_email as "supportEmail"
  from partners p
  join programs pr on pr.id = p.program_id
  left join brands b on b.program_id = p.program_id
  cross join lateral (select version, content from agreements where program_id = p.program_id order by version desc limit 1) a
  where p.email = ${email} and p.status = 'approved' and a.content <> ''
    and not exists (select from agreement_acceptances x where x.partner_id = p.id and x.version = a.version)
  order by pr.name, p.id`

/**
 * Accepts the newest terms, if they are still the ones that were shown. Idempotent.
 * @returns whether they are
 */
export const acceptAgreement = async (
  db: Db,
  email: string,
  { partnerId, version, now }: { partnerId: string; version: number; now: Date },
): Promise<boolean> => {
  const newest = sql`
    from partners p
    cross join lateral (select version from agreements where program_id = p.program_id order by version desc limit 1) a
    where p.id = ${partnerId} and p.email = ${email} and a.version = ${version}`
  const [, accepted] = await db.batch([
    sql`
      insert into agreement_acceptances (partner_id, version, program_id, workspace_id, accepted_at)
      select p.id, a.version, p.program_id, p.workspace_id, ${now} ${newest}
      on conflict do nothing`.compile(db),
    sql`select p.id ${newest}`.compile(db),
  ])
  return accepted.length > 0
}
