/** Parses a file's bytes into records. */
import Papa from 'papaparse'
import { inEnglish } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { cellText } from './rules/reading/cells.ts'
import type { CsvRecord } from './rules/reading/records.ts'
import type { SourceNotes } from './rules/source.ts'

/** @property source what a file from another platform holds in addition to its records */
export type CsvFile = {
  name: string
  headers: string[]
  records: CsvRecord[]
  warning: string | null
  source?: SourceNotes & { id: string; platform: string; caution: string }
}

/** A file that cannot be read. The message says what to do. */
export class UnreadableFile extends Error {}

/** Ten times the 50,000 rows of a large program, which still fit a phone's memory. */
const LARGEST_FILE_BYTES = 100_000_000

/** About 2,000 rows: a few milliseconds of work between paints. */
const CHUNK_CHARACTERS = 256 * 1024

/**
 * Decodes UTF-8 or UTF-16, with or without a byte order mark, else Windows-1252, which old
 * spreadsheets write.
 */
const decode = (bytes: Uint8Array): string => {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3) {
    throw new UnreadableFile(inEnglish(m.import_spreadsheet))
  }
  const start = bytes.subarray(0, 4_096)
  const zeros = (odd: number) =>
    start.filter((byte, index) => index % 2 === odd && byte === 0).length
  const utf16 = (odd: number) => zeros(odd) > start.length / 8 && zeros(odd) > zeros(1 - odd) * 4
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || utf16(1))
    return new TextDecoder('utf-16le').decode(bytes)
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || utf16(0))
    return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Reads a chosen or dropped file. @throws {UnreadableFile} */
export const readFile = async (
  file: File,
  onProgress: (share: number) => void,
): Promise<CsvFile> => {
  if (file.size > LARGEST_FILE_BYTES) {
    throw new UnreadableFile(
      inEnglish(m.import_file_too_large, { megabytes: LARGEST_FILE_BYTES / 1_000_000 }),
    )
  }
  return readText(file.name, decode(new Uint8Array(await file.arrayBuffer())), onProgress)
}

/** Parses CSV text. @throws {UnreadableFile} */
export const readText = async (
  name: string,
  text: string,
  onProgress: (share: number) => void,
): Promise<CsvFile> => {
  // Excel's own first line, `sep=;`, names the delimiter. Post Affiliate Pro's names the table:
  // `[[AFFILIATES]]`.
  const [line, sep] = /^\ufeff?(?:sep=(.)|\[\[\w+\]\][;,\t]*)\r?\n/i.exec(text) ?? ['', undefined]
  const body = text.slice(line.length).replace(/^\ufeff/, '')
  if (!body.trim()) throw new UnreadableFile(inEnglish(m.import_file_empty))
  const { rows, unclosed } = await parse(body, sep ?? delimiterOf(body), onProgress)
  const records = rows.map((cells, index) => ({ line: index + 1, cells }))
  const first = records.findIndex(({ cells }) => cells.some((cell) => cellText(cell) !== ''))
  const header = records[first]?.cells
  if (!header) throw new UnreadableFile(inEnglish(m.import_file_empty))

  // A first line with an email address is data, not a header.
  const hasHeader = !header.some((cell) => /\S@\S+\.\S/.test(cellText(cell)))
  const names = header.map(
    (cell, column) =>
      (hasHeader && cellText(cell)) ||
      inEnglish(m.import_column_number, { number: String(column + 1) }),
  )
  const rest = records
    .slice(hasHeader ? first + 1 : first)
    .filter(({ cells }) => cells.some((cell) => cellText(cell)))
  if (rest.length === 0) {
    throw new UnreadableFile(
      unclosed
        ? inEnglish(m.import_close_quote, { row: unclosed })
        : inEnglish(m.import_header_only),
    )
  }
  const warning = unclosed ? inEnglish(m.import_unclosed_quote, { row: unclosed }) : null
  return { name, headers: names, records: rest, warning }
}

/** An unclosed quote would make the whole file one header, too long for the pattern. */
const LONGEST_HEADER = 65_536

/** The most frequent delimiter in the header, outside quotes. */
const delimiterOf = (text: string): string => {
  const start = text.trimStart().slice(0, LONGEST_HEADER)
  const header =
    /^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(start)?.[0].replace(/"(?:[^"]|"")*"/g, '') ?? ''
  const times = (mark: string) => header.split(mark).length
  return [',', ';', '\t', '|'].reduce((best, mark) => (times(mark) > times(best) ? mark : best))
}

/** Parses in pieces, yielding to the browser in between. */
const parse = (
  text: string,
  delimiter: string,
  onProgress: (share: number) => void,
): Promise<{ rows: string[][]; unclosed: number | null }> =>
  new Promise((resolve, reject) => {
    const rows: string[][] = []
    let unclosed: number | null = null
    Papa.parse<string[]>(text, {
      delimiter,
      chunkSize: CHUNK_CHARACTERS,
      chunk: ({ data, errors, meta }: Papa.ParseResult<string[]>, parser: Papa.Parser) => {
        const quote = errors.find(({ code }) => code === 'MissingQuotes')
        if (quote) unclosed = rows.length + (quote.row ?? 0) + 1
        for (const row of data) rows.push(row)
        onProgress(meta.cursor / text.length)
        parser.pause()
        setTimeout(() => parser.resume())
      },
      complete: () => resolve({ rows, unclosed }),
      error: (error: Error) => reject(new UnreadableFile(error.message)),
    })
  })
