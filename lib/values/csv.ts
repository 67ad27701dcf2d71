/** CSV (RFC 4180): safe to open in a spreadsheet, or with unchanged fields for services. */

/** Spreadsheets evaluate cells that start like this as formulas, which could leak other cells. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
const quoteIfNeeded = (text: string): string => (/[",\r\n]/.test(text) ? quote(text) : text)

type Rows = readonly (readonly string[])[]

/** Unchanged fields, for a service that would take an escape as a part of the text. */
export const csvFields = (rows: Rows): string =>
  rows.map((row) => `${row.map(quoteIfNeeded).join(',')}\r\n`).join('')

/** A number, which may be negative. */
type NumberCell = { number: string }

/**
 * Cells that no spreadsheet evaluates, all quoted. A number is no formula, even if it is negative.
 */
export const csvLines = (rows: readonly (readonly (string | NumberCell)[])[]): string =>
  rows
    .map((row) => row.map((cell) => quote(typeof cell === 'string' ? guarded(cell) : cell.number)))
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')
