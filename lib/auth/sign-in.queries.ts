/** Queries of sign-in links and sessions that Better Auth lacks. Its tables are in the schema `auth`. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'

/** Unused links per address: enough for impatient people, too few to flood a mailbox. */
const MAX_OPEN_LINKS = 5

/** Expired rows that each new link deletes: more than it adds, and few enough to be cheap. */
const CLEARED_PER_LINK = 100

type NewLink = { email: string; tokenHash: string; now: Date; expiresAt: Date }

/**
 * Saves a sign-in link and deletes expired links and sessions, in one round trip. The links of an address are counted
 * in the database, because Cloudflare's rate limits cover a minute at most. A lock serializes concurrent requests for
 * one address. Idempotent.
 *
 * @returns false when the address has too many unused links: nothing was saved
 */
export const saveLink = async (db: Db, { email, tokenHash, now, expiresAt }: NewLink): Promise<boolean> => {
  // The format of Better Auth's magic links.
  const value = JSON.stringify({ email })
  const statements = [
    sql`select pg_advisory_xact_lock(hashtextextended(${value}, 0))`,
    clearExpired('verifications', now),
    clearExpired('sessions', now),
    sql`
      insert into auth.verifications (id, identifier, value, expires_at, created_at, updated_at)
      select ${newId()}::uuid, ${tokenHash}, ${value}, ${expiresAt}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      where (select count(*) from auth.verifications
             where value = ${value} and expires_at > ${now}::timestamptz and identifier <> ${tokenHash}) < ${MAX_OPEN_LINKS}
      on conflict (identifier) do update set identifier = excluded.identifier
      returning id`,
  ]
  const results = await db.batch(statements.map((statement) => statement.compile(db)))
  return results.at(-1)?.length === 1
}

/** The email address of an unused link, or null. */
export const findLink = async (db: Db, tokenHash: string, now: Date): Promise<string | null> => {
  const { rows } = await sql<{ email: string }>`
    select value::jsonb ->> 'email' as email from auth.verifications
    where identifier = ${tokenHash} and expires_at > ${now}::timestamptz`.execute(db)
  return rows[0]?.email ?? null
}

/** Deletes a link that was not mailed, so that it doesn't count against its address. */
export const dropLink = (db: Db, tokenHash: string): Promise<unknown> =>
  sql`delete from auth.verifications where identifier = ${tokenHash}`.execute(db)

/** Deletes expired rows. Skips rows that a concurrent request is deleting, to avoid deadlocks. */
const clearExpired = (table: 'verifications' | 'sessions', now: Date) => sql`
  delete from auth.${sql.id(table)} where id in (
    select id from auth.${sql.id(table)} where expires_at < ${now}::timestamptz
    order by expires_at limit ${CLEARED_PER_LINK} for update skip locked)`

/** Ends a session. Better Auth's own method reports success even when the database did not answer. */
export const endSession = (db: Db, token: string): Promise<unknown> =>
  sql`delete from auth.sessions where token = ${token}`.execute(db)
