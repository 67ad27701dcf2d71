import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ROOT } from '../root.ts'
import { readIfThere } from './files.ts'

/**
 * Everything that a build reads: the sources and its own code, guides, the installed packages,
 * compilers' settings.
 */
const FOLDERS = ['api', 'dev', 'docs', 'functions', 'islands', 'lib', 'snippet']
const FILES = [
  'clients/node/README.md',
  'node_modules/.package-lock.json',
  'package-lock.json',
  'tsconfig.json',
  'wrangler.toml',
]

/** Next to the code that Node compiled: `npm ci` removes both. */
const CACHE = 'node_modules/.cache/tributary'

/** A file's path, size and time of change, by which git and make recognise a change too. */
const stampOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return `${path} ${found?.size} ${found?.mtimeMs}`
}

/** Changes whenever a source is changed, added, removed or renamed. */
const sourcesStamp = (root: string): string => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    ),
  )
  const files = [...sources, ...FILES.map((name) => join(root, name))]
  return createHash('sha256').update(files.map(stampOf).join('\n')).digest('hex')
}

type Kept<T> = { stamp: string; result: T }

const readKept = <T>(file: string): Kept<T> | undefined => {
  try {
    return JSON.parse(readIfThere(file) ?? '')
  } catch {
    return undefined
  }
}

/**
 * The result of a build, which is kept and given again until a source changes.
 *
 * @param name   what is built: one word, the name of its file
 * @param make   builds it, into something that JSON can hold
 * @param isGood whether a kept result is still usable
 * @param root   the repository
 */
export const unlessBuilt = async <T>(
  name: string,
  make: () => Promise<T>,
  isGood: (kept: T) => boolean = () => true,
  root = ROOT,
): Promise<T> => {
  const file = join(root, CACHE, `${name}.json`)
  // Before the build, so that a source which changes meanwhile is built again.
  const stamp = sourcesStamp(root)
  const kept = readKept<T>(file)
  if (kept?.stamp === stamp && isGood(kept.result)) return kept.result
  const result = await make()
  mkdirSync(join(root, CACHE), { recursive: true })
  // By rename: another process may be reading it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ stamp, result }))
  renameSync(`${file}.${process.pid}`, file)
  return result
}

/** What files contain, by name. */
export type Hashes = Record<string, string>

export const hashesOf = (folder: string, names: string[]): Hashes =>
  Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readIfThere(join(folder, name)) ?? 'missing')
        .digest('base64'),
    ]),
  )

/** Whether files are as they were when they were hashed. */
export const areUnchanged = (folder: string, hashes: Hashes): boolean =>
  isDeepStrictEqual(hashesOf(folder, Object.keys(hashes)), hashes)
