import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { compileLanguages } from '../compile-languages.mjs'

/** The scripts of the pages: islands/<name>.ts is served as /<name>.js. */
const ISLANDS = ['app', 'import', 'rewards', 'reward-rules', 'shadow', 'docs', 'console', 'passkey']

/**
 * Bundles and minifies the islands, as modules for browsers of the last three years. Managers need
 * a current browser; visitors, who run the snippet, don't.
 *
 * @returns each file's name and text
 */
export const buildIslands = async (): Promise<{ name: string; code: string }[]> => {
  await compileLanguages()
  const { outputFiles } = await build({
    entryPoints: ISLANDS.map((name) =>
      fileURLToPath(new URL(`../../islands/${name}.ts`, import.meta.url)),
    ),
    outdir: '/',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    legalComments: 'inline',
    // A message that no catalog has.
    logOverride: { 'import-is-undefined': 'error' },
    write: false,
  })
  return outputFiles.map(({ path, text }) => ({ name: path.replace(/^.*[\\/]/, ''), code: text }))
}
