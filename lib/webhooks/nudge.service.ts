/** Has webhooks sent at once that a commit has queued. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { NudgesService } from './webhooks.rpc.ts'

export type NudgeEnv = { Bindings: { WEBHOOKS: NudgesService } }

/** After the response. Best effort: the cron of the webhooks Worker sends what a lost nudge leaves. */
export const nudge = (c: Pick<Context<NudgeEnv>, 'env' | 'executionCtx'>): void =>
  c.executionCtx.waitUntil(c.env.WEBHOOKS.nudge().catch(() => {}))

/** Nudges after each request that may have changed something. */
export const nudgeAfterChanges = () =>
  createMiddleware<NudgeEnv>(async function nudgeAfterChanges(c, next) {
    await next()
    if (c.req.method !== 'GET' && c.res.status < 400) nudge(c)
  })
