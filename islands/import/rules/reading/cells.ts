/** Reads the cells of a CSV file: text with spreadsheet prefixes, and amounts. */

/**
 * Longer than any field allows, so that the API rejects such a cell with its own message. Short
 * enough that an unclosed quote cannot make a cell that exceeds the body limit.
 */
const MAX_CELL = 1_000

/** Characters of a cell that are read: enough for its text and much white space. */
const MAX_READ = 4 * MAX_CELL

/**
 * Spreadsheets treat a cell with this start as a formula. East Asian ones accept full-width signs.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** The apostrophe that escapes a formula. */
const ESCAPE = /^'(?=[=+\-@＝＋－＠])/

/**
 * The start of a cell's text, after white space, invisible marks and their escaping apostrophe. A
 * cell can hold a whole file, so these two patterns and `SPACE` must not backtrack.
 */
const BEGIN = /[^\s\u200b\u2060\ufeff\0']|'(?![\t\r\n])/u
const TO_LAST = /^.*[^\s\u200b\u2060\ufeff\0]/su
const SPACE = /[\s\0]+/g

/** A cell's text without formula escapes (`="00123"`, `'=1+1`), trimmed, and in one line. */
export const cellText = (cell: string | undefined): string => {
  const begin = cell?.search(BEGIN) ?? -1
  if (!cell || begin < 0) return ''
  const bare = cut(cell.slice(begin, begin + MAX_READ + 1).replace(ESCAPE, ''), MAX_READ)
  const quoted = /^="((?:[^"]|"")*)"\s*$/.exec(bare)?.[1]
  const text = quoted?.replaceAll('""', '"') ?? bare
  const inOneLine = trimmed(text)
    .replace(SPACE, (space) => (/[\r\n\t\0]/.test(space) ? ' ' : space))
    .replace(/\p{Surrogate}/gu, '\ufffd')
  return cut(inOneLine, MAX_CELL)
}

const trimmed = (text: string): string =>
  TO_LAST.exec(text.slice(Math.max(text.search(BEGIN), 0)))?.[0] ?? ''

/** The start of a text, without splitting a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/**
 * Escapes what a spreadsheet would treat as a formula, with an apostrophe that `cellText` removes.
 * Numbers stay numbers.
 */
export const safeCell = (cell: string): string =>
  FORMULA.test(cell) && !/^[+-]?\d+([.,]\d+)*$/.test(cell) ? `'${cell}` : cell

/** A line of CSV, with cells escaped for spreadsheets, and all of them quoted. */
export const csvLine = (cells: string[]): string =>
  `${cells.map((cell) => `"${safeCell(cell).replaceAll('"', '""')}"`).join(',')}\r\n`

/** Currency symbols. `$` alone is USD, as in the exports of all six platforms. */
const SYMBOLS: Record<string, string> = {
  ...{
    $: 'USD',
    US$: 'USD',
    A$: 'AUD',
    AU$: 'AUD',
    C$: 'CAD',
    CA$: 'CAD',
    NZ$: 'NZD',
    HK$: 'HKD',
    S$: 'SGD',
  },
  ...{ R$: 'BRL', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' },
}

export type Amount = { cents: number; currency: string | null }

/**
 * Parses an amount as people and spreadsheets write it: `$1,234.50`, `1.234,50 EUR`, `8120`.
 *
 * @param inCents whether the number is in minor units
 * @returns null if it is invalid or ambiguous
 */
export const readAmount = (text: string, inCents: boolean): Amount | null => {
  const sign = /^\(.*\)$|^[^\d]*[-−]|-$/.test(text) ? -1 : 1
  const currency = /[A-Z]{0,2}[$]|[€£¥₹]|(?<![A-Za-z])[A-Za-z]{3}(?![A-Za-z])/.exec(text)?.[0]
  const digits = text.replace(currency ?? '', '').replace(/[\s'’()+\-−_]/gu, '')
  if (!/^\d[\d.,]*$/.test(digits)) return null
  const major = inCents ? digits.replace(/[.,](?=\d{3}\b)/g, '') : decimal(digits)
  if (major === null || !/^\d+(\.\d+)?$/.test(major)) return null
  const cents = inCents ? Number(major) : Math.round(Number(`${major}e2`))
  if (!Number.isSafeInteger(cents)) return null
  return {
    cents: cents === 0 ? 0 : sign * cents,
    currency: currency ? (SYMBOLS[currency] ?? currency.toUpperCase()) : null,
  }
}

/** Normalises separators to a decimal point. `1.234` is a thousand, like `1,234`. */
const decimal = (digits: string): string | null => {
  const marks = digits.replace(/\d/g, '')
  if (marks === '') return digits
  const last = marks.at(-1) ?? ''
  const other = last === ',' ? '.' : ','
  const [whole = '', fraction = ''] = splitAtLast(digits, last)
  const grouped = (text: string, mark: string) =>
    new RegExp(`^\\d{1,3}(\\${mark}\\d{3})*$`).test(text)

  if (!marks.includes(other)) {
    // With one kind of mark, several group thousands, and so does one before exactly three digits.
    if (marks.length > 1 || (fraction.length === 3 && whole !== '0'))
      return grouped(digits, last) ? digits.replaceAll(last, '') : null
    return `${whole}.${fraction || '0'}`
  }
  return grouped(whole, other) && fraction ? `${whole.replaceAll(other, '')}.${fraction}` : null
}

const splitAtLast = (text: string, mark: string): string[] => {
  const at = text.lastIndexOf(mark)
  return [text.slice(0, at), text.slice(at + 1)]
}
