/** Generates files in public/: the snippet, the pages' scripts, the OpenAPI document, the page of error codes. As a command, the client's package too. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorsPage } from '../api/errors-page.ts'
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
  await publish('openapi.json', `${JSON.stringify(openapi(), null, 2)}\n`)
  await publish('docs/errors.html', errorsPage())
  return gzipBytes
}

if (import.meta.main) {
  await buildClient()
  console.log(`Built public/. via.js is ${await build()} bytes gzipped.`)
}
