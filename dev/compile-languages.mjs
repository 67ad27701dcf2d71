// Compiles the catalogs of lib/languages into messages.ts beside them, which is not in git: before every npm script, before the
// tests and before the Workers are bundled. Plain JavaScript, so that any Node runs it before it knows its version.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../lib/languages/', import.meta.url))
const OUTPUT = `${FOLDER}messages.ts`

/** In the order of LANGUAGES in lib/languages/languages.ts. The first one is the source. */
export const CATALOG_LANGUAGES = ['en', 'de', 'fr', 'es', 'pt']
const SOURCE = 'en'

/** What other rooms write in English: see lib/languages/api-sentences.ts. */
const SAID = 'said'

/** The texts of managers' pages and mails, which are in English only. */
const MANAGERS = 'managers'

/** How icu-minify marks what is no text and no tag. */
const SELECT = 1
const PLURALS = [2, 3]
const NUMBER = 4
const TIMES = [5, 6]

/**
 * The placeholders of a compiled message, each with the type of its value.
 *
 * @param {unknown} compiled
 * @returns {Map<string, string>}
 */
export const placeholdersOf = (compiled) => {
  const found = new Map()
  const visitAll = (/** @type {unknown} */ nodes) => {
    if (Array.isArray(nodes)) for (const node of nodes) visit(node)
  }
  const visit = (/** @type {unknown} */ node) => {
    if (!Array.isArray(node)) return
    const [name, type, ...rest] = node
    if (type === undefined) found.set(name, 'string')
    else if (type === SELECT || PLURALS.includes(type)) {
      found.set(name, type === SELECT ? 'string' : 'number')
      for (const branch of Object.values(rest[0])) visitAll(branch)
    } else if (type === NUMBER) found.set(name, 'number')
    else if (TIMES.includes(type)) found.set(name, 'Date')
    else {
      found.set(name, TAG)
      visitAll([type, ...rest])
    }
  }
  visitAll(compiled)
  return found
}

const TAG = 'Tag'

/** @returns {string[]} the areas in a folder of catalogs, such as "en/portal" and "en/managers/payouts" */
const areasIn = (/** @type {string} */ folder) =>
  readdirSync(`${FOLDER}${folder}`)
    .filter((file) => file.endsWith('.json'))
    .map((file) => `${folder}/${basename(file, '.json')}`)

/** @returns {Record<string, string>} */
const read = (/** @type {string} */ area) =>
  JSON.parse(readFileSync(`${FOLDER}${area}.json`, 'utf8'))

/** @returns {[area: string, Map<string, string[]>]} the sources of an area by key, in the order of `languages` */
const catalogOf = (/** @type {string} */ area, /** @type {string[]} */ languages) => {
  const catalogs = languages.map((language) => read(`${language}/${area}`))
  const keys = Object.keys(catalogs[0] ?? {})
  return [area, new Map(keys.map((key) => [key, catalogs.map((catalog) => catalog[key] ?? '')]))]
}

const nameIn = (/** @type {string} */ area) => area.slice(SOURCE.length + 1)

/**
 * The sources of all messages by area and key, in the order of CATALOG_LANGUAGES. Those of managers have only the first.
 *
 * @returns {Map<string, Map<string, string[]>>}
 */
export const readCatalogs = () =>
  new Map([
    ...areasIn(SOURCE).map((area) => catalogOf(nameIn(area), CATALOG_LANGUAGES)),
    ...areasIn(`${SOURCE}/${MANAGERS}`).map((area) => catalogOf(nameIn(area), [SOURCE])),
  ])

const typeOf = (/** @type {Map<string, string>} */ placeholders) =>
  placeholders.size === 0
    ? ''
    : `<{ ${[...placeholders].map(([name, type]) => `${name}: ${type}`).join('; ')} }>`

/** @returns {Promise<string>} the module */
const compileAll = async () => {
  const { default: compile } = await import('icu-minify/compile')
  const lines = ["import type { Message, RichMessage, Tag } from './message.ts'", '']
  /** @type {string[]} */
  const said = []
  for (const [area, messages] of readCatalogs()) {
    for (const [key, sources] of messages) {
      const compiled = sources.map((source) => compile(source))
      const placeholders = placeholdersOf(compiled[0])
      const isRich = [...placeholders.values()].includes(TAG)
      const type = `${isRich ? 'RichMessage' : 'Message'}${typeOf(placeholders)}`
      lines.push(
        `export const ${key}: ${type} = { ${isRich ? 'rich' : 'text'}: ${JSON.stringify(compiled)} }`,
      )
      if (area === SAID) said.push(key)
    }
  }
  return `${lines.join('\n')}\n\nexport const SAID = [${said.join(', ')}]\n`
}

const modified = (/** @type {string} */ path) =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Whether the module is newer than all that it is made of. */
const isCurrent = () =>
  [
    fileURLToPath(import.meta.url),
    ...[...CATALOG_LANGUAGES, `${SOURCE}/${MANAGERS}`].flatMap((folder) => [
      `${FOLDER}${folder}`,
      ...areasIn(folder).map((area) => `${FOLDER}${area}.json`),
    ]),
  ].every((path) => modified(path) < modified(OUTPUT))

/** Writes the module if a catalog has changed, atomically: another process may be reading it. */
export const compileLanguages = async () => {
  if (isCurrent()) return
  const content = await compileAll()
  writeFileSync(`${OUTPUT}.${process.pid}`, content)
  renameSync(`${OUTPUT}.${process.pid}`, OUTPUT)
}
