import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cellText,
  csvLine,
  readAmount,
  safeCell,
} from '../../../islands/import/rules/reading/cells.ts'
import { SEEDS } from '../../support/thorough.ts'

test.each([
  { case: 'plain text', cell: 'maya', text: 'maya' },
  { case: 'space around it, of any kind', cell: ' \u00a0\ufeffmaya\u200b\t', text: 'maya' },
  { case: 'Excel’s formula that keeps zeros', cell: '="00123"', text: '00123' },
  { case: 'a quote inside such a formula', cell: '="a ""b"" c"', text: 'a "b" c' },
  { case: 'an apostrophe against a formula', cell: `'=1+1`, text: '=1+1' },
  { case: 'an apostrophe against a minus', cell: `'-dash`, text: '-dash' },
  { case: 'an apostrophe against a tab', cell: `'\tx`, text: 'x' },
  {
    case: 'an apostrophe that belongs to a word',
    cell: `'s-Hertogenbosch`,
    text: `'s-Hertogenbosch`,
  },
  { case: 'an apostrophe against a line feed', cell: `'\n=x`, text: '=x' },
  { case: 'an apostrophe against a wide sign', cell: `'＝1+1`, text: '＝1+1' },
  { case: 'much space between two words', cell: `a${' '.repeat(900)}\n b`, text: 'a b' },
  {
    case: 'space before half a file',
    cell: ' '.repeat(9_000) + 'x'.repeat(5_000),
    text: 'x'.repeat(1_000),
  },
  { case: 'line breaks', cell: 'Two\r\nLines', text: 'Two Lines' },
  {
    case: 'a NUL and half a character, which the API refuses',
    cell: 'a\0b\ud800c',
    text: 'a b\ufffdc',
  },
  {
    case: 'half a file, after an unclosed quote',
    cell: 'x'.repeat(5_000),
    text: 'x'.repeat(1_000),
  },
  { case: 'no cell', cell: undefined, text: '' },
])('$case', ({ cell, text }) => {
  expect(cellText(cell)).toBe(text)
})

test.each([
  { cell: '=1+1', safe: `'=1+1` },
  { cell: '@SUM(A1)', safe: `'@SUM(A1)` },
  { cell: '+1+1', safe: `'+1+1` },
  { cell: '-dash', safe: `'-dash` },
  { cell: '\tx', safe: `'\tx` },
  { cell: '\r=x', safe: `'\r=x` },
  { cell: '\n=x', safe: `'\n=x` },
  { cell: '＝1+1', safe: `'＝1+1` },
  { cell: '＋1', safe: `'＋1` },
  { cell: '－dash', safe: `'－dash` },
  { cell: '＠SUM(A1)', safe: `'＠SUM(A1)` },
  { cell: '-12.50', safe: '-12.50' },
  { cell: '+4917', safe: '+4917' },
  { cell: 'a=b', safe: 'a=b' },
])('$cell is written as $safe', ({ cell, safe }) => {
  expect(safeCell(cell)).toBe(safe)
})

test('the text of any cell survives being escaped for a spreadsheet', () => {
  const cell = fc.oneof(
    fc.string(),
    fc.tuple(fc.constantFrom(..."=+-@'\t\r\n＝＋－＠"), fc.string()).map(([a, b]) => a + b),
  )
  fc.assert(
    fc.property(cell, (text) => {
      expect(cellText(safeCell(text))).toBe(cellText(text))
    }),
    { seed: SEEDS[0] },
  )
})

/** A slow machine takes milliseconds. Backtracking patterns take seconds. */
const SOON_MS = 500

const MANY = 1_000_000

test.each([
  { case: 'space', cell: ' '.repeat(MANY) },
  { case: 'space in a word', cell: `a${' '.repeat(MANY)}b` },
  { case: 'space before a word', cell: `${' '.repeat(MANY)}b` },
  { case: 'space after an apostrophe', cell: `'${'\t'.repeat(MANY)}b` },
  { case: 'apostrophes and tabs', cell: `'\t`.repeat(MANY) },
  { case: 'apostrophes', cell: `'`.repeat(MANY) },
  { case: 'a formula of quotes', cell: `="${'"'.repeat(MANY)}x` },
  { case: 'a formula and space', cell: `="a"${' '.repeat(MANY)}x` },
])('a hostile cell is cleaned quickly: $case', ({ cell }) => {
  const begun = performance.now()
  cellText(cell)
  expect(performance.now() - begun).toBeLessThan(SOON_MS)
})

test('a line of CSV quotes every cell', () => {
  expect(csvLine(['plain', 'a "b"', 'x,y', 'two\nlines', ' edge', '=1'])).toBe(
    `"plain","a ""b""","x,y","two\nlines"," edge","'=1"\r\n`,
  )
})

test.each([
  { text: '8120', cents: 812_000 },
  { text: '$1,234.50', cents: 123_450, currency: 'USD' },
  { text: '1.234,50', cents: 123_450 },
  { text: '1 234,50 €', cents: 123_450, currency: 'EUR' },
  { text: '1’234.50 CHF', cents: 123_450, currency: 'CHF' },
  { text: 'USD1,234,567.89', cents: 123_456_789, currency: 'USD' },
  { text: '$999,999,999,999.99', cents: 99_999_999_999_999, currency: 'USD' },
  { text: 'CA$12', cents: 1_200, currency: 'CAD' },
  { text: 'A$12', cents: 1_200, currency: 'AUD' },
  { text: '1,234', cents: 123_400 },
  { text: '12,5', cents: 1_250 },
  { text: '0.125', cents: 13 },
  { text: '1.005', cents: 100_500 },
  { text: '-5.00', cents: -500 },
  { text: '(5.00)', cents: -500 },
  { text: '-0', cents: 0 },
])('$text is $cents cents', ({ text, cents, currency = null }) => {
  expect(readAmount(text, false)).toEqual({ cents, currency })
})

test.each([
  { text: '8120', cents: 8_120 },
  { text: '8,120', cents: 8_120 },
  { text: '8120.00', cents: 8_120 },
])('$text in a column of cents is $cents cents', ({ text, cents }) => {
  expect(readAmount(text, true)).toEqual({ cents, currency: null })
})

test.each(['n/a', '12 kr 50', '1234.567', '1,23,456.00', '1.2.3', '', '99999999999999999'])(
  '"%s" is not an amount',
  (text) => expect(readAmount(text, false)).toBeNull(),
)
test('half a cent is invalid', () => expect(readAmount('8120.5', true)).toBeNull())
