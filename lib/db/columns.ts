/** Column types, for Kysely. */
import type { ColumnType } from 'kysely'

/** Insert jsonb as text: the driver would convert a JavaScript array to a Postgres array. */
export type Json<T> = ColumnType<T, string, string>
