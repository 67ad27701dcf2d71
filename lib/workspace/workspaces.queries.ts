/** Workspaces, and who may see and change them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { breaks, type Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { Role } from '../db/tables.ts'
import { auditEntry } from './audit.queries.ts'

/** A workspace as the one who asked for it may use it. An API key reads, and is nobody's member. */
export type Workspace = { id: string; slug: string; name: string; role: Role | 'key' }

/** A workspace and the role of one of its members. */
export type Membership = Workspace & { role: Role }

/** Slugs and ids hold nothing else, and Postgres refuses some of it, such as a NUL. */
const ADDRESS = /^[\w-]{1,63}$/

/** Whether a workspace is the one that an address names, by its slug or its id. */
export const isNamed = (address: string): RawBuilder<SqlBool> => {
  const asked = ADDRESS.test(address) ? address.toLowerCase() : ''
  return sql<SqlBool>`(w.slug = ${asked} or w.id::text = ${asked})`
}

/** The workspaces of a person, as a member of them sees them. */
const memberships = (db: Db, email: string) =>
  db
    .selectFrom('workspaces as w')
    .innerJoin('members as m', 'm.workspace_id', 'w.id')
    .where('m.email', '=', email)
    .select(['w.id', 'w.slug', 'w.name', 'm.role'])

/** The query for the workspace of an address, as a member of it sees it: a row, or none for strangers. */
export const memberWorkspace = (db: Db, address: string, email: string) =>
  memberships(db, email).where(isNamed(address))

/** The workspaces of a person, by name. */
export const listWorkspaces = (db: Db, email: string) =>
  memberships(db, email).orderBy('w.name').orderBy('w.id').execute()

/**
 * The workspace that an API key opens, when it is the one of the address.
 *
 * @returns undefined when the key is unknown or revoked, null when it belongs to another workspace
 */
export const keyWorkspace = async (
  db: Db,
  address: string,
  apiKeyHash: string,
): Promise<Workspace | null | undefined> => {
  const row = await db
    .selectFrom('api_keys as k')
    .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .where('k.key_hash', '=', apiKeyHash)
    .where('k.revoked_at', 'is', null)
    .select(['w.id', 'w.slug', 'w.name', isNamed(address).as('named')])
    .executeTakeFirst()
  return row && (row.named ? { id: row.id, slug: row.slug, name: row.name, role: 'key' } : null)
}

/**
 * Makes a workspace, with whoever makes it as its first manager.
 *
 * @returns null when the slug is taken
 */
export const createWorkspace = async (
  db: Db,
  { name, slug, email, now }: { name: string; slug: string; email: string; now: Date },
): Promise<Membership | null> => {
  const id = newId()
  const act = { workspaceId: id, actor: email, now }
  try {
    await db.batch([
      db
        .insertInto('workspaces')
        .values({ id, slug, name, created_at: now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      db
        .insertInto('members')
        .values({ id: newId(), workspace_id: id, email, role: 'manager', created_at: now })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
      auditEntry(db, {
        ...act,
        action: 'workspace.created',
        subjectId: id,
        details: { name, slug },
      }).compile(),
    ])
  } catch (error) {
    if (breaks(error, 'workspaces_slug_key')) return null
    throw error
  }
  return { id, slug, name, role: 'manager' }
}
