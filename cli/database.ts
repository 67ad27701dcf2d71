import { join, resolve } from 'node:path'
import pg from 'pg'
import type { Demo } from '../dev/demo/demo.ts'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'

/** A suspended Neon database resumes in a second or two. */
const CONNECT_TIMEOUT_MS = 15_000

/** Parses DATABASE_URL. @throws when it is not a Postgres address */
export const parseDatabaseUrl = (value: string): URL => {
  const url = URL.parse(value)
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname) return url
  throw new Error(
    'DATABASE_URL is not a Postgres address such as postgresql://user:password@host/database.',
  )
}

const connect = async (databaseUrl: string): Promise<pg.Client> => {
  const url = parseDatabaseUrl(databaseUrl)
  // pg treats both alike, but prints a warning for `require`.
  if (url.searchParams.get('sslmode') === 'require') url.searchParams.set('sslmode', 'verify-full')
  // Session locks need the same connection throughout, which Neon's pooler does not guarantee.
  if (url.hostname.endsWith('.neon.tech')) url.hostname = url.hostname.replace('-pooler.', '.')
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  try {
    await client.connect()
  } catch (error) {
    throw new Error(
      `Cannot connect to the database of DATABASE_URL at ${url.host}: ${(error as Error).message}.`,
    )
  }
  return client
}

/**
 * Opens a TCP connection to the database for the duration of `use`.
 * @throws when the connection fails
 */
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

type Env = Record<string, string | null | undefined>

/** The running `npm start`, if there is one. */
export const demoOf = (env: Env): Demo | null => {
  const text = readIfThere(join(resolve(env.DATA_DIR || join(ROOT, '.data')), 'demo.json'))
  return text === undefined ? null : (JSON.parse(text) as Demo)
}

/** The database of DATABASE_URL, over HTTP. @throws if it is not a Postgres address */
const databaseOf = ({ DATABASE_URL, SQL_ENDPOINT }: Env): DatabaseEnv | null => {
  if (!DATABASE_URL) return null
  parseDatabaseUrl(DATABASE_URL)
  return { DATABASE_URL, ...(SQL_ENDPOINT && { SQL_ENDPOINT }) }
}

/** The ledger of DATABASE_URL, or of the running demo. */
export const ledgerOf = (env: Env): DatabaseEnv | null => {
  const demo = demoOf(env)
  return (
    databaseOf(env) ??
    (demo && databaseOf({ DATABASE_URL: demo.databaseUrl, SQL_ENDPOINT: demo.sqlEndpoint }))
  )
}
