import { createHash } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** Parameters show that a text is one statement, and so does its first word if the others are not to change anything. */
const isOneStatement = (text: string, values: unknown[]): boolean =>
  values.length > 0 || /^\s*(select|with)\b/.test(text)

/** Connections to a database that may be dropped while one is still closing. Each plans a statement only once. */
export const openPool = (databaseUrl: string) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: '-c plan_cache_mode=force_generic_plan',
    max: 4,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    query: async <Row extends Record<string, unknown>>(
      text: string,
      values: unknown[] = [],
    ): Promise<Row[]> => {
      const name = isOneStatement(text, values) ? createHash('md5').update(text).digest('hex') : undefined
      const { rows } = await pool.query<Row>({ text, values, ...(name && { name }) })
      return rows
    },
    connect: () => pool.connect(),
    end: () => pool.end(),
  }
}

const runSql = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: inject('database').DATABASE_URL })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Creates an empty database on the tests' server, and drops it after `use`. */
export const withDatabase = async <T>(
  name: string,
  use: (url: string, client: pg.Client) => Promise<T>,
): Promise<T> => {
  await runSql(`create database ${name}`)
  const url = new URL(inject('database').DATABASE_URL)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  try {
    await client.connect()
    return await use(url.href, client)
  } finally {
    await client.end()
    await runSql(`drop database ${name} with (force)`)
  }
}
