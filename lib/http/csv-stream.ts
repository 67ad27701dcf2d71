/** A list as a CSV file, streamed page by page, so that no file has to fit into memory. */
import { csvLines } from '../values/csv.ts'

/**
 * Rows per page, one database call each. Cloudflare's free plan allows 50 per request, others
 * 10,000.
 */
export const EXPORT_PAGE = 1_000
/** Rows per file. A full file continues after its last id. */
const MAX_EXPORT_ROWS = 500_000

type Row = { id: string }
type Value = unknown

const cellOf = (value: Value): string | { number: string } => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return { number: String(value) }
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/**
 * The file, in UTF-8, with the columns' names first. Times are ISO 8601, and structured values are
 * JSON.
 *
 * The first page is read before the response starts, so that a fault is still an error response. A
 * later fault breaks the connection: a short file must not look complete.
 *
 * @param read a page of at most `EXPORT_PAGE` rows after a cursor
 */
export const streamCsv = async <R extends Row>(
  columns: readonly (keyof R & string)[],
  read: (cursor: string | undefined) => Promise<R[]>,
  cursor: string | undefined,
): Promise<ReadableStream<Uint8Array>> => {
  const encoder = new TextEncoder()
  const lines = (rows: R[]) =>
    encoder.encode(csvLines(rows.map((row) => columns.map((column) => cellOf(row[column])))))
  let page = await read(cursor)
  let sent = 0
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(csvLines([columns])))
    },
    async pull(controller) {
      if (page.length > 0) controller.enqueue(lines(page))
      sent += page.length
      const last = page.at(-1)
      if (!last || page.length < EXPORT_PAGE || sent >= MAX_EXPORT_ROWS) return controller.close()
      page = await read(last.id)
      // The list ended with the page before.
      if (page.length === 0) controller.close()
    },
  })
}
