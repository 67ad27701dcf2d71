import type pg from 'pg'

/** The rows and index entries that this transaction has read, by table. */
const READ = `
  select relname as name, (pg_stat_get_xact_tuples_returned(oid) + coalesce((
           select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = c.oid), 0))::integer as rows
  from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'`

/**
 * How many rows and index entries of our tables the current transaction has read, in all and by
 * table.
 */
export const rowsReadSoFar = async (client: pg.Client) => {
  const { rows } = await client.query<{ name: string; rows: number }>(READ)
  const of = Object.fromEntries(
    rows.filter((table) => table.rows > 0).map((table) => [table.name, table.rows]),
  )
  return { total: Object.values(of).reduce((sum, count) => sum + count, 0), of }
}

/** The same of what is done in a transaction of its own, which is rolled back. */
export const rowsRead = async (client: pg.Client, work: () => Promise<unknown>) => {
  await client.query('select pg_stat_force_next_flush()')
  await client.query('begin')
  try {
    await work()
    return await rowsReadSoFar(client)
  } finally {
    await client.query('rollback')
  }
}
