/** The branding of programs. */
import { type RawBuilder, sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import { diff } from '../audit/diff.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isConflict } from '../db/neon.ts'
import { type Brand, NO_BRAND } from './brand.ts'

/** Each change increments the version. Mails reply to the support address once it is verified. */
export type StoredBrand = Brand & { version: number; supportEmailVerified: boolean }

/** The columns of a brand, for the table as `b`. All are null for a program without a brand. */
export const BRAND_COLUMNS = [
  'b.logo_url as logoUrl',
  'b.accent_color as accentColor',
  'b.support_email as supportEmail',
] as const

/** The branding of a program of the workspace. @param programId a UUID */
export const readBrand = async (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<StoredBrand> => {
  const brand = await db
    .selectFrom('brands as b')
    .where('b.workspace_id', '=', workspaceId)
    .where('b.program_id', '=', programId)
    .select([...BRAND_COLUMNS, 'b.version'])
    .select((eb) =>
      eb('b.support_email_verified_at', 'is not', null)
        .$castTo<boolean>()
        .as('supportEmailVerified'),
    )
    .executeTakeFirst()
  return brand ?? NO_BRAND
}

/**
 * Changes the branding of a program. Idempotent.
 *
 * @param programId of a program of the workspace
 * @param version   that the manager has seen, 0 before the first change
 * @returns the branding; null if another manager has changed it since
 */
export const saveBrand = async (
  db: Db,
  act: Act,
  programId: string,
  { version, logoUrl, accentColor, supportEmail }: Brand & { version: number },
): Promise<StoredBrand | null> => {
  const { workspaceId } = act
  const before = await readBrand(db, workspaceId, programId)
  if (before.version !== version) return null
  const { version: _, supportEmailVerified, ...brand } = before
  const change = { logoUrl, accentColor, supportEmail }
  const changes = diff<Brand>(brand, change)
  if (!changes) return before
  const changeId = newId()
  const batch = [
    // Serializes the first changes, when there is no row to lock.
    sql`select from programs where workspace_id = ${workspaceId} and id = ${programId} for no key update`.compile(
      db,
    ),
    sql`
      select assert_unchanged(coalesce(
        (select version = ${version}::integer or change_id = ${changeId} from brands where program_id = ${programId}),
        ${version}::integer = 0))`.compile(db),
    sql`
      insert into brands as b (program_id, workspace_id, logo_url, accent_color, support_email, version, change_id)
      values (${programId}, ${workspaceId}, ${logoUrl}, ${accentColor}, ${supportEmail}, 1, ${changeId})
      on conflict (program_id) do update
      set logo_url = excluded.logo_url, accent_color = excluded.accent_color, support_email = excluded.support_email,
          support_email_verified_at = case when b.support_email = excluded.support_email then b.support_email_verified_at end,
          support_check_hash = case when b.support_email = excluded.support_email then b.support_check_hash end,
          support_check_until = case when b.support_email = excluded.support_email then b.support_check_until end,
          version = b.version + 1, change_id = excluded.change_id
      where b.version = ${version}::integer`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'brand.changed',
      subjectId: programId,
      details: changes.log,
    }).compile(),
  ]
  try {
    await db.batch(batch)
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
  return {
    ...change,
    version: version + 1,
    supportEmailVerified: supportEmailVerified && change.supportEmail === brand.supportEmail,
  }
}

/**
 * The address for questions about a program: its support address or, without one, that of the
 * longest-serving manager. For the table of brands as `b`.
 */
export const contactIn = (workspaceId: RawBuilder<unknown>) => sql<string | null>`
  coalesce(b.support_email, (
    select m.email from members m where m.workspace_id = ${workspaceId} and m.role = 'manager'
    order by m.created_at, m.id limit 1))`

/** Contacts per page. */
const MAX_CONTACTS = 5

/** The contacts of a partner's programs, in all workspaces or in one. */
export const readContacts = async (
  db: Db,
  email: string,
  workspaceId?: string,
): Promise<string[]> => {
  const { rows } = await sql<{ address: string }>`
    select distinct contact.address
    from partners p left join brands b on b.program_id = p.program_id
    cross join lateral (select ${contactIn(sql`p.workspace_id`)} as address) contact
    where p.email = ${email} and contact.address is not null
      ${workspaceId ? sql`and p.workspace_id = ${workspaceId}` : sql``}
    order by address limit ${MAX_CONTACTS}`.execute(db)
  return rows.map(({ address }) => address)
}
