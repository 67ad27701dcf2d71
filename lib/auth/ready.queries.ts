/** Whether the database allows sign-ins. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

/** Reads a table of the auth Worker's role. @throws {Unavailable} without a response */
export const readSessions = (db: Db): Promise<unknown> =>
  sql`select from sign_in.sessions limit 1`.execute(db)
