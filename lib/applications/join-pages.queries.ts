/** The public pages of programs, and the terms that their partners accept. */
import { sql } from 'kysely'
import type { Brand } from '../brand/brand.ts'
import { BRAND_COLUMNS } from '../brand/brands.queries.ts'
import type { Db } from '../db/connection.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import type { Agreement, JoinPage } from './applications.ts'

/** What a manager sets. */
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
    /** null if there is nothing to accept. */
    agreement: Agreement | null
  }

/** The newest terms of a program, as a query. A version without text ends them. */
const agreementQuery = (programId: string) => sql<Agreement>`
  select version, content from agreements where program_id = ${programId} order by version desc limit 1`

/** The page of a program, open or not. @param programId a UUID */
export const readJoinPage = async (db: Db, programId: string): Promise<PublicJoinPage | undefined> => {
  const [[page], [agreement]] = await db.batch([
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
      ])
      .select(BRAND_COLUMNS)
      .compile(),
    agreementQuery(programId).compile(db),
  ])
  return page && { ...page, agreement: agreement?.content ? agreement : null }
}

/** Before a manager has saved anything. */
export const NO_JOIN_PAGE: JoinSettings = {
  isOpen: false,
  intro: '',
  questions: [],
  approves: false,
  groupId: null,
  agreement: '',
}

/**
 * Saves the page of a program. Changed terms become a new version. The lock serializes concurrent changes, so that each has one
 * of its own.
 *
 * @param programId of a program of the workspace
 * @returns whether the group is one of the program's; nothing is saved if it is not
 */
export const saveJoinPage = async (
  db: Db,
  act: Act,
  programId: string,
  { isOpen, intro, questions, approves, groupId, agreement }: JoinSettings,
): Promise<boolean> => {
  const { workspaceId, actor, now } = act
  if (groupId) {
    const group = await db
      .selectFrom('groups')
      .where('program_id', '=', programId)
      .where('id', '=', groupId)
      .select('id')
      .executeTakeFirst()
    if (!group) return false
  }
  const values = {
    is_open: isOpen,
    intro,
    questions: JSON.stringify(questions),
    approves,
    group_id: groupId,
  }
  await db.batch([
    sql`select from programs where workspace_id = ${workspaceId} and id = ${programId} for update`.compile(
      db,
    ),
    db
      .insertInto('join_pages')
      .values({ program_id: programId, workspace_id: workspaceId, ...values })
      .onConflict((conflict) => conflict.column('program_id').doUpdateSet(values))
      .compile(),
    sql`
      insert into agreements (program_id, version, workspace_id, content, created_by, created_at)
      select ${programId}, coalesce(newest.version, 0) + 1, ${workspaceId}, ${agreement}, ${actor}, ${now}
      from (select) one left join (${agreementQuery(programId)}) newest on true
      where coalesce(newest.content, '') <> ${agreement}`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'join_page.changed',
      subjectId: programId,
      details: { isOpen, approves, questions: questions.length },
    }).compile(),
  ])
  return true
}

/** Terms that a partner has not accepted yet. */
export type OpenAgreement = Agreement & Brand & { partnerId: string; programId: string; programName: string }

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

/** Accepts the newest terms, if they are still the ones that were shown. May run twice. @returns whether they are */
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
