// Runs a program as every script of package.json does, on any Node and without packages: installs the pinned packages if
// node_modules is missing or older than the lockfile, compiles the catalogs of languages if they have changed, and then
// starts the program on the pinned Node: `node dev/run.mjs cli/doctor.ts`. Without arguments, it only prepares.
import { spawn, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const shell = process.platform === 'win32'
const modified = (/** @type {string} */ path) =>
  statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

// npm writes this file at the end of a complete install.
if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) {
  console.log('Installing the pinned packages (npm ci). This takes about a minute.')
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell,
  })
  if (status !== 0) {
    console.error('npm ci failed. See the output above. Nothing was started.')
    process.exit(status ?? 1)
  }
}

const { compileLanguages } = await import('./compile-languages.mjs')
await compileLanguages()

const program = process.argv.slice(2)
if (program.length > 0) {
  // npm puts node_modules/.bin, where the pinned Node is, before everything else in PATH.
  const child = spawn('node', program, { stdio: 'inherit', shell })
  // It ends when the program has ended. The terminal signals both, and the program ignores repeats.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
