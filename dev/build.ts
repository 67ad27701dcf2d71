/** Makes what public/ serves but nobody writes by hand: the snippet, the API's description, the page of errors. */
import { mkdir, writeFile } from 'node:fs/promises'
import { buildSnippet } from './build-snippet.ts'
import { errorsPage } from './errors-page.ts'
import { openapi } from './openapi.ts'
import { ROOT } from './workers.ts'

/** Builds everything into public/. @returns the snippet's size, gzipped, in bytes */
export const build = async (): Promise<number> => {
  await mkdir(`${ROOT}public/docs`, { recursive: true })
  await writeFile(`${ROOT}public/openapi.json`, `${JSON.stringify(openapi(), null, 2)}\n`)
  await writeFile(`${ROOT}public/docs/errors.html`, errorsPage())
  return (await buildSnippet()).gzipBytes
}

if (import.meta.main) {
  console.log(`Built public/: via.js is ${await build()} bytes gzipped.`)
}
