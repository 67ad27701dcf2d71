/** Workspaces, and access to them. */

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { lockSignup } from '../../db/locks.queries.ts'
import { breaks, isConflict } from '../../db/neon.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import type { Role } from '../../rules/roles/roles.ts'
import type { ApiKeyScope } from '../keys/api-keys.ts'
import { MAX_WORKSPACES_EACH, type Signup } from './signup.ts'

/** A workspace with the caller's role. An API key is no member. */
export type Workspace = {
  id: string
  slug: string
  name: string
  mode: Mode
  role: Role | 'key'
  /**
   * Whether payouts need a recent confirmation with a passkey. Not read for API keys, which never
   * pay.
   */
  payoutsRequirePasskey?: boolean
  /** The time of a scheduled deletion. Not read for API keys. */
  deletesAt?: Date | null
}

export type Membership = Workspace & { role: Role }

/** The characters of slugs and ids. Postgres rejects others, such as NUL. */
const ADDRESS = /^[\w-]{1,63}$/

/** A slug or id as it is stored; blank if it is neither. */
export const slugOrIdOf = (address: string): string =>
  ADDRESS.test(address) ? address.toLowerCase() : ''

/** The condition that selects a workspace (`w`) by slug or id. */
export const isNamed = (address: string): RawBuilder<SqlBool> => {
  const slugOrId = slugOrIdOf(address)
  return sql<SqlBool>`(w.slug = ${slugOrId} or w.id::text = ${slugOrId})`
}

const memberships = (db: Db, email: string) =>
  db
    .selectFrom('workspaces as w')
    .innerJoin('members as m', 'm.workspace_id', 'w.id')
    .where('m.email', '=', email)
    .select([
      'w.id',
      'w.slug',
      'w.name',
      'w.mode',
      'm.role',
      'w.deletes_at as deletesAt',
      'w.payouts_require_passkey as payoutsRequirePasskey',
    ])

/** The workspace with this slug or id, if the person is a member. */
export const memberWorkspace = (db: Db, address: string, email: string) =>
  memberships(db, email).where(isNamed(address))

/** The workspaces that a person is a member of, by name. */
export const listWorkspaces = (db: Db, email: string) =>
  memberships(db, email).orderBy('w.name').orderBy('w.id').execute()

export type KeyAccess =
  | {
      outcome: 'allowed'
      workspace: Workspace
      keyId: string
      keyName: string
      scopes: ApiKeyScope[]
    }
  | { outcome: 'unknown_key' }
  | { outcome: 'other_workspace' }

/**
 * Whether an API key gives access to this workspace. Revoked and expired keys count as unknown. The
 * caller checks the scopes. @param address null for the key's own workspace
 */
export const keyWorkspace = async (
  db: Db,
  address: string | null,
  apiKeyHash: string,
  now: Date,
): Promise<KeyAccess> => {
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .where('k.key_hash', '=', apiKeyHash)
    .where('k.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('k.expires_at', 'is', null), eb('k.expires_at', '>', now)]))
    .select([
      'w.id',
      'w.slug',
      'w.name',
      'w.mode',
      (address === null ? sql<SqlBool>`true` : isNamed(address)).as('named'),
      'k.id as keyId',
      'k.name as keyName',
      'k.scopes',
    ])
    .executeTakeFirst()
  if (!row) return { outcome: 'unknown_key' }
  if (!row.named) return { outcome: 'other_workspace' }
  const { id, slug, name, mode, ...key } = row
  return { outcome: 'allowed', workspace: { id, slug, name, mode, role: 'key' }, ...key }
}

/** Whether somebody may create another workspace. A retried batch does not count its own. */
const mayCreate = ({ email, isOpen, isOwner }: Signup, id: string | null = null) =>
  isOpen
    ? sql<boolean>`(select count(*) < ${MAX_WORKSPACES_EACH} from workspaces
                    where created_by = ${email} and id is distinct from ${id})`
    : sql<boolean>`${isOwner} and not exists (select from workspaces where id is distinct from ${id})
                   and not exists (select from deleted_workspaces)`

/**
 * Whether the person may create a workspace: the owner the first one, and with open sign-up anybody
 * a few.
 */
export const mayCreateWorkspace = async (db: Db, signup: Signup): Promise<boolean> => {
  const { rows } = await sql<{ allowed: boolean }>`select ${mayCreate(signup)} as allowed`.execute(
    db,
  )
  return rows[0]?.allowed ?? false
}

type NewWorkspace = {
  name: string
  slug: string
  mode: Mode
  signup: Signup
  now: Date
  /** See Act. */
  firstId?: string | undefined
}

/** Creates a workspace with its first manager. @returns the reason if it is refused */
export const createWorkspace = async (
  db: Db,
  { name, slug, mode, signup, now, firstId }: NewWorkspace,
): Promise<Membership | 'slug_taken' | 'not_allowed'> => {
  const id = idOf({ firstId })
  const { email, isOwner } = signup
  const act = { workspaceId: id, actor: email, now, firstId }
  try {
    await db.batch([
      lockSignup.compile(db),
      sql`select assert_unchanged(${mayCreate(signup, id)})`.compile(db),
      db
        .insertInto('workspaces')
        .values({
          id,
          slug,
          name,
          mode,
          created_at: now,
          created_by: email,
          trusted_at: isOwner ? now : null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      db
        .insertInto('members')
        .values({ id: idOf(act, 1), workspace_id: id, email, role: 'manager', created_at: now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      auditEntry(db, {
        ...act,
        action: 'workspace.created',
        subjectId: id,
        details: { name, slug, mode },
      }).compile(),
    ])
  } catch (error) {
    if (breaks(error, 'workspaces_slug_key')) return 'slug_taken'
    if (isConflict(error)) return 'not_allowed'
    throw error
  }
  return { id, slug, name, mode, role: 'manager' }
}
