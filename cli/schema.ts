import { readFile } from 'node:fs/promises'
import pg from 'pg'

/** Any number will do, as long as nobody else locks on it: two appliers at once would trip over each other's tables. */
const SCHEMA_LOCK = 7_214_021
/** A database that sleeps wakes in a second or two. */
const CONNECT_TIMEOUT_MS = 15_000

/** Checks that DATABASE_URL is a Postgres address. @throws with what one looks like */
export const parseDatabaseUrl = (value: string): URL => {
  const url = URL.parse(value)
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname) return url
  throw new Error(
    'DATABASE_URL is not the address of a Postgres, such as postgresql://user:password@host/database.',
  )
}

const connect = async (databaseUrl: string): Promise<pg.Client> => {
  const url = parseDatabaseUrl(databaseUrl)
  // pg treats both alike, but warns at length about `require`.
  if (url.searchParams.get('sslmode') === 'require') url.searchParams.set('sslmode', 'verify-full')
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  try {
    await client.connect()
  } catch (error) {
    throw new Error(
      `Cannot connect to the database of DATABASE_URL at ${url.host}: ${(error as Error).message}.`,
    )
  }
  return client
}

/** Connects to a database by TCP for as long as something needs it. @throws when it can't be reached */
export const withClient = async <T>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = await connect(databaseUrl)
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/**
 * Applies schema.sql to an empty database over TCP, in one transaction. A database that has the schema is left alone.
 *
 * @throws when the database can't be reached, or with Postgres's own error when a statement fails
 */
export const applySchema = async (databaseUrl: string): Promise<void> => {
  const schema = await readFile(new URL('../schema.sql', import.meta.url), 'utf8')
  await withClient(databaseUrl, async (client) => {
    await client.query("begin; set local client_min_messages = 'warning'")
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
    const { rows } = await client.query<{ exists: boolean }>(
      "select to_regclass('public.workspaces') is not null as exists",
    )
    if (!rows[0]?.exists) await client.query(schema)
    await client.query('commit')
  })
}
