/**
 * `npm test`: the quick tier of the tests, and beside it the static checks, which leave the machine
 * idle while they start. A failed check ends the tests, so that a wrong type is not found after
 * minutes. `npm run test:thorough`, with --thorough: the rest of the tests. Other arguments go to
 * vitest: `npm test -- --maxWorkers=6`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { FILTERS, type Tier } from '../tests/support/tiers.ts'
import { ROOT } from './root.ts'

const shell = process.platform === 'win32'
const options = process.argv.slice(2).filter((option) => option !== '--thorough')
const TIER: Tier = process.argv.includes('--thorough') ? 'thorough' : 'quick'

/** Exit code; 1 when it was killed. */
const endOf = async (child: ChildProcess): Promise<number> => {
  const [code] = await once(child, 'close')
  return code ?? 1
}

const runTests = () =>
  spawn('vitest', ['run', '--tags-filter', FILTERS[TIER], ...options], {
    cwd: ROOT,
    env: { ...process.env, TIER },
    stdio: 'inherit',
    shell,
  })

/** @returns the exit code of both */
const checkAndTest = async (): Promise<number> => {
  const tests = runTests()
  const checks = spawn('npm', ['run', '-s', 'check'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell,
  })
  const output: Buffer[] = []
  for (const stream of [checks.stdout, checks.stderr])
    stream.on('data', (part: Buffer) => output.push(part))

  const checked = endOf(checks).then((code) => {
    if (code === 0) return true
    // Watchdogs end what its set-up has started.
    tests.kill('SIGINT')
    return false
  })
  const code = await endOf(tests)
  if (await checked) return code
  console.error(`${Buffer.concat(output)}\nA check failed: see above.`)
  // The closing line of .ci/run has it as one failure.
  if (process.env.TALLIES) appendFileSync(process.env.TALLIES, '0 passed, 1 failed\n')
  return 1
}

const built = await endOf(spawn('node', ['dev/prepare.ts'], { cwd: ROOT, stdio: 'inherit', shell }))
process.exitCode = built || (TIER === 'quick' ? await checkAndTest() : await endOf(runTests()))
