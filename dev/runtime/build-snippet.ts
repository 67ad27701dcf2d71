import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

/**
 * The snippet runs on every page of every merchant. At 1,500 bytes gzipped it is there after one
 * round trip, and smaller than a page's smallest picture.
 */
export const SNIPPET_BUDGET_BYTES = 1_500

const root = new URL('../..', import.meta.url)

/**
 * The name under which a build of the snippet is served for ever, and the hash that browsers check
 * it by (Subresource Integrity).
 */
export const versionOf = (code: string): { file: string; integrity: string } => ({
  file: `via.${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`,
  integrity: `sha384-${createHash('sha384').update(code).digest('base64')}`,
})

/** Bundles and minifies a script of snippet/. */
const bundle = async (name: string, options: BuildOptions): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`snippet/${name}.ts`, root))],
    bundle: true,
    minify: true,
    format: 'esm',
    ...options,
    write: false,
  })
  return outputFiles.map((file) => file.text.trim()).join('')
}

/**
 * Builds snippet/debug.ts, which only a URL with `tributary_debug` loads.
 * @returns the script's text
 */
export const buildDebugger = (): Promise<string> => bundle('debug', { target: 'es2022' })

/**
 * Builds snippet/via.ts. It is one block without top-level names, so it needs no wrapper.
 *
 * @returns the script's text and its size after gzip -9
 * @throws when the script is larger than SNIPPET_BUDGET_BYTES
 */
export const buildSnippet = async (): Promise<{ code: string; gzipBytes: number }> => {
  // Otherwise tsconfig.json's "strict" adds "use strict" to the script.
  const code = await bundle('via', { target: 'es2020', tsconfigRaw: {} })
  const gzipBytes = gzipSync(code, { level: 9 }).length
  if (gzipBytes > SNIPPET_BUDGET_BYTES) {
    throw new Error(
      `snippet/via.ts is ${gzipBytes} bytes gzipped; the limit is ${SNIPPET_BUDGET_BYTES}.`,
    )
  }
  return { code, gzipBytes }
}
