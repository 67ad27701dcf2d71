/** What is in a cell of a CSV file: text under spreadsheets' prefixes, slugs inside links, amounts and dates. */

/**
 * Longer than any field may be, so that the import refuses such a cell with its own words, and short enough that a
 * file whose quotes don't match can't make one cell of half its rows, and one call of more than a body may be.
 */
const LONGEST_CELL = 1_000

/** What is looked at of a cell: enough for its text and much space between the words, and no more of half a file. */
const LONGEST_READ = 4 * LONGEST_CELL

/** Spreadsheets take a cell that begins so for a formula. East Asian ones know the wide signs too. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** The apostrophe that keeps a spreadsheet from calculating. */
const ARMOUR = /^'(?=[=+\-@＝＋－＠])/

/**
 * Where a cell's text begins: after space, the marks that look like none, and an apostrophe against one of them.
 * These two patterns and `SPACE` are met by whole files in one cell, so none of them may go back over what it read.
 */
const BEGIN = /[^\s\u200b\u2060\ufeff\0']|'(?![\t\r\n])/u
const TO_LAST = /^.*[^\s\u200b\u2060\ufeff\0]/su
const SPACE = /[\s\0]+/g

/**
 * The text of a cell: without the prefixes that keep spreadsheets from calculating (`="00123"`, `'=1+1`), without
 * space around it, in one line.
 */
export const cellText = (cell: string | undefined): string => {
  const begin = cell?.search(BEGIN) ?? -1
  if (!cell || begin < 0) return ''
  const bare = cut(cell.slice(begin, begin + LONGEST_READ + 1).replace(ARMOUR, ''), LONGEST_READ)
  const quoted = /^="((?:[^"]|"")*)"\s*$/.exec(bare)?.[1]
  const text = quoted?.replaceAll('""', '"') ?? bare
  const inOneLine = trimmed(text)
    .replace(SPACE, (space) => (/[\r\n\t\0]/.test(space) ? ' ' : space))
    .replace(/\p{Surrogate}/gu, '\ufffd')
  return cut(inOneLine, LONGEST_CELL)
}

const trimmed = (text: string): string => TO_LAST.exec(text.slice(Math.max(text.search(BEGIN), 0)))?.[0] ?? ''

/** The beginning of a text, without half of a character at its end. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/**
 * A cell that a spreadsheet shows instead of calculating it: what looks like a formula gets an apostrophe in front,
 * which `cellText` takes away again. Numbers stay numbers.
 */
export const safeCell = (cell: string): string =>
  FORMULA.test(cell) && !/^[+-]?\d+([.,]\d+)*$/.test(cell) ? `'${cell}` : cell

/** A line of CSV, each cell safe for spreadsheets, and quoted where it must be. */
export const csvLine = (cells: string[]): string =>
  `${cells
    .map((cell) => safeCell(cell))
    .map((cell) => (/[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')}\r\n`

/** The names under which platforms put a partner into a link, the likeliest first. */
const PARAMETERS = [
  'via',
  'ref',
  'fpr',
  'fp_ref',
  'tap_a',
  'tolt',
  'aff',
  'affiliate',
  'partner',
  'referral',
  'r',
]

/** The beginning of a link, in a part of a cell. */
const LINK = /^https?:|^[^.]*\.[^/]*\//i

/** The first of several links, which a comma, a semicolon, a bar or space parts; a text without a second one whole. */
const firstLink = (text: string): string => {
  const parts = [...text.matchAll(/[^,;|\s]+/g)]
  const second = parts.findIndex(([part], index) => index > 0 && LINK.test(part))
  const last = parts[second - 1]
  return last ? text.slice(0, last.index + last[0].length) : text
}

/**
 * The slug in a cell: as it is, or taken out of a link, from its query (`https://shop.example/?via=maya`) or else
 * the end of its path (`https://go.shop.example/maya`). Of several links, the first.
 */
export const slugOf = (text: string): string => {
  const first = firstLink(text)
  const bare = /^\??([a-z_]+)=([^&#\s]+)$/i.exec(first)
  const isLink = /^https?:\/\/|^[\w-]+(\.[\w-]+)+(:\d+)?[/?#]/i.test(first)
  if (!isLink)
    return bare && PARAMETERS.includes(bare[1]?.toLowerCase() ?? '') ? decoded(bare[2] ?? '') : text

  let url: URL
  try {
    url = new URL(/^https?:/i.test(first) ? first : `https://${first}`)
  } catch {
    return text
  }
  const query = [...url.searchParams].map(([name, value]) => [name.toLowerCase(), value] as const)
  for (const name of PARAMETERS) {
    const value = query.find(([key, found]) => key === name && found)?.[1]
    if (value) return value
  }
  const own = query.filter(([name, value]) => value && !name.startsWith('utm_'))
  if (own.length === 1 && own[0]) return own[0][1]
  return decoded(url.pathname.split('/').filter(Boolean).at(-1) ?? '')
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What a sign stands for. `$` alone is USD, which the exports of all six platforms mean by it. */
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
 * An amount of money as people and spreadsheets write it: `$1,234.50`, `1.234,50 EUR`, `8120`.
 *
 * @param inCents the number is minor units already
 * @returns null when it can't be read, or not in one way only
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

/** A number with a decimal point, from one with either kind of separators. `1.234` alone is a thousand, as `1,234` is. */
const decimal = (digits: string): string | null => {
  const marks = digits.replace(/\d/g, '')
  if (marks === '') return digits
  const last = marks.at(-1) ?? ''
  const other = last === ',' ? '.' : ','
  const [whole = '', fraction = ''] = splitAtLast(digits, last)
  const grouped = (text: string, mark: string) => new RegExp(`^\\d{1,3}(\\${mark}\\d{3})*$`).test(text)

  if (!marks.includes(other)) {
    // One kind of mark. Several of them group thousands, and so does one that stands before exactly three digits.
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
