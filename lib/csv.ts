/** CSV as RFC 4180 has it, for people who open it in a spreadsheet. */

/** What makes spreadsheets take a cell for a formula, which could send away what stands beside it. */
const FORMULA = /^[=+\-@\t\r\n]/

/** A cell that means nothing but its text. */
const cell = (text: string): string => {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A line for each row. */
export const csvLines = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')
