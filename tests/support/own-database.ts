import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import { newId } from '../../lib/db/ids.ts'
import { createDatabase, dropDatabase, openPool, TEMPLATE } from './databases.ts'

/**
 * A truncated table has new files, for which each connection plans its statements again. Dead rows
 * cost more from here on.
 */
const MAX_BYTES = 2 * 1024 ** 2

/**
 * Statements that empty a database with our schema, but for the rows that the schema itself
 * inserts.
 */
const emptier = async (client: pg.Client) => {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'sign_in'::regnamespace)
       and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  const names: string[] = []
  for (const { name } of tables)
    if ((await client.query(`select from ${name} limit 1`)).rowCount === 0) names.push(name)
  const deletes = names.map((name, index) => `deleted_${index} as (delete from ${name})`)
  return { deleteAll: `with ${deletes} select`, truncateAll: `truncate ${names}` }
}

/** Waits until nothing runs, such as a statement whose process was killed in a test. */
const untilQuiet = async (client: pg.Client): Promise<void> => {
  const others = `select from pg_stat_activity
                  where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`
  while ((await client.query({ name: 'others', text: others })).rowCount) await pause(5)
}

/** Creates a database with our schema in the Postgres of all tests, and connects to it. */
export const openOwnDatabase = async (prefix: string) => {
  const name = `${prefix}_${newId().replaceAll('-', '')}`
  const server = inject('database').DATABASE_URL
  const url = await createDatabase(server, name, TEMPLATE)
  const endpoint = await startSqlEndpoint({ databaseUrl: url, keepPlans: true })
  const pool = openPool(url)
  // Without triggers and foreign keys.
  const bare = new pg.Client({
    connectionString: url,
    options: '-c session_replication_role=replica',
  })
  bare.on('error', () => {})
  await bare.connect()
  const { deleteAll, truncateAll } = await emptier(bare)
  return {
    database: { DATABASE_URL: url, SQL_ENDPOINT: endpoint.url },
    pool,
    /** Deletes all rows, once no statement runs. */
    empty: async () => {
      await untilQuiet(bare)
      const size = `select max(pg_relation_size(oid))::int as bytes from pg_class
                    where relnamespace = 'public'::regnamespace and relkind = 'r'`
      const { rows } = await bare.query<{ bytes: number }>({ name: 'size', text: size })
      const isLarge = (rows[0]?.bytes ?? 0) > MAX_BYTES
      await bare.query(isLarge ? truncateAll : { name: 'empty', text: deleteAll })
    },
    stop: async () => {
      // Last first. Each ends though another one fails.
      await using opened = new AsyncDisposableStack()
      opened.defer(() => dropDatabase(server, name))
      opened.defer(endpoint.stop)
      opened.defer(pool.end)
      opened.defer(() => bare.end())
    },
  }
}
