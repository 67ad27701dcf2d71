/** The sessions of a person. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { MAX_SESSION_DAYS } from './better-auth.ts'

/** More than anybody has browsers. */
const MAX_LISTED = 100

/** A session for its owner. `usedAt` is accurate to a day, because sessions are renewed daily. */
export type SessionRow = { id: string; browser: string | null; signedInAt: Date; usedAt: Date }

/** The current sessions of a person, most recently used first. */
export const listSessions = async (db: Db, userId: string, now: Date): Promise<SessionRow[]> => {
  const { rows } = await sql<SessionRow>`
    select id, user_agent as browser, created_at as "signedInAt", updated_at as "usedAt"
    from sign_in.sessions
    where user_id = ${userId} and expires_at > ${now}::timestamptz
      and created_at > ${now}::timestamptz - make_interval(days => ${MAX_SESSION_DAYS})
    order by updated_at desc, id limit ${MAX_LISTED}`.execute(db)
  return rows
}

/** Ends a session, if it is the person's. @param id must be a UUID */
export const endOwnSession = (db: Db, userId: string, id: string): Promise<unknown> =>
  sql`delete from sign_in.sessions where user_id = ${userId} and id = ${id}`.execute(db)

/** Ends all sessions of a person. */
export const endAllSessions = (db: Db, userId: string): Promise<unknown> =>
  sql`delete from sign_in.sessions where user_id = ${userId}`.execute(db)
