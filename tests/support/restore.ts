/** Restores the rows of a database to an earlier time, as a point-in-time restore does. */

type Query = <Row extends Record<string, unknown>>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>

/** The columns of each table that hold something. */
const readTables = (query: Query) =>
  query<{ name: string; columns: string }>(
    `select c.table_name as name, string_agg(quote_ident(c.column_name), ', ' order by c.ordinal_position) as columns
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
     group by 1 order by 1`,
  )

/**
 * Takes all rows.
 *
 * @returns a function that puts them back: what came later is gone. Triggers and constraints don't
 *   see it.
 */
export const takeSnapshot = async (query: Query): Promise<() => Promise<void>> => {
  const tables = await readTables(query)
  await query(
    [
      'drop schema if exists snapshot cascade; create schema snapshot',
      ...tables.map(
        ({ name, columns }) =>
          `create table snapshot."${name}" as select ${columns} from public."${name}"`,
      ),
    ].join('; '),
  )
  return async () => {
    await query(
      [
        'begin; set local session_replication_role = replica',
        ...tables.flatMap(({ name, columns }) => [
          `delete from public."${name}"`,
          `insert into public."${name}" (${columns}) overriding system value select ${columns} from snapshot."${name}"`,
        ]),
        'commit',
      ].join('; '),
    )
  }
}
