/**
 * Adds the present build of the snippet to the versions that sites can pin, and names it in the
 * set-up page and in docs/snippet.md. Run by `npm run snippet:version` after a change of the
 * snippet.
 *
 * Earlier versions stay in public/: sites that pinned one go on loading it.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { ROOT } from './root.ts'
import { buildSnippet, versionOf } from './runtime/build-snippet.ts'

const { code } = await buildSnippet()
const { file, integrity } = versionOf(code)

const replace = async (path: string, pattern: RegExp, text: string): Promise<void> => {
  const before = await readFile(`${ROOT}${path}`, 'utf8')
  if (!pattern.test(before)) throw new Error(`${path} names no version of the snippet.`)
  await writeFile(`${ROOT}${path}`, before.replaceAll(pattern, text))
}

await writeFile(`${ROOT}public/${file}`, code)
for (const path of ['lib/tracking/clicks/snippet-version.ts', 'docs/snippet.md']) {
  await replace(path, /via\.[0-9a-f]{12}\.js/g, file)
  await replace(path, /sha384-[\w+/]{64}/g, integrity)
}
console.log(`The snippet is ${file}. Commit public/${file} and the files that name it.`)
