/** Which tables a Worker's statements name, read from its bundle. */

type Verb = 'select' | 'insert' | 'update' | 'delete'

const name = '(?=([\\w.]+))'
const quoted = `["'\`]${name}`

/** Each leaves the name to the next match: a column may be called sales_from. */
const PATTERNS: Record<Verb, RegExp> = {
  insert: new RegExp(`insert into ${name}|insertInto\\(${quoted}`, 'g'),
  update: new RegExp(`(?<!for |key |do )update ${name}|updateTable\\(${quoted}`, 'g'),
  delete: new RegExp(`delete from ${name}|deleteFrom\\(${quoted}`, 'g'),
  select: new RegExp(`(?<!delete )(?:from|join) ${name}|(?:selectFrom|Join)\\(${quoted}`, 'g'),
}

/**
 * @param script a bundle, minified or not @returns the statements that it has on each table, where
 *   they are written out
 */
export const usedTables = (script: string, tables: string[]): Map<string, Verb[]> => {
  const namesBy = Object.entries(PATTERNS).map(([verb, pattern]) => {
    const names = [...script.matchAll(pattern)].map(([, one, other = '']) => one ?? other)
    return [verb as Verb, new Set(names)] as const
  })
  return new Map(
    tables.map((table) => [
      table,
      namesBy.filter(([, names]) => names.has(table)).map(([verb]) => verb),
    ]),
  )
}
