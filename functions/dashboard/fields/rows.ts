/** Rows of a form that buttons add and remove, which works without script. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'

/** The field of a row that is there even if all others are blank. */
export const ROW = 'row'

/** The rows of a list: the fields `levels.0.name`, `levels.0.atLeast` are its first one. */
export const rowsIn = (fields: Fields, list: string): Fields[] => {
  const rows: Record<string, string>[] = []
  while (fields[`${list}.${rows.length}.${ROW}`] !== undefined) {
    const start = `${list}.${rows.length}.`
    const own = Object.entries(fields).filter(([name]) => name.startsWith(start))
    rows.push(Object.fromEntries(own.map(([name, value]) => [name.slice(start.length), value])))
  }
  return rows
}

/** The first error of each field: those of other fields, then row by row. */
export const inRowOrder = (errors: ErrorDetail[], list: string): ErrorDetail[] => {
  const rowOf = (path: string): number => {
    const [first, row] = path.split('.')
    return first === list ? Number(row ?? -1) : -1
  }
  return errors
    .filter(({ path }, i) => errors.findIndex((other) => other.path === path) === i)
    .toSorted((a, b) => rowOf(a.path) - rowOf(b.path))
}

/** The rows after a button was pressed, and the name of what gets the focus. */
export type EditedRows = { rows: Fields[]; focus: string | null }

/**
 * Adds or removes a row as a button says: `levels.add`, `levels.2.remove`. A button that no form
 * has changes nothing.
 *
 * @param fresh the fields of a new row
 */
export const editRows = (
  rows: Fields[],
  list: string,
  pressed: string | undefined,
  fresh: Fields = {},
): EditedRows => {
  if (pressed === `${list}.add`) return { rows: [...rows, fresh], focus: `${list}.${rows.length}` }
  const at = rows.findIndex((_, i) => pressed === `${list}.${i}.remove`)
  return at < 0 ? { rows, focus: null } : { rows: rows.toSpliced(at, 1), focus: `${list}.add` }
}
