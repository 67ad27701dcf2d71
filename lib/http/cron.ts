/**
 * Crons that run near the database. Cloudflare places only what a Worker's `fetch` answers, neither `scheduled` nor RPC: so
 * `scheduled` calls the Worker's own `fetch` by the binding SELF. RPC runs where its caller does, which is placed.
 */

/** Where a Worker's `fetch` runs its cron. The router, the only public Worker, sends no request there. */
const CRON_URL = 'https://self/cron'

export type CronEnv = { SELF: { fetch: (url: string, init: RequestInit) => Promise<Response> } }

/** Runs the Worker's cron in its `fetch`: for `scheduled`. @throws if it failed, which it has logged */
export const callCron = async ({ SELF }: CronEnv): Promise<void> => {
  const { ok } = await SELF.fetch(CRON_URL, { method: 'POST' })
  if (!ok) throw new Error('The cron failed.')
}

/** Whether a request is that of `callCron`. */
export const isCron = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === new URL(CRON_URL).pathname

/** Answers the request of `callCron`. @param work logs its failures */
export const answerCron = async (work: () => Promise<void>): Promise<Response> => {
  const status = await work().then(
    () => 204,
    () => 500,
  )
  return new Response(null, { status })
}
