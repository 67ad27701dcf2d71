/** API keys. Only their hashes are stored. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { ApiKeyResponse } from './api-keys.responses.ts'

export type ApiKey = ApiKeyResponse

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
      'replaced_by as replacedBy',
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

export const addApiKey = async (
  db: Db,
  act: Act,
  { name, hash, last4, scopes, expiresAt }: NewKey,
): Promise<ApiKey> => {
  const id = idOf(act)
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
      // By any constraint: a concurrent repeat may conflict by the hash before the id.
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'api_key.created',
      subjectId: id,
      details: { name, scopes, expiresAt },
    }).compile(),
  ])
  const unused = { lastUsedAt: null, revokedAt: null, replacedBy: null }
  return { id, name, last4, scopes, createdAt: act.now, expiresAt, ...unused }
}

export const KEY_ENDED =
  'This API key was rotated or revoked, or has expired. Rotate its replacement, or create a new key.'

/**
 * Replaces a key by one of the same name, scopes and lifetime. The former one expires after the
 * overlap.
 *
 * @returns 'ended' if it was rotated, is revoked or has expired; undefined if the workspace has no
 *   such key
 */
export const rotateApiKey = async (
  db: Db,
  act: Act,
  formerId: string,
  { hash, last4, overlapHours }: { hash: string; last4: string; overlapHours: number },
): Promise<ApiKey | 'ended' | undefined> => {
  const former = await findApiKey(db, act.workspaceId, formerId)
  if (!former) return undefined
  const id = idOf(act)
  // A concurrent rotation waits for the row lock, and then changes nothing.
  const live = sql<{ id: string }>`
    select k.* from api_keys k
    where k.workspace_id = ${act.workspaceId} and k.id = ${formerId}
      and k.replaced_by is null and k.revoked_at is null and coalesce(k.expires_at > ${act.now}, true)
    for update`
  const [, , [fresh]] = await db.batch([
    auditEntry(db, {
      ...act,
      action: 'api_key.rotated',
      subjectId: formerId,
      details: { name: former.name, overlapHours, replacedBy: id },
      when: sql`exists (${live})`,
    }).compile(),
    sql`
      with former as materialized (${live}),
      fresh as (
        insert into api_keys (id, workspace_id, name, key_hash, last4, scopes, expires_at, created_at)
        select ${id}::uuid, workspace_id, name, ${hash}, ${last4}, scopes, ${act.now}::timestamptz + (expires_at - created_at), ${act.now}
        from former
        returning id
      )
      update api_keys k
      set replaced_by = fresh.id, expires_at = least(k.expires_at, ${act.now}::timestamptz + ${overlapHours}::integer * interval '1 hour')
      from former, fresh
      where k.id = former.id`.compile(db),
    selectKeys(db, act.workspaceId).where('id', '=', id).compile(),
  ])
  return fresh ?? 'ended'
}

/** Revokes a key, permanently. Idempotent. @returns undefined if the workspace has no such key */
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
