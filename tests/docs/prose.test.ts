/** What an editor would mark in the docs and in the code's comments, by docs/style.md. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'

const LONGEST_LINE = 100
const LONGEST_CELL = 200

const read = (file: string) => readFileSync(`${ROOT}${file}`, 'utf8')
const files = (...patterns: string[]) => globSync(patterns, { cwd: ROOT }).sort()

const DOCS = files(
  '{README,CONTRIBUTING,SECURITY,CHANGELOG}.md',
  '{docs,migrations}/**/*.md',
  'clients/*/README.md',
)
const CODE = files(
  '{lib,functions,islands,api,cli,snippet,schema}/**/*.{ts,tsx,sql}',
  'clients/node/src/*.ts',
  '*.sql',
).filter((file) => !file.startsWith('lib/languages/messages/'))

/** The phrases of the table in docs/style.md. They are its examples, so it may have them. */
const STYLE = 'docs/style.md'
const [, refused = ''] = read(STYLE).split('## Refused phrases\n')
const PHRASES = [...refused.matchAll(/^\| `([^|]+)` \|/gm)].flatMap(([, cell = '']) =>
  cell.split('`, `'),
)
/** Between two words there may be the end of a line, and the mark of a comment on the next one. */
const GAP = String.raw`(?:\s|\*|//|--)+`
const PHRASE = new RegExp(
  String.raw`(?<![\w-])(?:${PHRASES.map((phrase) => phrase.replaceAll(' ', GAP)).join('|')})(?![\w-])`,
  'gi',
)

/** The figures that `npm run bench` printed, such as `3.165`: of three digits, so that few are alike. */
const FIGURES = 'docs/figures.md'
const FIGURE = /\b(?:\d+\.\d{3,}|[1-9]\d*\.\d{2})\b/g
const printed = new Set(
  read(FIGURES)
    .match(/^\|.*/gm)
    ?.flatMap((row) => row.match(FIGURE) ?? []),
)

type Mark = { line: number; is: string }

/** Each line of a text that is in no block of code. The others are empty. */
const prose = (markdown: string): string[] => {
  let isCode = false
  return markdown.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isCode || isFence ? '' : line
  })
}

/** Of a table, which may be in a list. */
const isRow = (line: string) => line.trimStart().startsWith('|')

const wideLines = (markdown: string): Mark[] =>
  prose(markdown).flatMap((text, at) =>
    !isRow(text) && text.length > LONGEST_LINE
      ? [{ line: at + 1, is: `${text.length} columns` }]
      : [],
  )

/** A link's target is not read. */
const longCells = (markdown: string): Mark[] =>
  prose(markdown).flatMap((row, at) =>
    (isRow(row) ? row.split(/(?<!\\)\|/) : [])
      .map((cell) => cell.replaceAll(/\]\([^)]*\)/g, ']').trim())
      .filter((cell) => cell.length > LONGEST_CELL)
      .map((cell) => ({ line: at + 1, is: `a cell of ${cell.length}: ${cell.slice(0, 40)}...` })),
  )

const phrases = (text: string): Mark[] =>
  [...text.matchAll(PHRASE)].map(({ 0: phrase, index }) => ({
    line: text.slice(0, index).split('\n').length,
    is: `"${phrase.replaceAll(new RegExp(GAP, 'g'), ' ')}"`,
  }))

const figures = (markdown: string): Mark[] =>
  prose(markdown).flatMap((text, at) =>
    (text.match(FIGURE) ?? [])
      .filter((figure) => printed.has(figure))
      .map((figure) => ({ line: at + 1, is: `${figure}, which is in ${FIGURES}` })),
  )

const marksIn = (sources: string[], check: (text: string) => Mark[]): string[] =>
  sources.flatMap((file) => check(read(file)).map(({ line, is }) => `${file}:${line}: ${is}`))

describe('the docs have', () => {
  test('lines of at most 100 columns, but for tables and code', () => {
    expect(marksIn(DOCS, wideLines)).toEqual([])
    expect(DOCS.length).toBeGreaterThan(40)
  })

  test('cells of at most 200 characters: a cell of two sentences is a paragraph', () => {
    expect(marksIn(DOCS, longCells)).toEqual([])
  })

  test('no figure of `npm run bench` but in docs/figures.md', () => {
    expect(printed.size).toBeGreaterThan(30)
    expect(
      marksIn(
        DOCS.filter((file) => file !== FIGURES),
        figures,
      ),
    ).toEqual([])
  })
})

describe('no refused phrase is in', () => {
  test('the docs', () => {
    expect(PHRASES.length).toBeGreaterThan(10)
    expect(
      marksIn(
        DOCS.filter((file) => file !== STYLE),
        phrases,
      ),
    ).toEqual([])
  })

  test('the code, its comments and its texts', () => {
    expect(marksIn(CODE, phrases)).toEqual([])
    expect(CODE.length).toBeGreaterThan(500)
  })
})

describe('refused is', () => {
  const long = 'a'.repeat(LONGEST_CELL + 1)
  const [figure = ''] = printed

  test.each([
    { what: 'a line of 101 columns', check: wideLines, text: 'a'.repeat(101), line: 1 },
    { what: 'a cell of 201 characters', check: longCells, text: `|---|\n| b | ${long} |`, line: 2 },
    { what: 'a figure', check: figures, text: `A sale takes ${figure} ms.`, line: 1 },
    ...PHRASES.map((phrase) => ({ what: phrase, check: phrases, text: `A ${phrase}.`, line: 1 })),
    { what: 'a phrase in two lines', check: phrases, text: ' * x by\n * then', line: 1 },
  ])('$what', ({ check, text, line }) => {
    expect(check(text).map((mark) => mark.line)).toEqual([line])
  })

  test.each([
    { what: 'a row of a table', check: wideLines, text: `| ${long} |` },
    { what: 'a line of code', check: wideLines, text: `\`\`\`\n${long}\n\`\`\`` },
    { what: 'the target of a link', check: longCells, text: `| [b](${long}) |` },
    { what: 'a part of a word', check: phrases, text: 'Amend the untold, then.' },
  ])('not $what', ({ check, text }) => {
    expect(check(text)).toEqual([])
  })
})
