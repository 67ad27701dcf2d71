/** Generates files in public/: the snippet, the pages' scripts, the OpenAPI document, the pages of /docs. As a command, the client's package too. */
import { copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { docsSite } from '../api/docs/site.ts'
import { openapi } from '../api/openapi.ts'
import { ROOT } from './root.ts'
import { buildClient } from './runtime/build-client.ts'
import { buildIslands } from './runtime/build-islands.ts'
import { buildSnippet } from './runtime/build-snippet.ts'

/** Replaces a file atomically: a running system may be serving it. */
const publish = async (path: string, content: string): Promise<void> => {
  const file = `${ROOT}public/${path}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.${process.pid}`, content)
  await rename(`${file}.${process.pid}`, file)
}

/** Builds everything into public/. @returns the snippet's gzipped size in bytes */
export const build = async (): Promise<number> => {
  const { code, gzipBytes } = await buildSnippet()
  await publish('via.js', code)
  for (const island of await buildIslands()) await publish(island.name, island.code)
  const document = JSON.parse(JSON.stringify(openapi()))
  await publish('openapi.json', `${JSON.stringify(document, null, 2)}\n`)
  for (const [path, content] of Object.entries(await docsSite(document))) await publish(path, content)
  const pictures = (await readdir(`${ROOT}docs`)).filter((name) => /\.(svg|png)$/.test(name))
  for (const name of pictures) await copyFile(`${ROOT}docs/${name}`, `${ROOT}public/docs/${name}`)
  return gzipBytes
}

if (import.meta.main) {
  await buildClient()
  console.log(`Built public/. via.js is ${await build()} bytes gzipped.`)
}
