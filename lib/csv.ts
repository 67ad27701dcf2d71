/** CSV (RFC 4180) that is safe to open in a spreadsheet. */

/** Spreadsheets evaluate cells that start so as formulas, which could leak other cells. */
const FORMULA = /^[=+\-@\t\r\n]/

const cell = (text: string): string => {
  const escaped = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}

export const csvLines = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
