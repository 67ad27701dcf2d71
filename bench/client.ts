/** What @tributary/client costs a merchant's backend. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { buildClient, CLIENT } from '../dev/runtime/build-client.ts'
import { median } from './measure.ts'

const RUNS = 15
const FILE = `${CLIENT}dist/client.js`
const IMPORT = `const start = performance.now(); await import(process.argv[1]); console.log(performance.now() - start)`

/**
 * @returns its bytes as a Worker bundles it, with openapi-fetch, and the median of an import in a
 *   new Node process
 */
export const measureClient = async (): Promise<{ gzipBytes: number; importMs: number }> => {
  await buildClient()
  const { outputFiles } = await build({
    entryPoints: [FILE],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  const times: number[] = []
  while (times.length < RUNS) {
    const args = ['--input-type=module', '-e', IMPORT, FILE]
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined }
    times.push(Number((await promisify(execFile)(process.execPath, args, { env })).stdout))
  }
  return { gzipBytes: gzipSync(outputFiles[0]?.contents ?? '').length, importMs: median(times) }
}
