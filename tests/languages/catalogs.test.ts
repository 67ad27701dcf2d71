/** The catalogs of all languages: the same messages with the same placeholders, which pages use. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import compile from 'icu-minify/compile'
import { expect, test } from 'vitest'
import { CATALOG_LANGUAGES, placeholdersOf, readCatalogs } from '../../dev/compile-languages.mjs'
import { ROOT } from '../../dev/root.ts'
import { LANGUAGES } from '../../lib/languages/languages.ts'

const FOLDER = join(ROOT, 'lib/languages')

const read = (language: string, area: string): Record<string, string> =>
  JSON.parse(readFileSync(join(FOLDER, language, area), 'utf8'))

const areas = globSync('*.json', { cwd: join(FOLDER, 'en') }).sort()

test('the catalogs are those of the languages, in their order', () => {
  expect(CATALOG_LANGUAGES).toEqual([...LANGUAGES])
  expect(areas.length).toBeGreaterThan(5)
})

test.each(LANGUAGES)(
  '%s has the messages of English, in the same order, and none is blank',
  (language) => {
    expect(globSync('*.json', { cwd: join(FOLDER, language) }).sort()).toEqual(areas)
    for (const area of areas) {
      const [own, english] = [read(language, area), read('en', area)]
      expect(Object.keys(own)).toEqual(Object.keys(english))
      expect(Object.entries(own).filter(([, text]) => text.trim() === '')).toEqual([])
    }
  },
)

test('the messages of managers are in English, and begin with the name of their area', () => {
  const managers = [...readCatalogs()].filter(([area]) => area.startsWith('managers/'))
  expect(managers.length).toBeGreaterThan(0)
  for (const [area, messages] of managers) {
    const prefix = `${basename(area)}_`
    expect([...messages.keys()].filter((key) => !key.startsWith(prefix))).toEqual([])
    expect(
      [...messages].filter(([, [english = '', ...others]]) => !english.trim() || others.length > 0),
    ).toEqual([])
  }
})

test('each message has the same placeholders and tags in all languages', () => {
  const differing = [...readCatalogs().values()].flatMap((messages) =>
    [...messages].filter(([, sources]) => {
      const [english, ...others] = sources.map((source) =>
        [...placeholdersOf(compile(source))].sort().join(),
      )
      return others.some((other) => other !== english)
    }),
  )
  expect(differing.map(([key]) => key)).toEqual([])
})

test('each message has its own key', () => {
  const keys = [...readCatalogs().values()].flatMap((messages) => [...messages.keys()])
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  expect(keys.length).toBeGreaterThan(400)
})

test('a plural has the forms that its language needs', () => {
  const wrong = [...readCatalogs().values()].flatMap((messages) =>
    [...messages].flatMap(([key, sources]) =>
      sources
        .filter((source) => /plural,/.test(source) && !/plural,\s*one \{/.test(source))
        .map(() => key),
    ),
  )
  expect(wrong).toEqual([])
})

test('no message is without a use', () => {
  const files = globSync('{lib,functions,islands}/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => file !== 'lib/languages/messages.ts',
  )
  const used = new Set(
    files.flatMap((file) => [
      ...[...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bm\.(\w+)/g)].map(([, key]) => key),
    ]),
  )
  const unused = [...readCatalogs()].flatMap(([area, messages]) =>
    area === 'said' ? [] : [...messages.keys()].filter((key) => !used.has(key)),
  )
  expect(unused).toEqual([])
})

test('German addresses its readers formally, and French and Spanish too', () => {
  const informal: Record<string, string> = {
    de: 'du|dein\\p{L}*|dich|dir|euch|euer\\p{L}*',
    fr: 'tu|ton|ta|tes|toi',
    es: 'tú|tu|tus|vosotros|vuestr\\p{L}*',
  }
  for (const [language, words] of Object.entries(informal)) {
    const pattern = new RegExp(`(?<!\\p{L})(${words})(?!\\p{L})`, 'iu')
    for (const area of areas)
      expect(Object.entries(read(language, area)).filter(([, text]) => pattern.test(text))).toEqual(
        [],
      )
  }
})
