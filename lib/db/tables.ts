/**
 * The tables of schema.sql, for Kysely. Each room adds its own in its tables.ts, so that this room
 * imports none of them. tests/db/tables.test.ts compares them with the database.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms extend it
export interface Tables {}
