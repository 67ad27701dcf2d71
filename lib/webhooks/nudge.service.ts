/** Has webhooks sent at once that a commit has queued. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { NudgesService } from './webhooks.rpc.ts'

export type NudgeEnv = { Bindings: { WEBHOOKS: NudgesService } }

/** Best effort, whatever fails, a missing binding included: the cron of the webhooks Worker sends what a lost nudge leaves. */
export const nudgeWebhooks = async ({ WEBHOOKS }: NudgeEnv['Bindings']): Promise<void> => {
  try {
    await WEBHOOKS.nudge()
  } catch {}
}

/** After the response. */
export const nudge = (c: Pick<Context<NudgeEnv>, 'env' | 'executionCtx'>): void =>
  c.executionCtx.waitUntil(nudgeWebhooks(c.env))

/** Nudges after each request that may have changed something. */
export const nudgeAfterChanges = () =>
  createMiddleware<NudgeEnv>(async function nudgeAfterChanges(c, next) {
    await next()
    if (c.req.method !== 'GET' && c.res.status < 400) nudge(c)
  })
