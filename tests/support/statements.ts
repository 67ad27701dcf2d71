/** Which tables a Worker's statements name, read from its bundle. */

type Verb = 'select' | 'insert' | 'update' | 'delete'

const quote = '["\'`]'

const PATTERNS: Record<Verb, (table: string) => string> = {
  insert: (table) => `insert into ${table}\\b|insertInto\\(${quote}${table}\\b`,
  update: (table) => `(?<!for |key |do )update ${table}\\b|updateTable\\(${quote}${table}\\b`,
  delete: (table) => `delete from ${table}\\b|deleteFrom\\(${quote}${table}\\b`,
  select: (table) => `(?<!delete )(from|join) ${table}\\b|(selectFrom|Join)\\(${quote}${table}\\b`,
}

/**
 * @param script a bundle, minified or not @returns the statements that it has on each table, where
 *   they are written out
 */
export const usedTables = (script: string, tables: string[]): Map<string, Verb[]> =>
  new Map(
    tables.map((table) => {
      const name = table.replace('.', '\\.')
      const verbs = Object.entries(PATTERNS).filter(([, pattern]) =>
        new RegExp(pattern(name)).test(script),
      )
      return [table, verbs.map(([verb]) => verb as Verb)]
    }),
  )
