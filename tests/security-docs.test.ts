import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from '../dev/root.ts'

const linked = [
  ...readFileSync(`${ROOT}docs/security.md`, 'utf8').matchAll(/\]\(\.\.\/([^)#]+)\)/g),
].map(([, path]) => path ?? '')

test('every file that docs/security.md links exists', () => {
  expect(linked.filter((path) => !existsSync(ROOT + path))).toEqual([])
})

test('docs/security.md links every test of an attack', () => {
  const attacks = globSync('tests/attacks/*.test.ts', { cwd: ROOT })
  expect(attacks.filter((path) => !linked.includes(path))).toEqual([])
})
