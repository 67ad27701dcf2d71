import { expect, test, vi } from 'vitest'
import { answerNudge, foldSometimes, nudgeAll } from '../../lib/http/nudge.service.ts'

test.each([
  { reports: 1, random: 0.001, nudges: 1 },
  { reports: 1, random: 0.003, nudges: 0 },
  { reports: 100, random: 0.19, nudges: 1 },
  { reports: 100, random: 0.21, nudges: 0 },
])('of 500 reports, one has totals folded: $reports of them at $random', ({ reports, random, nudges }) => {
  const nudge = vi.fn(async () => {})
  const draw = vi.spyOn(Math, 'random').mockReturnValue(random)
  foldSometimes({ env: { OUTBOX: { nudge } }, executionCtx: { waitUntil: () => {} } as never }, reports)
  draw.mockRestore()
  expect(nudge).toHaveBeenCalledTimes(nudges)
})

test('a nudge never fails the request that it follows, even without a Worker to nudge', async () => {
  const fails = { nudge: () => Promise.reject(new Error('It is being deployed.')) }
  for (const WEBHOOKS of [fails, undefined as unknown as typeof fails]) {
    expect(await nudgeAll({ WEBHOOKS }, 'WEBHOOKS')).toBeUndefined()
  }
})

test.each([
  { case: 'goes on while more is due', round: 1, isMore: true, nudged: [2] },
  { case: 'ends when nothing is', round: 1, isMore: false, nudged: [] },
  { case: 'leaves the rest to the cron after many rounds', round: 24, isMore: true, nudged: [] },
])('a nudged Worker $case', async ({ round, isMore, nudged }) => {
  const rounds: unknown[] = []
  const SELF = { nudge: async (next?: number) => void rounds.push(next) }
  let done: Promise<unknown> = Promise.resolve()
  answerNudge({ waitUntil: (work) => (done = work) }, { SELF }, round, async () => isMore)
  await done
  expect(rounds).toEqual(nudged)
})
