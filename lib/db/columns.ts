/** Columns, for Kysely. */
import type { ColumnType } from 'kysely'

/** Insert jsonb as text: the driver would convert a JavaScript array to a Postgres array. */
export type Json<T> = ColumnType<T, string, string>

/** The column of each field. */
type ColumnNames = Record<string, string>

type Selection<Table extends string, Names extends ColumnNames> = {
  [Field in keyof Names & string]: `${Table}.${Names[Field]} as ${Field}`
}[keyof Names & string]

/** What `select` takes to return the columns as their fields. */
export const asFields = <Table extends string, const Names extends ColumnNames>(
  table: Table,
  names: Names,
) =>
  Object.entries(names).map(([field, column]) => `${table}.${column} as ${field}`) as Selection<
    Table,
    Names
  >[]

/** Values by column, for an insert or an update. Kysely omits those that are undefined. */
export const asColumns = <Names extends ColumnNames, Values extends object>(
  names: Names,
  values: Values,
) =>
  Object.fromEntries(
    Object.entries(names).map(([field, column]) => [column, values[field as keyof Values]]),
  ) as { [Field in keyof Values & keyof Names as Names[Field]]: Values[Field] }
