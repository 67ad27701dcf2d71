import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'

/** Queries in a transaction of each test, which is rolled back. */
export const useRolledBack = () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client({ connectionString: inject('database').DATABASE_URL })
    await client.connect()
  })
  afterAll(() => client?.end())
  const query = async <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await client.query<Row>(text, values)).rows
  beforeEach(() => query('begin'))
  afterEach(() => query('rollback'))
  return query
}
