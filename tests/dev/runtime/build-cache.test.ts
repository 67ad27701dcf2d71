import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { areUnchanged, hashesOf, unlessBuilt } from '../../../dev/runtime/build-cache.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'build-cache-'))
  for (const folder of ['api', 'dev', 'docs', 'functions', 'islands', 'lib/a', 'snippet'])
    await mkdir(join(root, folder), { recursive: true })
  await writeFile(join(root, 'lib/a/one.ts'), '1')
})
afterAll(() => rm(root, { recursive: true, force: true }))

let builds = 0
const build = async () => ({ text: `build ${++builds}` })

test.each([
  { case: 'nothing was built yet', change: async () => {}, isBuilt: true },
  { case: 'nothing changed', change: async () => {}, isBuilt: false },
  {
    case: 'a source changed',
    change: () => writeFile(join(root, 'lib/a/one.ts'), '12'),
    isBuilt: true,
  },
  {
    case: 'a source changed, and is as long as before',
    change: () => utimes(join(root, 'lib/a/one.ts'), 1, 1),
    isBuilt: true,
  },
  {
    case: 'a source was added',
    change: () => writeFile(join(root, 'api/two.ts'), ''),
    isBuilt: true,
  },
  {
    case: 'a source was renamed',
    change: () => rename(join(root, 'api/two.ts'), join(root, 'api/three.ts')),
    isBuilt: true,
  },
  { case: 'a source was removed', change: () => rm(join(root, 'api/three.ts')), isBuilt: true },
  {
    case: 'a package was installed',
    change: () => writeFile(join(root, 'node_modules/.package-lock.json'), '{}'),
    isBuilt: true,
  },
  {
    case: 'the kept result is damaged',
    change: () => writeFile(join(root, 'node_modules/.cache/tributary/it.json'), '{"stamp'),
    isBuilt: true,
  },
])('what npm start serves is built if $case: $isBuilt', async ({ change, isBuilt }) => {
  await change()
  const before = builds
  const { text } = await unlessBuilt('it', build, undefined, root)
  expect({ text, isBuilt: builds > before }).toEqual({ text: `build ${builds}`, isBuilt })
})

test('what npm start serves is built again if a built file was deleted', async () => {
  const { text } = await unlessBuilt('it', build, () => false, root)
  expect(text).toBe(`build ${builds}`)
})

test.each([
  { case: 'nothing changed', change: async () => {}, isUnchanged: true },
  {
    case: 'one was changed by hand',
    change: () => writeFile(join(root, 'docs/a.html'), 'b'),
    isUnchanged: false,
  },
  { case: 'one was deleted', change: () => rm(join(root, 'docs/a.html')), isUnchanged: false },
  {
    case: 'another one was added',
    change: () => writeFile(join(root, 'docs/b.html'), 'b'),
    isUnchanged: true,
  },
])(
  'the files of a build are as they were built if $case: $isUnchanged',
  async ({ change, isUnchanged }) => {
    await writeFile(join(root, 'docs/a.html'), 'a')
    const hashes = hashesOf(root, ['docs/a.html'])
    await change()
    expect(areUnchanged(root, hashes)).toBe(isUnchanged)
  },
)
