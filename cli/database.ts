import pg from 'pg'

/** A suspended Neon database resumes in a second or two. */
const CONNECT_TIMEOUT_MS = 15_000

/** Parses DATABASE_URL. @throws when it is not a Postgres address */
export const parseDatabaseUrl = (value: string): URL => {
  const url = URL.parse(value)
  if (url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname) return url
  throw new Error('DATABASE_URL is not a Postgres address such as postgresql://user:password@host/database.')
}

const connect = async (databaseUrl: string): Promise<pg.Client> => {
  const url = parseDatabaseUrl(databaseUrl)
  // pg treats both alike, but prints a long warning for `require`.
  if (url.searchParams.get('sslmode') === 'require') url.searchParams.set('sslmode', 'verify-full')
  // Session locks need the same connection throughout, which Neon's pooler does not guarantee.
  if (url.hostname.endsWith('.neon.tech')) url.hostname = url.hostname.replace('-pooler.', '.')
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

/** Opens a TCP connection to the database for the duration of `use`. @throws when the connection fails */
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
