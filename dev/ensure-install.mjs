// Runs before every npm script, on any Node and without packages: installs the pinned packages if node_modules is
// missing or older than the lockfile, and compiles the catalogs of languages if they have changed.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modified = (/** @type {string} */ path) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

// npm writes this file at the end of a complete install.
if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) {
  console.log('Installing the pinned packages (npm ci). This takes about a minute.')
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('npm ci failed. See the output above. Nothing was started.')
    process.exit(status ?? 1)
  }
}

const { compileLanguages } = await import('./compile-languages.mjs')
await compileLanguages()
