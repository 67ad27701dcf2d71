/**
 * Generates files in public/: the snippet, the pages' scripts, the OpenAPI document, the pages of
 * /docs.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { docsSite } from '../api/docs/site.ts'
import { openapi } from '../api/openapi.ts'
import { ROOT } from './root.ts'
import { buildIslands } from './runtime/build-islands.ts'
import { buildDebugger, buildSnippet } from './runtime/build-snippet.ts'

/** Writes a file below public/, atomically: a running system may be serving it. */
const publish = async (path: string, content: string | Buffer): Promise<void> => {
  const file = `${ROOT}public/${path}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.${process.pid}`, content)
  await rename(`${file}.${process.pid}`, file)
}

const readPictures = async (): Promise<[string, Buffer][]> => {
  const names = (await readdir(`${ROOT}docs`)).filter((name) => /\.(svg|png)$/.test(name))
  return Promise.all(
    names.map(
      async (name) => [`docs/${name}`, await readFile(`${ROOT}docs/${name}`)] as [string, Buffer],
    ),
  )
}

/** Builds everything into public/. @returns the files, and the snippet's gzipped size in bytes */
export const build = async (): Promise<{ files: string[]; snippetBytes: number }> => {
  const { code, gzipBytes } = await buildSnippet()
  const islands = await buildIslands()
  const document = JSON.parse(JSON.stringify(openapi()))
  const files: [string, string | Buffer][] = [
    ['via.js', code],
    ['debug.js', await buildDebugger()],
    ...islands.map(({ name, code }) => [name, code] as [string, string]),
    ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ...Object.entries(await docsSite(document)),
    ...(await readPictures()),
  ]
  for (const [path, content] of files) await publish(path, content)
  return { files: files.map(([path]) => path), snippetBytes: gzipBytes }
}
