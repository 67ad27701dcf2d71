/**
 * Crons that run near the database. By Cloudflare's documentation, placement is for what a Worker's
 * `fetch` answers, and not for RPC; of `scheduled`, it says nothing. So `scheduled` calls the
 * Worker's own `fetch` by the binding SELF: see docs/scale.md.
 */

/**
 * Where a Worker's `fetch` runs its cron. The router, the only public Worker, sends no request
 * there.
 */
const CRON_URL = 'https://self/cron'

export type CronEnv = { SELF: { fetch: (url: string, init: RequestInit) => Promise<Response> } }

export type CronTimeEnv = {
  /** Minutes between two runs. */
  CRON_MINUTES: string
}

/** Within the 15 minutes that Cloudflare gives a cron. */
const MOST_MS = 780_000
/** Of a minute: most runs have ended when the next one starts. */
const SHARE_MS = 45_000

/** How long a run may take. */
export const cronMs = ({ CRON_MINUTES }: CronTimeEnv): number =>
  Math.min(Math.max(Number(CRON_MINUTES) || 1, 1) * SHARE_MS, MOST_MS)

/**
 * Runs the Worker's cron in its `fetch`: for `scheduled`.
 * @throws if it failed, which it has logged
 */
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
