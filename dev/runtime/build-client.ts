import { execFile } from 'node:child_process'
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { ROOT } from '../root.ts'

/** The package @tributary/client. */
export const CLIENT = `${ROOT}clients/node/`

/**
 * Builds the package into its dist/: one module, and declarations.
 * @throws when its types are wrong
 */
export const buildClient = async (): Promise<void> => {
  await build({
    entryPoints: [`${CLIENT}src/client.ts`],
    outfile: `${CLIENT}dist/client.js`,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  })
  await promisify(execFile)(process.execPath, [
    `${ROOT}node_modules/typescript/bin/tsc`,
    '-p',
    CLIENT,
  ])
  const declarations = (await readdir(`${CLIENT}dist`)).filter((name) => name.endsWith('.d.ts'))
  for (const name of declarations) {
    const file = `${CLIENT}dist/${name}`
    // The compiler leaves the extensions of our sources in declarations.
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replaceAll(/'(\.\/[\w-]+)\.ts'/g, "'$1.js'"),
    )
  }
  await copyFile(`${ROOT}LICENSE`, `${CLIENT}LICENSE`)
}
