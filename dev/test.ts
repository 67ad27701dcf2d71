/**
 * `npm test`: the static checks beside the tests, which leave the machine idle while they start. Arguments go to vitest:
 * `npm test -- --maxWorkers=6`. A failed check ends the tests, so that a wrong type is not found after minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './root.ts'

const shell = process.platform === 'win32'

/** Exit code; 1 when it was killed. */
const endOf = async (child: ChildProcess): Promise<number> => {
  const [code] = await once(child, 'close')
  return code ?? 1
}

const tests = spawn('vitest', ['run', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit', shell })
const checks = spawn('npm', ['run', '-s', 'check'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], shell })
const output: Buffer[] = []
for (const stream of [checks.stdout, checks.stderr]) stream.on('data', (part: Buffer) => output.push(part))

const checked = endOf(checks).then((code) => {
  if (code === 0) return true
  // Watchdogs end what its set-up has started.
  tests.kill('SIGINT')
  return false
})
const code = await endOf(tests)
if (!(await checked)) console.error(`${Buffer.concat(output)}\nA check failed: see above.`)
process.exitCode = (await checked) ? code : 1
