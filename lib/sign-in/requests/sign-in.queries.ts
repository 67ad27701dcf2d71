/** Queries of sign-in links and sessions that Better Auth lacks. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { type Ask, type Asking, askColumn, saveAsk } from './link-requests.queries.ts'

/** Unused links per mailbox: enough for impatient people, too few to flood a mailbox. */
const MAX_OPEN_LINKS = 5

/** Expired rows that each new link deletes: more than it adds, and few enough to be cheap. */
const CLEARED_PER_LINK = 100

type NewLink = {
  email: string
  mailbox: string
  tokenHash: string
  next: string
  now: Date
  expiresAt: Date
  asking: Asking
}

/**
 * Saves a sign-in link and deletes expired links and sessions, in one round trip. The links to a
 * mailbox are counted in the database, because Cloudflare's rate limits cover a minute at most. A
 * lock serializes concurrent requests for one mailbox. Idempotent.
 *
 * @param next the path to open after signing in
 * @returns false when the mailbox has too many unused links: nothing was saved
 */
export const saveLink = async (db: Db, link: NewLink): Promise<boolean> => {
  const { email, mailbox, tokenHash, next, now, expiresAt, asking } = link
  // The format of Better Auth's magic links.
  const value = JSON.stringify({ email })
  const statements = [
    sql`select pg_advisory_xact_lock(hashtextextended(${mailbox}, 0))`,
    clearExpired('verifications', now),
    clearExpired('sessions', now),
    clearExpired('asks', now),
    sql`
      insert into sign_in.verifications (id, identifier, value, mailbox, next, expires_at, created_at, updated_at)
      select ${newId()}::uuid, ${tokenHash}, ${value}, ${mailbox}, ${next}, ${expiresAt}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
      where (select count(*) from sign_in.verifications
             where mailbox = ${mailbox} and expires_at > ${now}::timestamptz and identifier <> ${tokenHash}) < ${MAX_OPEN_LINKS}
      on conflict (identifier) do update set identifier = excluded.identifier
      returning id`,
    saveAsk({ tokenHash, email, now, expiresAt, ...asking }, true),
  ]
  const results = await db.batch(statements.map((statement) => statement.compile(db)))
  return results.at(-2)?.length === 1
}

/** An unused link: the address that it signs in, and the path to open then. */
export type SignInLink = {
  email: string
  next: string
  /** Which browser asked for it; null for a link of an older version. */
  ask: Ask | null
}

export const findLink = async (
  db: Db,
  tokenHash: string,
  opening: Asking,
  now: Date,
): Promise<SignInLink | null> => {
  const { rows } = await sql<SignInLink>`
    select value::jsonb ->> 'email' as email, next, ${askColumn(opening)} as ask from sign_in.verifications v
    where identifier = ${tokenHash} and expires_at > ${now}::timestamptz`.execute(db)
  return rows[0] ?? null
}

/** Deletes a link that was not mailed, so that it doesn't count against its address. */
export const dropLink = (db: Db, tokenHash: string): Promise<unknown> =>
  sql`
    with dropped as (delete from sign_in.asks where token_hash = ${tokenHash})
    delete from sign_in.verifications where identifier = ${tokenHash}`.execute(db)

/** Deletes expired rows. Skips rows that a concurrent request is deleting, to avoid deadlocks. */
const clearExpired = (table: 'verifications' | 'sessions' | 'asks', now: Date) => sql`
  delete from sign_in.${sql.id(table)} where id in (
    select id from sign_in.${sql.id(table)} where expires_at < ${now}::timestamptz
    order by expires_at limit ${CLEARED_PER_LINK} for update skip locked)`

/** Ends a session. Better Auth's method reports success even if the database did not answer. */
export const endSession = (db: Db, token: string): Promise<unknown> =>
  sql`delete from sign_in.sessions where token = ${token}`.execute(db)
