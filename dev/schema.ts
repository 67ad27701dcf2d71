import { readFile } from 'node:fs/promises'
import pg from 'pg'

/** Any number will do, as long as nobody else locks on it: two appliers at once would trip over each other's tables. */
const SCHEMA_LOCK = 7_214_021

/**
 * Applies schema.sql to a database by TCP, whole or not at all. Applying it twice changes nothing.
 *
 * @throws Postgres's own error, when a statement fails
 */
export const applySchema = async (databaseUrl: string): Promise<void> => {
  const schema = await readFile(new URL('../schema.sql', import.meta.url), 'utf8')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query("begin; set local client_min_messages = 'warning'")
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    await client.query(schema)
    await client.query('commit')
  } finally {
    await client.end()
  }
}
