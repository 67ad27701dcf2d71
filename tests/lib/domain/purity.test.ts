import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../../lib/domain/', import.meta.url)

/** What domain code may import: its own files, and libraries that only compute. */
const ALLOWED = /^(\.\/[\w-]+\.ts|date-fns\/\w+|@date-fns\/utc)$/

test.each(readdirSync(folder))('%s imports nothing that does I/O, tells the time or rolls dice', (file) => {
  const source = readFileSync(new URL(file, folder), 'utf8')
  const imports = [...source.matchAll(/from '([^']+)'/g)].map(([, path]) => path)
  expect(imports.filter((path) => !ALLOWED.test(path ?? ''))).toEqual([])
  expect(source).not.toMatch(/\bDate\.now\b|new Date\(\)|Math\.random|\bcrypto\b|\bfetch\(|\bprocess\b/)
})
