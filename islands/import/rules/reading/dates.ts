/** Parses the dates of exports to ISO 8601. */

/** Whether `03/04/2025` starts with the day or the month. One file has one order. */
export type DateOrder = 'day' | 'month'

const NUMERIC = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})\b/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * The order of a column's dates, inferred from the unambiguous ones; null if they disagree or there
 * are none.
 */
export const dateOrder = (cells: Iterable<string>): DateOrder | null => {
  const seen = new Set<DateOrder>()
  for (const cell of cells) {
    const [, first = '', second = ''] = NUMERIC.exec(cell) ?? []
    if (Number(first) > 12) seen.add('day')
    else if (Number(second) > 12) seen.add('month')
    // Dates with points put the day first.
    else if (first && /^\d+\.\d+\./.test(cell)) seen.add('day')
    if (seen.size > 1) return null
  }
  return seen.size === 1 ? (seen.values().next().value ?? null) : null
}

/**
 * A date or time in ISO 8601, or null if it is invalid or ambiguous.
 *
 * @example
 * dateOf('2024-05-09 16:18:59 UTC', null) // '2024-05-09T16:18:59.000Z'
 * dateOf('9 May 2024', null)              // '2024-05-09'
 * dateOf('05/09/2024', 'month')           // '2024-05-09'
 *
 * @param zone of times that name none, such as `Europe/Berlin`
 */
export const dateOf = (text: string, order: DateOrder | null, zone = 'UTC'): string | null => {
  // Unix time in seconds or milliseconds. Ten digits cover the years 2001 to 2286.
  if (/^\d{10}(\d{3})?$/.test(text)) return new Date(Number(text.padEnd(13, '0'))).toISOString()

  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?=$|[T\s])(.*)$/.exec(text)
  if (iso) return withTime(zone, iso[1], iso[2], iso[3], iso[4])

  const numeric = NUMERIC.exec(text)
  if (numeric) {
    const [match, first, second, year] = numeric
    const dayFirst = Number(first) > 12 || (order === 'day' && Number(second) <= 12)
    const sure = Number(first) > 12 || Number(second) > 12 || first === second || order !== null
    if (!sure) return null
    return withTime(
      zone,
      year,
      dayFirst ? second : first,
      dayFirst ? first : second,
      text.slice(match.length),
    )
  }

  const words =
    /^(?:[a-z]{3,9},?\s+)?(?:(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?|([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?),?\s+(\d{4})\b(.*)$/i.exec(
      text,
    )
  if (!words) return null
  const month = MONTHS.indexOf((words[2] ?? words[3] ?? '').slice(0, 3).toLowerCase()) + 1
  return withTime(zone, words[5], String(month), words[1] ?? words[4], words[6])
}

const TIME =
  /^[T\s,]*(?:at\s+)?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([ap]m)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

const withTime = (zone: string, year = '', month = '', day = '', rest = ''): string | null => {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!exists(Number(year), Number(month), Number(day))) return null
  if (!rest.trim()) return date
  const [match, hours = '', minutes, seconds = '00', half, named] = TIME.exec(rest) ?? []
  if (!match) return null
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hours)
  const offset = named && /^[+-]/.test(named) ? named.replace(/^(...):?/, '$1:') : 'Z'
  const moment = Date.parse(
    `${date}T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${offset}`,
  )
  if (Number.isNaN(moment)) return null
  return new Date(named ? moment : momentIn(zone, moment)).toISOString()
}

/** Whether the date exists. `Date` reads 30 February as 1 March. */
const exists = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1970 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** Whether a date has a time of day whose zone is not named. */
export const lacksZone = (text: string): boolean =>
  dateOf(text, 'day', 'UTC') !== dateOf(text, 'day', 'Etc/GMT+1')

/**
 * The moment at which clocks in a zone show a time.
 * @param shown the time as if it were UTC, in milliseconds
 */
const momentIn = (zone: string, shown: number): number => {
  if (zone === 'UTC') return shown
  // The offset may change between the two moments.
  return shown - offsetAt(zone, shown - offsetAt(zone, shown))
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
const offsetAt = (zone: string, moment: number): number => {
  const parts = clockOf(zone).formatToParts(moment)
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

const clocks = new Map<string, Intl.DateTimeFormat>()

const clockOf = (zone: string): Intl.DateTimeFormat => {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  clocks.set(zone, clock)
  return clock
}
