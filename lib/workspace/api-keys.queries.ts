/** API keys. Only their hashes are stored. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { ApiKeyScope } from './api-keys.ts'
import { type Act, auditEntry } from './audit.queries.ts'

export type ApiKey = {
  id: string
  name: string
  last4: string
  scopes: ApiKeyScope[]
  createdAt: Date
  /** Null is never. */
  expiresAt: Date | null
  /** To the hour. */
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const selectKeys = (db: Db, workspaceId: string) =>
  db
    .selectFrom('api_keys')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      'name',
      'last4',
      'scopes',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
      'revoked_at as revokedAt',
    ])

/** @param id a UUID */
export const findApiKey = (db: Db, workspaceId: string, id: string): Promise<ApiKey | undefined> =>
  selectKeys(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** The keys of a workspace, newest first. Includes revoked keys. */
export const listApiKeys = (
  db: Db,
  workspaceId: string,
  { cursor, limit }: PageRequest,
): Promise<ApiKey[]> => {
  const keys = selectKeys(db, workspaceId).orderBy('id', 'desc').limit(limit)
  return (cursor ? keys.where('id', '<', cursor) : keys).execute()
}

type NewKey = Pick<ApiKey, 'name' | 'last4' | 'scopes' | 'expiresAt'> & { hash: string }

/** Stores a new key. */
export const addApiKey = async (
  db: Db,
  act: Act,
  { name, hash, last4, scopes, expiresAt }: NewKey,
): Promise<ApiKey> => {
  const id = newId()
  await db.batch([
    db
      .insertInto('api_keys')
      .values({
        id,
        workspace_id: act.workspaceId,
        name,
        key_hash: hash,
        last4,
        scopes,
        expires_at: expiresAt,
        created_at: act.now,
        revoked_at: null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'api_key.created',
      subjectId: id,
      details: { name, scopes, expiresAt },
    }).compile(),
  ])
  return { id, name, last4, scopes, createdAt: act.now, expiresAt, lastUsedAt: null, revokedAt: null }
}

/**
 * Revokes a key, permanently. Idempotent.
 *
 * @returns undefined when the workspace has no such key
 */
export const revokeApiKey = async (db: Db, act: Act, id: string): Promise<ApiKey | undefined> => {
  const key = await findApiKey(db, act.workspaceId, id)
  if (!key || key.revokedAt) return key
  // A concurrent revocation waits for the row lock, and then writes no audit entry.
  const live = db
    .selectFrom('api_keys')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .select('id')
    .forUpdate()
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'api_key.revoked',
      subjectId: id,
      details: { name: key.name },
      when: sql`exists (${live})`,
    }).compile(),
    db
      .updateTable('api_keys')
      .set({ revoked_at: act.now })
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .compile(),
  ])
  return { ...key, revokedAt: act.now }
}
