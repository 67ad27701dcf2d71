/**
 * CSV (RFC 4180): for people, safe to open in a spreadsheet; for services, field by field as given.
 */

/** Spreadsheets evaluate cells that start so as formulas, which could leak other cells. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
const quoteIfNeeded = (text: string): string => (/[",\r\n]/.test(text) ? quote(text) : text)

type Rows = readonly (readonly string[])[]

/** Fields as they are, for a service that reads an escape of a formula as a part of the text. */
export const csvFields = (rows: Rows): string =>
  rows.map((row) => `${row.map(quoteIfNeeded).join(',')}\r\n`).join('')

/** A number of ours, which may be negative. */
type NumberCell = { number: string }

/**
 * Cells that no spreadsheet evaluates, all quoted. A number is not a formula, whatever its sign.
 */
export const csvLines = (rows: readonly (readonly (string | NumberCell)[])[]): string =>
  rows
    .map((row) => row.map((cell) => quote(typeof cell === 'string' ? guarded(cell) : cell.number)))
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')
