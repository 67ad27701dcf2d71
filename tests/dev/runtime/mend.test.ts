import { expect, test } from 'vitest'
import { countEnds, keepRunning, type Program } from '../../../dev/runtime/mend.ts'

test.each([
  { case: 'the first end', atSeconds: [0], waits: [100] },
  { case: 'ends close together', atSeconds: [0, 1, 2, 3, 4], waits: [100, 200, 400, 800, 1_600] },
  { case: 'the sixth within a minute', atSeconds: [0, 1, 2, 3, 4, 59], waits: [undefined] },
  { case: 'the sixth after a minute', atSeconds: [0, 1, 2, 3, 4, 61], waits: [800] },
  {
    case: 'one end an hour, for ever',
    atSeconds: [0, 3_600, 7_200, 10_800, 14_400, 18_000],
    waits: [100],
  },
])('waits before the next start: $case', ({ atSeconds, waits }) => {
  const next = countEnds()
  const all = atSeconds.map((second) => next(second * 1_000))
  expect(all.slice(-waits.length)).toEqual(waits)
})

/** A program that ends on request. */
const program = (): Program & { crash: () => void } => {
  let end: (how: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  return { ended, crash: () => end('SIGKILL'), stop: async () => end('SIGINT') }
}

test('a program that ended is started again, and logged in one line', async () => {
  const [first, second] = [program(), program()]
  const lines: string[] = []
  const stop = keepRunning('It', first, {
    startAgain: async () => second,
    onLog: (line) => lines.push(line),
    onGiveUp: (error) => lines.push(error.message),
  })
  first.crash()
  await expect
    .poll(() => lines)
    .toEqual([expect.stringMatching(/^It ended with SIGKILL\. It runs again after [\d.]+ s\.$/)])
  await stop()
  expect(await second.ended).toBe('SIGINT')
  expect(lines).toHaveLength(1)
})

test('a start in progress is ended by a stop, which is neither logged nor given up', async () => {
  const first = program()
  const lines: string[] = []
  let starting = false
  const stop = keepRunning('It', first, {
    startAgain: (signal) =>
      new Promise((_, reject) => {
        starting = true
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    onLog: (line) => lines.push(line),
    onGiveUp: (error) => lines.push(error.message),
  })
  first.crash()
  await expect.poll(() => starting).toBe(true)
  await stop()
  expect(lines).toEqual([])
})
