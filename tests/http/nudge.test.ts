import { expect, test, vi } from 'vitest'
import { answerNudge, foldSometimes, nudgeAll } from '../../lib/http/rpc/nudge.service.ts'

test.each([
  { reports: 1, random: 0.001, nudges: 1 },
  { reports: 1, random: 0.003, nudges: 0 },
  { reports: 100, random: 0.19, nudges: 1 },
  { reports: 100, random: 0.21, nudges: 0 },
])(
  'of 500 reports, one has totals folded: $reports of them at $random',
  ({ reports, random, nudges }) => {
    const nudge = vi.fn(async () => {})
    const draw = vi.spyOn(Math, 'random').mockReturnValue(random)
    foldSometimes(
      { env: { OUTBOX: { nudge } }, executionCtx: { waitUntil: () => {} } as never },
      reports,
    )
    draw.mockRestore()
    expect(nudge).toHaveBeenCalledTimes(nudges)
  },
)

test('a nudge never fails the request that it follows, even without a Worker to nudge', async () => {
  const fails = { nudge: () => Promise.reject(new Error('It is being deployed.')) }
  for (const WEBHOOKS of [fails, undefined as unknown as typeof fails]) {
    expect(await nudgeAll({ WEBHOOKS }, 'WEBHOOKS')).toBeUndefined()
  }
})

test.each([
  { worker: 'dashboard.tsx', queues: ['OUTBOX', 'PAYOUT_QUEUE', 'WEBHOOKS'] },
  { worker: 'manage.ts', queues: ['OUTBOX', 'PAYOUT_QUEUE', 'WEBHOOKS'] },
  { worker: 'portal.tsx', queues: ['OUTBOX', 'WEBHOOKS'] },
  { worker: 'import-partners.ts', queues: ['OUTBOX', 'WEBHOOKS'] },
  { worker: 'import-customers.ts', queues: ['WEBHOOKS'] },
])('$worker nudges who sends what each of its requests may commit', async ({ worker, queues }) => {
  const { default: app } = await import(`../../functions/${worker}`)
  const [first] = app.routes.filter(
    ({ handler }: { handler: () => void }) => handler.name === 'nudgeAfterChanges',
  )
  const nudged = async (method: string, status: number): Promise<string[]> => {
    const names: string[] = []
    const queue = (name: string) => ({ nudge: async () => void names.push(name) })
    const env = Object.fromEntries(queues.map((name) => [name, queue(name)]))
    const executionCtx = { waitUntil: () => {} }
    await first.handler({ req: { method }, res: { status }, env, executionCtx }, async () => {})
    return names
  }
  expect(first.path).toBe('/*')
  expect(await nudged('POST', 200)).toEqual(queues)
  expect(await nudged('DELETE', 303)).toEqual(queues)
  expect(await nudged('GET', 200)).toEqual([])
  expect(await nudged('POST', 400)).toEqual([])
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
