import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { streamCsv } from '../lib/http/csv-stream.ts'
import { csvLines } from '../lib/values/csv.ts'

test.each([
  { case: 'plain text', text: 'Ann', cell: '"Ann"' },
  { case: 'nothing', text: '', cell: '""' },
  { case: 'a comma', text: 'Okafor, Leo', cell: '"Okafor, Leo"' },
  { case: 'quotes', text: 'The "Größe"', cell: '"The ""Größe"""' },
  { case: 'a line break', text: 'a\r\nb', cell: '"a\r\nb"' },
  { case: 'a formula', text: '=1+1', cell: '"\'=1+1"' },
  { case: 'a formula with quotes', text: '=A("x")', cell: '"\'=A(""x"")"' },
  { case: 'a plus', text: '+49', cell: '"\'+49"' },
  { case: 'a minus', text: '-1', cell: '"\'-1"' },
  { case: 'an at sign', text: '@SUM', cell: '"\'@SUM"' },
  { case: 'a full-width formula', text: '＝1+1', cell: '"\'＝1+1"' },
  { case: 'a full-width at sign', text: '＠SUM', cell: '"\'＠SUM"' },
  { case: 'a tab', text: '\t=1', cell: '"\'\t=1"' },
  { case: 'a carriage return', text: '\r=1', cell: '"\'\r=1"' },
  { case: 'an equals sign further on', text: 'a=b', cell: '"a=b"' },
])('a cell with $case', ({ text, cell }) => {
  const lines = csvLines([[text, 'x']])
  expect(lines).toBe(`${cell},"x"\r\n`)
  expect(Papa.parse<string[]>(lines.slice(0, -2)).data).toEqual([
    [/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text, 'x'],
  ])
})

test('a negative number of ours stays a number', () => {
  expect(csvLines([['=x', { number: '-49.00' }]])).toBe('"\'=x","-49.00"\r\n')
})

const pageOf = (from: number, length: number) =>
  Array.from({ length }, (_, n) => ({
    id: `row ${from + n}`,
    amount: -n,
    at: new Date(0),
    tags: ['=a'],
  }))

test('a list is sent page by page, and its file ends with its last row', async () => {
  const pages = [pageOf(0, 1_000), pageOf(1_000, 1_000), []]
  const cursors: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    cursors.push(cursor)
    return pages.shift() ?? []
  }
  const text = await new Response(
    await streamCsv(['id', 'amount', 'at', 'tags'], read, undefined),
  ).text()
  const lines = text.split('\r\n')
  expect([lines.length, lines[0], lines[2]]).toEqual([
    2_002,
    '"id","amount","at","tags"',
    '"row 1","-1","1970-01-01T00:00:00.000Z","[""=a""]"',
  ])
  expect(cursors).toEqual([undefined, 'row 999', 'row 1999'])
})

test('a fault in a later page breaks the file off, and one in the first page sends none', async () => {
  const broken = async (cursor: string | undefined) => {
    if (cursor) throw new Error('The database is gone.')
    return pageOf(0, 1_000)
  }
  const stream = await streamCsv(['id'], broken, undefined)
  await expect(new Response(stream).text()).rejects.toThrow('The database is gone.')
  await expect(streamCsv(['id'], broken, 'row 1')).rejects.toThrow('The database is gone.')
})
