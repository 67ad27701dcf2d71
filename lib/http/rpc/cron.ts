/**
 * Crons that run near the database. Cloudflare documents placement for `fetch`, not for RPC, and
 * says nothing about `scheduled`. So `scheduled` calls the Worker's own `fetch` by the binding
 * SELF: see docs/scale.md.
 */

/** The URL of a Worker's cron. The router, the only public Worker, sends no request there. */
const CRON_URL = 'https://self/cron'

export type CronEnv = { SELF: { fetch: (url: string, init: RequestInit) => Promise<Response> } }

export type CronTimeEnv = {
  /** Minutes between two runs. */
  CRON_MINUTES: string
}

/** Below the 15 minutes that Cloudflare gives a cron. */
const MOST_MS = 780_000
/** Per minute: most runs end before the next one starts. */
const SHARE_MS = 45_000

/** How long a run may take. */
export const cronMs = ({ CRON_MINUTES }: CronTimeEnv): number =>
  Math.min(Math.max(Number(CRON_MINUTES) || 1, 1) * SHARE_MS, MOST_MS)

/** Runs the Worker's cron in its `fetch`, for `scheduled`. @throws what was logged already */
export const callCron = async ({ SELF }: CronEnv): Promise<void> => {
  const { ok } = await SELF.fetch(CRON_URL, { method: 'POST' })
  if (!ok) throw new Error('The cron failed.')
}

export const isCron = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === new URL(CRON_URL).pathname

export const answerCron = async (work: () => Promise<void>): Promise<Response> => {
  const status = await work().then(
    () => 204,
    () => 500,
  )
  return new Response(null, { status })
}
