import { expect, test } from 'vitest'
import { cronWorkers } from '../../dev/runtime/wrangler-config.ts'
import { answerCron, cronMs, isCron } from '../../lib/http/rpc/cron.ts'

/** Runs the cron of a Worker. @returns what it fetched of itself */
const schedule = async (env: string, status: number): Promise<Request[]> => {
  const { default: Worker } = await import(`../../functions/${env}.ts`)
  const fetched: Request[] = []
  const SELF = {
    fetch: async (url: string, init: RequestInit) => {
      fetched.push(new Request(url, init))
      return new Response(null, { status })
    },
  }
  await new Worker({}, { SELF }).scheduled()
  return fetched
}

test.each(cronWorkers())(
  'the cron of %s runs in its own fetch, which is placed near the database',
  async (env) => {
    const fetched = await schedule(env, 204)
    expect(fetched.map(isCron)).toEqual([true])
    await expect(schedule(env, 500)).rejects.toThrow('The cron failed.')
  },
)

test.each([
  { case: 'done', work: async () => {}, status: 204 },
  {
    case: 'failed',
    work: () => Promise.reject(new Error('The database did not answer.')),
    status: 500,
  },
])('work that is $case is answered by $status', async ({ work, status }) => {
  expect((await answerCron(work)).status).toBe(status)
})

test.each([
  { minutes: '1', seconds: 45 },
  { minutes: '5', seconds: 225 },
  { minutes: '30', seconds: 780 },
  { minutes: '60', seconds: 780 },
  { minutes: '', seconds: 45 },
])(
  'crons that run every "$minutes" minutes end before the next, and within Cloudflare’s 15 minutes',
  ({ minutes, seconds }) => {
    expect(cronMs({ CRON_MINUTES: minutes })).toBe(seconds * 1_000)
  },
)
