/** Mailed links and sessions, where Better Auth's own statements do not do. Its tables are those of the schema `auth`. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'

/** Unused links that one address may have at a time: enough for the impatient, too few to flood a stranger's mailbox. */
const MAX_OPEN_LINKS = 5

/** Rows that each new link clears away: more than it leaves behind, and few enough to cost nothing. */
const CLEARED_AT_ONCE = 100

type NewLink = { email: string; tokenHash: string; now: Date; expiresAt: Date }

/**
 * Saves a link that signs somebody in, and clears away links and sessions whose time is over, in one fetch.
 * The links of one address are counted where they are kept, because Cloudflare's limits count no longer than a minute;
 * the lock makes those who ask at the same moment count one after the other. It may run twice.
 *
 * @returns false when the address has as many unused links as it may have: nothing was saved
 */
export const saveLink = async (db: Db, { email, tokenHash, now, expiresAt }: NewLink): Promise<boolean> => {
  // As Better Auth's magic link reads it.
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

/** Whom an unused link signs in, or null when it can't be used. */
export const findLink = async (db: Db, tokenHash: string, now: Date): Promise<string | null> => {
  const { rows } = await sql<{ email: string }>`
    select value::jsonb ->> 'email' as email from auth.verifications
    where identifier = ${tokenHash} and expires_at > ${now}::timestamptz`.execute(db)
  return rows[0]?.email ?? null
}

/** Forgets a link that was never mailed, so that it doesn't count against its address. */
export const dropLink = (db: Db, tokenHash: string): Promise<unknown> =>
  sql`delete from auth.verifications where identifier = ${tokenHash}`.execute(db)

/** Deletes rows whose time is over, but none that someone else is deleting: waiting for each other, two would deadlock. */
const clearExpired = (table: 'verifications' | 'sessions', now: Date) => sql`
  delete from auth.${sql.id(table)} where id in (
    select id from auth.${sql.id(table)} where expires_at < ${now}::timestamptz
    order by expires_at limit ${CLEARED_AT_ONCE} for update skip locked)`

/**
 * Ends a session: whoever still has its cookie is signed out. Better Auth's own way says that it did so also when
 * the database was not there.
 */
export const endSession = (db: Db, token: string): Promise<unknown> =>
  sql`delete from auth.sessions where token = ${token}`.execute(db)
