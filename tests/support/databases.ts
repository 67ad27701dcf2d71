import pg from 'pg'
import { inject } from 'vitest'

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
