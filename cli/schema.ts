/**
 * Brings a database to the current schema: applies schema.sql to an empty database, or the pending
 * files of migrations/ and then the functions of schema.sql.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'
import { withClient } from './database.ts'
import { applyRoles } from './roles.ts'
import { readSql, type SqlFile, splitRepeatable } from './sql-files.ts'

const SCHEMA = 'schema.sql'
const ROLES = 'roles.sql'
const MIGRATION_NAME = /^\d{4}-[a-z0-9-]+\.sql$/
/** The first line of a migration that must run outside a transaction. */
const NO_TRANSACTION = /^-- no transaction\s*\n/
/** The key of the advisory lock that serializes concurrent runs. */
const LOCK_KEY = 7_214_021
const LOCK_POLL_MS = 100

/** The database has another schema.sql, from which no migration leads to this one. */
export class SchemaMismatch extends Error {
  override name = 'SchemaMismatch'
}

const readMigrations = async (folder: string): Promise<SqlFile[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const [index, name] of names.entries()) {
    if (!MIGRATION_NAME.test(name))
      throw new Error(`Rename ${name} to a name such as 0001-add-index.sql.`)
    const previous = names[index - 1]
    if (previous?.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(
        `${previous} and ${name} have the same number. Renumber the one that is not applied.`,
      )
    }
  }
  return Promise.all(names.map((name) => readSql(folder, name)))
}

type SchemaFiles = { schema: SqlFile; functions: SqlFile; migrations: SqlFile[] }

const readSchema = async (folder: string): Promise<SchemaFiles> => {
  const [schema, migrations] = await Promise.all([
    readSql(folder, SCHEMA),
    readMigrations(join(folder, 'migrations')),
  ])
  return { ...splitRepeatable(schema), migrations }
}

/** @param applied checksums by name */
const findPending = (migrations: SqlFile[], applied: Map<string, string>): SqlFile[] => {
  for (const [name, checksum] of applied) {
    const file = migrations.find((migration) => migration.name === name)
    if (!file) {
      throw new Error(`${name} is applied to this database, but the file is missing. Restore it.`)
    }
    if (file.checksum !== checksum) {
      throw new Error(
        `${name} has changed since it was applied to this database. Restore it, and write the change as a new migration.`,
      )
    }
  }
  const latest = [...applied.keys()].sort().at(-1) ?? ''
  const pending = migrations.filter(({ name }) => !applied.has(name))
  const [first] = pending
  if (first && first.name < latest) {
    throw new Error(
      `${first.name} is out of order: ${latest} is already applied. Give it a higher number.`,
    )
  }
  return pending
}

/** Polls, because waiting in pg_advisory_lock() would block `create index concurrently`. */
const lock = async (client: pg.Client): Promise<void> => {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [LOCK_KEY],
    )
    if (rows[0]?.locked) return
    await sleep(LOCK_POLL_MS)
  }
}

/**
 * Runs one file and records it in the same transaction. After an error, the connection is closed,
 * which rolls back.
 */
const apply = async (client: pg.Client, file: SqlFile, records: SqlFile[]): Promise<void> => {
  const transactional = !NO_TRANSACTION.test(file.sql)
  try {
    if (!transactional) await client.query(file.sql)
    await client.query('begin')
    if (transactional) await client.query(file.sql)
    await client.query(
      `insert into schema_migrations (name, checksum) select name, checksum
       from jsonb_to_recordset($1) as applied (name text, checksum text)
       on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
      [JSON.stringify(records)],
    )
    await client.query('commit')
  } catch (error) {
    throw new Error(
      `${file.name} failed, and nothing after it was applied: ${(error as Error).message}.`,
      {
        cause: error,
      },
    )
  }
}

/** @returns checksums by name, or null for an empty database */
const readApplied = async (client: pg.Client): Promise<Map<string, string> | null> => {
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  )
  if (tables.length === 0) return null
  if (!tables.some(({ name }) => name === 'schema_migrations')) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

/** The files to apply, and the records after the last one. */
type Plan = { files: SqlFile[]; records: SqlFile[] }

const planOf = (
  { schema, functions, migrations }: SchemaFiles,
  applied: Map<string, string> | null,
): Plan => {
  if (!applied) return { files: [schema], records: [schema, functions, ...migrations] }
  const madeBy = applied.get(schema.name)
  const replacedBy = applied.get(functions.name)
  for (const { name } of [schema, functions]) applied.delete(name)
  const pending = findPending(migrations, applied)
  if (!madeBy || (pending.length === 0 && madeBy !== schema.checksum)) {
    throw new SchemaMismatch(
      'The database was created by another version of schema.sql, and no migration leads to this one. Check out that version, or set DATABASE_URL to an empty database.',
    )
  }
  // After a migration, apply all functions: it may have dropped a view to change a column.
  const isReplaced = replacedBy === functions.checksum && (pending.length === 0 || !functions.sql)
  const files = isReplaced ? pending : [...pending, functions]
  return { files, records: [...pending.slice(-1), schema, functions] }
}

const applyFiles = async (client: pg.Client, schemaFiles: SchemaFiles): Promise<string[]> => {
  const { files, records } = planOf(schemaFiles, await readApplied(client))
  for (const file of files) await apply(client, file, file === files.at(-1) ? records : [file])
  return files.map(({ name }) => name)
}

const NOT_ALLOWED = '42501'

const explainRoles = (error: Error & { code?: string }): never => {
  const advice =
    error.code === NOT_ALLOWED
      ? ' The user of DATABASE_URL must own the database and its tables, and have the attribute CREATEROLE.'
      : ''
  throw new Error(`The database roles of ${ROLES} are not up to date: ${error.message}.${advice}`, {
    cause: error,
  })
}

/**
 * Applies schema.sql to an empty database. Otherwise applies the pending migrations, and the
 * functions, triggers and views of schema.sql if one has changed. Then roles.sql. Safe to repeat
 * and to run concurrently. If a migration fails, earlier ones stay applied.
 *
 * @param folder has schema.sql, migrations/ and, if there are roles, roles.sql
 * @returns the names of the applied files
 * @throws {SchemaMismatch} if the database has another schema.sql and nothing is pending
 */
export const applySchema = async (databaseUrl: string, folder = ROOT): Promise<string[]> => {
  const files = await readSchema(folder)
  const roles = readIfThere(join(folder, ROLES))
  return withClient(databaseUrl, async (client) => {
    await lock(client)
    const names = await applyFiles(client, files)
    if (roles !== undefined) await applyRoles(client, databaseUrl, roles).catch(explainRoles)
    return names
  })
}

/** Checks whether `applySchema` would refuse a database. @throws as it does, and changes nothing */
export const checkSchema = async (databaseUrl: string): Promise<void> => {
  const files = await readSchema(ROOT)
  await withClient(databaseUrl, async (client) => planOf(files, await readApplied(client)))
}
