/** The SQL files of a database: their includes, and which of their statements may be repeated. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type SqlFile = { name: string; sql: string; checksum: string }

/** psql's include, whose path is relative to the including file. */
const INCLUDE = /^\\ir (.+)$/gm
/**
 * A statement with the comments before it. Semicolons in texts, function bodies and comments do not
 * end it.
 */
const STATEMENT = /(?:--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;'"$-]|[$-])+;?/g
const REPEATABLE = /^create or replace /i

const withoutComments = (sql: string): string =>
  sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()

/** Ignores comments and white space, which a release or a checkout may change. */
const checksumOf = (sql: string): string =>
  createHash('sha256').update(withoutComments(sql)).digest('hex')

const sqlFile = (name: string, sql: string): SqlFile => ({ name, sql, checksum: checksumOf(sql) })

const readWhole = async (path: string): Promise<string> => {
  const sql = await readFile(path, 'utf8')
  const included = [...sql.matchAll(INCLUDE)].map(([, name = '']) =>
    readWhole(join(dirname(path), name.trim())),
  )
  const texts = await Promise.all(included)
  return sql.replace(INCLUDE, () => texts.shift() ?? '')
}

/** Reads an SQL file with all that it includes. */
export const readSql = async (folder: string, name: string): Promise<SqlFile> =>
  sqlFile(name, await readWhole(join(folder, name)))

/**
 * Separates repeatable statements, `create or replace`, from the others.
 *
 * @returns the whole file, with the checksum of the other statements; and a file of the repeatable
 *   ones
 */
export const splitRepeatable = ({
  name,
  sql,
}: SqlFile): { schema: SqlFile; functions: SqlFile } => {
  const statements = sql.match(STATEMENT) ?? []
  const isRepeatable = (statement: string) => REPEATABLE.test(withoutComments(statement))
  const kept = statements.filter((statement) => !isRepeatable(statement)).join('')
  return {
    schema: { name, sql, checksum: checksumOf(kept) },
    functions: sqlFile(`functions of ${name}`, statements.filter(isRepeatable).join('')),
  }
}
