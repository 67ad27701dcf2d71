/** Where the database still names somebody. */
import type { useDatabase } from './merchant.ts'

type Query = ReturnType<typeof useDatabase>['query']

/**
 * Every column of every table that holds a text, found in the database's own catalog:
 * "table.column".
 */
export const placesOf = async (query: Query, text: string): Promise<string[]> => {
  const columns = await query<{ schema: string; table: string; column: string }>(
    `select c.table_schema as schema, c.table_name as table, c.column_name as column
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and c.table_schema in ('public', 'sign_in')
       and (c.data_type in ('text', 'jsonb', 'ARRAY', 'character varying'))`,
  )
  const places: string[] = []
  for (const { schema, table, column } of columns) {
    const [row] = await query<{ holds: boolean }>(
      `select exists (select from "${schema}"."${table}" where strpos(lower("${column}"::text), lower($1)) > 0) as holds`,
      [text],
    )
    if (row?.holds) places.push(`${table}.${column}`)
  }
  return places
}
