/**
 * Each test is in a tier: `npm test` or `npm run test:thorough`. One that is in neither would never
 * run.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../dev/root.ts'
import { FILTERS, hasTestsOf, TAGS } from './support/tiers.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const sources = globSync('tests/**/*.ts', { cwd: ROOT })
const files = sources.filter((file) => file.endsWith('.test.ts'))
const names = TAGS.map(({ name }) => name)

test('what the quick tier leaves out is in the thorough one', () => {
  expect(FILTERS.quick).toBe('!thorough')
  expect(FILTERS.thorough.split(' || ')).toContain('thorough')
  expect(FILTERS.thorough.split(' || ').toSorted()).toEqual(names.toSorted())
})

test('every file is in a tier, and both tiers have files', () => {
  const inTier = (tier: 'quick' | 'thorough') =>
    files.filter((file) => hasTestsOf(tier, read(file)))
  const [quick, thorough] = [inTier('quick'), inTier('thorough')]
  expect(files.filter((file) => !quick.includes(file) && !thorough.includes(file))).toEqual([])
  expect(quick.length).toBeGreaterThan(200)
  expect(thorough.length).toBeGreaterThan(20)
})

test('tests stand in *.test.ts alone, where both tiers look for them', () => {
  const others = sources.filter((file) => !file.endsWith('.test.ts'))
  expect(others.filter((file) => /^ *(test|describe|it)(\.[\w.]+)?\(/m.test(read(file)))).toEqual(
    [],
  )
})

test('a tag stands where both tiers find it: in the first line of a file, or as a text in the options of a test', () => {
  const named = new RegExp(`@module-tag.*|\\btags\\b.*\\b(${names.join('|')})\\b.{3}`, 'g')
  const isFound = new RegExp(`^@module-tag (${names.join('|')})$|^tags: '(${names.join('|')})'[ ,]`)
  const isAbout = (file: string) => ['tests/tiers.test.ts', 'tests/support/tiers.ts'].includes(file)
  const wrong = sources.flatMap((file) => {
    const text = read(file)
    const tags = isAbout(file) ? [] : [...text.matchAll(named)].map(([tag]) => tag)
    const isFirst = (tag: string) => !tag.startsWith('@') || text.startsWith(`// ${tag}\n`)
    return tags
      .filter((tag) => !file.endsWith('.test.ts') || !isFound.test(tag) || !isFirst(tag))
      .map((tag) => `${file}: ${tag}`)
  })
  expect(wrong).toEqual([])
})
