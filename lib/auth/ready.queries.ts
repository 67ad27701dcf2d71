/** Whether people can sign in, as far as the database goes. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

/**
 * Reads a table that only the auth Worker's role may read.
 * @throws {Unavailable} when the database does not answer
 */
export const readSessions = (db: Db): Promise<unknown> =>
  sql`select from sign_in.sessions limit 1`.execute(db)
