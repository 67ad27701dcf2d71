import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { csvLines } from '../lib/csv.ts'

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
