/** Idempotency-Keys of requests that create something: see idempotent.ts. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/** How long a key is kept. */
const KEPT_MS = 24 * 3_600_000

/** Keys that were stored before this time have expired. */
export const keysExpireBefore = (now: Date): Date => new Date(now.getTime() - KEPT_MS)

type KeyName = { workspaceId: string; hash: string }

/** A key, as its first request has stored it. */
export type StoredKey = {
  bodyHash: string
  firstId: string
  /** Encrypted. */
  secret: string | null
  /** Null until the request has succeeded. */
  status: number | null
  answer: string | null
  createdAt: Date
}

/** Stores a key unless it exists, in one round trip. @returns the stored one */
export const claimKey = async (
  db: Db,
  { workspaceId, hash }: KeyName,
  { bodyHash, firstId, secret, createdAt }: Omit<StoredKey, 'status' | 'answer'>,
): Promise<StoredKey | undefined> => {
  const isNamed = sql`workspace_id = ${workspaceId} and hash = ${hash}`
  const [, , [stored]] = await db.batch([
    sql`delete from idempotency_keys where ${isNamed} and created_at < ${keysExpireBefore(createdAt)}`.compile(
      db,
    ),
    sql`insert into idempotency_keys (workspace_id, hash, body_hash, first_id, secret, created_at)
        values (${workspaceId}, ${hash}, ${bodyHash}, ${firstId}, ${secret}, ${createdAt})
        on conflict (workspace_id, hash) do nothing`.compile(db),
    sql<StoredKey>`
      select body_hash as "bodyHash", first_id as "firstId", secret, status, answer, created_at as "createdAt"
      from idempotency_keys where ${isNamed}`.compile(db),
  ])
  return stored
}

type Answer = { status: number; answer: string }

/**
 * Stores the response of a successful request.
 * @returns the one that was stored first; undefined if the key is gone
 */
export const keepAnswer = async (
  db: Db,
  { workspaceId, hash }: KeyName,
  firstId: string,
  { status, answer }: Answer,
): Promise<Answer | undefined> => {
  const { rows } = await sql<Answer>`
    update idempotency_keys set status = coalesce(status, ${status}), answer = coalesce(answer, ${answer})
    where workspace_id = ${workspaceId} and hash = ${hash} and first_id = ${firstId}
    returning status, answer`.execute(db)
  return rows[0]
}

/** Deletes the key of a refused request. */
export const releaseKey = async (
  db: Db,
  { workspaceId, hash }: KeyName,
  firstId: string,
): Promise<void> => {
  await sql`
    delete from idempotency_keys
    where workspace_id = ${workspaceId} and hash = ${hash} and first_id = ${firstId} and answer is null`.execute(
    db,
  )
}

/** Deletes responses, which may name an erased person. A repeat runs again, and finds its rows. */
export const forgetAnswers = (workspaceId: string) =>
  sql`update idempotency_keys set status = null, answer = null where workspace_id = ${workspaceId} and answer is not null`
