/** Bulk import of partners: one read and one write, each a function of schema/imports.sql. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { namesDeletedRow } from '../../db/deleted-rows.ts'
import { breaks, isConflict } from '../../db/neon.ts'
import type { MovedDetails, OpeningBalancesDetails } from '../../mail/outbox/details.ts'
import type { ProgramMode } from '../../rules/programs/mode.ts'
import { slugOrIdOf, type Workspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import { slugKey } from '../../values/slugs.ts'
import type { ImportCall } from '../import-calls.queries.ts'
import type { PartnerImportResponse } from '../imports.responses.ts'
import type { NewGroup } from './groups.ts'
import {
  type CompletedPartner,
  type NewPartner,
  type PartnerImportFacts,
  type PartnerRow,
  preferredSlug,
} from './partner-import.ts'

/** Values as the functions read them: one per line, a tab for null. Valid rows contain neither. */
const lines = (values: (string | null)[]): string => values.map((value) => value ?? '\t').join('\n')

/** @property programId from the request, not checked yet */
type Target = { address: string; email: string; programId: string }

/** The result of load_partner_import and import_partners. */
type Answer = {
  workspace: Workspace
  program?: { id: string; name: string; mode: ProgramMode; siteUrl: string }
  partners?: Record<string, string> | null
  slugOwners?: Record<string, string> | null
  couponOwners?: Record<string, string> | null
  balances?: Record<string, number> | null
  unowed?: Record<string, string | null> | null
  answer?: PartnerImportResponse
  isUndone?: boolean
  isSaved?: boolean
}

const toLoaded = (answer: Answer | null | undefined) => ({
  workspace: answer?.workspace,
  program: answer?.program,
  facts: {
    partners: new Map(Object.entries(answer?.partners ?? {})),
    slugOwners: new Map(Object.entries(answer?.slugOwners ?? {})),
    couponOwners: new Map(Object.entries(answer?.couponOwners ?? {})),
    balancesElsewhere: new Map(Object.entries(answer?.balances ?? {})),
    unowed: new Map(Object.entries(answer?.unowed ?? {})),
  } satisfies Omit<PartnerImportFacts, 'groups'>,
  /** The answer of the same call, if it was made before. */
  answer: answer?.answer,
  isUndone: answer?.isUndone ?? false,
  isSaved: answer?.isSaved ?? false,
})

/**
 * Reads the workspace, the program, and the existing partners, slugs and coupons of the rows, in
 * one database round trip. Returns no workspace for a person who is not a member.
 *
 * @param call null for a dry run, which no earlier call answers
 */
export const loadPartnerImport = async (
  db: Db,
  { address, email, programId }: Target,
  rows: PartnerRow[],
  call: ImportCall | null,
) => {
  const withBalance = rows.filter(({ openingBalanceCents }) => openingBalanceCents > 0)
  const { rows: answers } = await sql<{ loaded: Answer | null }>`
    select load_partner_import(
      ${slugOrIdOf(address)}, ${email}, ${programId}, ${lines(rows.map((row) => row.email))},
      ${lines(rows.flatMap((row) => [preferredSlug(row), ...row.otherSlugs].map(slugKey)))}, ${lines(rows.flatMap(({ coupon }) => coupon?.id ?? []))},
      ${lines(withBalance.map((row) => row.email))}, ${call?.importId ?? null}, ${call?.hash ?? null}) as loaded`.execute(
    db,
  )
  return toLoaded(answers[0]?.loaded)
}

/** The ids and names of a program's groups. */
export const listGroupNames = (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('groups')
    .where('workspace_id', '=', workspaceId)
    .where('program_id', '=', programId)
    .select(['id', 'name'])
    .orderBy('id')
    .execute()

/** A partner to insert, with its welcome mail if one was requested. */
type PlannedPartner = NewPartner & { mail: MovedDetails | null }

/** The audit entry, written in the same transaction: who imports, and the details. */
type Audit = { actor: string; details: Record<string, unknown> }

/** The fields of the mail about opening balances that name the program and the workspace. */
type OpeningBalancesNotice = Pick<OpeningBalancesDetails, 'workspaceName' | 'programName' | 'url'>

type PartnerImport = {
  workspaceId: string
  programId: string
  partners: PlannedPartner[]
  newGroups: NewGroup[]
  completed: CompletedPartner[]
  /** For the mail about opening balances, to which the database adds the sums. */
  notice: OpeningBalancesNotice
  audit: Audit
  call: ImportCall
  /** Returned to a repeat of the call. */
  answer: PartnerImportResponse
  now: Date
}

/** The partners' columns, in lines. */
const columns = (partners: NewPartner[]) => ({
  emails: lines(partners.map(({ email }) => email)),
  names: lines(partners.map(({ name }) => name)),
  slugs: lines(partners.map(({ slug }) => slug)),
  slugKeys: lines(partners.map(({ slug }) => slugKey(slug))),
  formerLinks: partners.some(({ formerLink }) => formerLink !== null)
    ? lines(partners.map(({ formerLink }) => formerLink))
    : null,
})

/** The extras of partners, by the partner's line. */
const extrasOf = <Partner, Extra>(partners: Partner[], of: (partner: Partner) => Extra | null) =>
  partners.flatMap((partner, index) => {
    const extra = of(partner)
    return extra === null ? [] : [{ n: index + 1, ...extra }]
  })

/** Whether a result only says that the partner was created with this slug. */
const isPlain = ({
  status,
  couponMapped,
  ...rest
}: PartnerImportResponse['results'][number]): boolean =>
  status === 'created' && !couponMapped && !rest.requestedSlug && !rest.slugsNotKept && !rest.code

/** The answer as import_calls stores it, where a plain result is its partner's number. */
const keptAnswer = (answer: PartnerImportResponse): string => {
  let created = 0
  const results = answer.results.map((result) => {
    if (result.status === 'created') created++
    return isPlain(result) ? created : result
  })
  return JSON.stringify({ ...answer, results })
}

/** A list for the database; null for an empty one. */
const jsonOf = (list: object[]): string | null => (list.length > 0 ? JSON.stringify(list) : null)

const extras = <Partner, Extra>(partners: Partner[], of: (partner: Partner) => Extra | null) =>
  jsonOf(extrasOf(partners, of))

/** The further links of all partners, by the partner's line; null for none. */
const furtherLinks = (partners: NewPartner[]) =>
  jsonOf(
    partners.flatMap(({ otherSlugs }, index) =>
      otherSlugs.map((slug) => ({ n: index + 1, slug, key: slugKey(slug) })),
    ),
  )

/**
 * Inserts partners with their links, coupons, opening balances, mails and new groups, in one
 * transaction. Idempotent: see save_partner_import.
 *
 * @returns false if something unique was taken since the read, which is then to be repeated
 */
export const savePartnerImport = async (db: Db, planned: PartnerImport): Promise<boolean> => {
  const { workspaceId, programId, partners, newGroups, completed, notice, audit, call } = planned
  const { emails, names, slugs, slugKeys, formerLinks } = columns(partners)
  const links = furtherLinks(partners)
  const groups = partners.some(({ groupId }) => groupId !== null)
    ? lines(partners.map(({ groupId }) => groupId))
    : null
  const coupons = extras(partners, ({ coupon }) => coupon)
  const balances = [
    ...extrasOf(partners, ({ openingBalanceCents: cents }) => (cents > 0 ? { cents } : null)),
    ...completed.map(({ email, slug, openingBalanceCents: cents }) => ({
      key: slugKey(slug),
      email,
      cents,
    })),
  ]
  const mails = extras(partners, ({ mail }) => mail && { details: mail })
  const save = sql`
    select save_partner_import(
      ${workspaceId}, ${programId}, ${emails}, ${names}, ${slugs}, ${slugKeys}, ${formerLinks}, ${groups}, ${jsonOf(newGroups)}, ${links}, ${coupons}, ${jsonOf(balances)},
      ${balances.length > 0 ? JSON.stringify(notice) : null}, ${mails},
      ${call.id}, ${audit.actor}, ${JSON.stringify(audit.details)}, ${call.importId}, ${call.hash},
      ${keptAnswer(planned.answer)}, ${planned.now})`
  return (await unlessTakenOrDeleted(() => save.execute(db))) !== null
}

type NewPartnersImport = Pick<PartnerImport, 'audit' | 'call' | 'answer' | 'now'> & {
  target: Target
  role: string
  partners: NewPartner[]
}

/**
 * Reads, and saves if nothing of the partners exists, in one database round trip. Creates no
 * balances and mails, which depend on what is read. Idempotent.
 *
 * @param role the role that the person needs
 * @returns what was read and whether the partners are saved; null if something was taken meanwhile
 */
export const importNewPartners = async (
  db: Db,
  { target, role, partners, audit, call, answer, now }: NewPartnersImport,
) => {
  const { emails, names, slugs, slugKeys, formerLinks } = columns(partners)
  const coupons = partners.flatMap(({ coupon }) => coupon?.id ?? [])
  const attempt = sql<{ loaded: Answer | null }>`
    select import_partners(
      ${slugOrIdOf(target.address)}, ${target.email}, ${role}, ${target.programId}, ${emails}, ${names}, ${slugs}, ${slugKeys},
      ${formerLinks}, ${furtherLinks(partners)}, ${lines(coupons)}, ${extras(partners, ({ coupon }) => coupon)}, ${call.id}, ${JSON.stringify(audit.details)},
      ${call.importId}, ${call.hash}, ${keptAnswer(answer)}, ${now}) as loaded`
  const result = await unlessTakenOrDeleted(() => attempt.execute(db))
  return result && toLoaded(result.rows[0]?.loaded)
}

/** As `unlessTaken`. Also null if a partner or the workspace was deleted meanwhile. */
export const unlessTakenOrDeleted = async <T>(save: () => Promise<T>): Promise<T | null> => {
  try {
    return await unlessTaken(save)
  } catch (error) {
    if (namesDeletedRow(error)) return null
    throw error
  }
}

/** @returns null if an address, slug or coupon was taken meanwhile, or the call was answered */
export const unlessTaken = async <T>(save: () => Promise<T>): Promise<T | null> => {
  try {
    return await save()
  } catch (error) {
    if (isConflict(error) || TAKEN.some((constraint) => breaks(error, constraint))) return null
    throw error
  }
}

const TAKEN = [
  'partners_program_id_email_key',
  'partners_program_id_slug_key_key',
  'links_program_id_slug_key_key',
  'coupon_aliases_workspace_id_coupon_id_key',
  'commissions_opening_balance_key',
  'import_calls_workspace_id_import_id_hash_key',
]
