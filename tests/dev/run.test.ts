import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'

const run = (...program: string[]) =>
  spawn(process.execPath, ['dev/run.mjs', ...program], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

test('every script of package.json installs what is missing first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const others = Object.entries(scripts).filter(
    ([, line]) => !String(line).startsWith('node dev/run.mjs '),
  )
  expect(others).toEqual([])
})

test.each([
  { case: 'its exit code', program: ['-e', 'process.exit(3)'], ends: [3, null] },
  {
    case: 'the signal that ended it',
    program: ['-e', 'process.kill(process.pid, "SIGKILL")'],
    ends: [null, 'SIGKILL'],
  },
])('a program’s end is passed on: $case', async ({ program, ends }) => {
  expect(await once(run(...program), 'exit')).toEqual(ends)
})

test('a signal is passed on, and the program ends as it wants to', async () => {
  const child = run(
    '-e',
    'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1e6); console.log("up")',
  )
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([7, null])
})

test('without a program, it only prepares', async () => {
  expect(await once(run(), 'exit')).toEqual([0, null])
})
