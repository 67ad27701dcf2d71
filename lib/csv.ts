/** CSV (RFC 4180): for people, safe to open in a spreadsheet; for services, field by field as given. */

/** Spreadsheets evaluate cells that start so as formulas, which could leak other cells. */
const FORMULA = /^[=+\-@\t\r\n]/

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

type Rows = readonly (readonly string[])[]

/** Fields as they are, for a service that reads an escape of a formula as a part of the text. */
export const csvFields = (rows: Rows): string =>
  rows.map((row) => `${row.map(quoted).join(',')}\r\n`).join('')

/** Cells that no spreadsheet evaluates. */
export const csvLines = (rows: Rows): string => csvFields(rows.map((row) => row.map(guarded)))
