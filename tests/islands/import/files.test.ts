import { describe, expect, test } from 'vitest'
import { readFile } from '../../../islands/import/file.ts'
import { unitIn } from '../../../islands/import/rules/balances.ts'
import { imports, recognise, warnings } from '../../../islands/import/rules/reading/columns.ts'
import { collectRows } from '../../../islands/import/rules/reading/records.ts'
import { FILES, type PlatformFile } from './files.ts'

/**
 * What is read of a file, from its bytes to its rows, and what the manager has to say before they
 * are imported.
 */
const read = async (bytes: Uint8Array | string) => {
  const { headers, records } = await readFile(new File([bytes], 'export.csv'), () => undefined)
  const { platform, rows, columns } = recognise(headers)
  const { blocking } = warnings(headers, {
    rows,
    columns,
    inCents: unitIn(headers, columns, records),
  })
  const collector = collectRows({ columns, inCents: false, zone: 'UTC' }, null)
  for (const record of records) collector.add(record)
  const { partners, customers } = collector.rows()
  return {
    platform,
    blocking,
    partners: Object.fromEntries(partners.map(({ email, slug }) => [email, slug])),
    customers: Object.fromEntries(
      customers.map(({ customerExternalId, partnerEmail }) => [customerExternalId, partnerEmail]),
    ),
  }
}

const expected = ({ platform, partners, customers = {} }: PlatformFile) => ({
  platform,
  blocking: null,
  partners,
  customers,
})

const cellsOf = ({ lines }: PlatformFile) =>
  lines.map((line) => line.split(line.includes(';') ? ';' : ','))
const withMark = (file: PlatformFile, mark: string) =>
  cellsOf(file)
    .map((cells) => cells.join(mark))
    .join('\r\n')
const withHeaders = (file: PlatformFile, change: (header: string) => string) => {
  const [headers = [], ...rows] = cellsOf(file)
  return [headers.map(change), ...rows].map((cells) => cells.join(',')).join('\n')
}

const utf16 = (text: string, mark: string) => new Uint8Array(Buffer.from(mark + text, 'utf16le'))

/** What spreadsheets, mail programs and people do to a file. */
const CHANGES: Record<string, (file: PlatformFile) => Uint8Array | string> = {
  'as it is': (file) => file.lines.join('\n'),
  'with semicolons': (file) => withMark(file, ';'),
  'with tabs': (file) => withMark(file, '\t'),
  'with a byte order mark': (file) => `\ufeff${file.lines.join('\r\n')}`,
  'in UTF-16 with a mark': (file) => utf16(file.lines.join('\r\n'), '\ufeff'),
  'in UTF-16 without one': (file) => utf16(file.lines.join('\r\n'), ''),
  'in Windows-1252': (file) => new Uint8Array(Buffer.from(file.lines.join('\r\n'), 'latin1')),
  'with quoted cells': (file) =>
    cellsOf(file)
      .map((cells) => cells.map((cell) => `"${cell}"`).join(','))
      .join('\n'),
  'with its columns turned around': (file) =>
    cellsOf(file)
      .map((cells) => cells.toReversed().join(','))
      .join('\n'),
  'with upper case headers': (file) => withHeaders(file, (header) => header.toUpperCase()),
  'with spaces for underscores': (file) =>
    withHeaders(file, (header) => ` ${header.replaceAll('_', ' ')} `),
  'with a column of notes': (file) =>
    cellsOf(file)
      .map((cells, n) => [...cells, n === 0 ? 'Notes' : 'fine'].join(','))
      .join('\n'),
  'with the first line of its table': (file) => `[[AFFILIATES]]\n${withMark(file, ';')}`,
}

describe.each(FILES)('$platform’s $what', (file) => {
  test.each(Object.entries(CHANGES))('%s', async (_, change) => {
    expect(await read(change(file))).toEqual(expected(file))
  })

  test('under headers in another language, nothing is imported before they are mapped', () => {
    const headers = cellsOf(file)[0]?.map((_, n) => `Spalte ${n}`) ?? []
    const { rows, columns } = recognise(headers)
    expect(imports(columns)).toEqual({ partners: false, customers: false })
    expect(warnings(headers, { rows, columns, inCents: null }).blocking).not.toBeNull()
  })

  // A renamed column is lost at worst: no other one takes its place.
  test('with one header renamed, no address or slug is read from another column', async () => {
    const headers = cellsOf(file)[0] ?? []
    for (const renamed of headers) {
      const { partners } = await read(
        withHeaders(file, (header) => (header === renamed ? 'Spalte' : header)),
      )
      for (const [email, slug] of Object.entries(partners)) {
        if (email) expect(Object.keys(file.partners)).toContain(email)
        if (email && slug) expect([file.partners[email], 'maya']).toContain(slug)
      }
    }
  })
})
