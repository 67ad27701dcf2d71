/** Nudges other Workers to send what a commit has queued. Crons send the rest: see cron.ts. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { NudgesService } from './nudges.rpc.ts'

/** The bindings to the Workers that send. */
type Queue = 'OUTBOX' | 'PAYOUT_QUEUE' | 'WEBHOOKS'

export type NudgeEnv<Q extends Queue> = { Bindings: Record<Q, NudgesService> }

/** The queues of reports. */
export type ReportQueues = NudgeEnv<'OUTBOX' | 'WEBHOOKS'>

/** Best effort: ignores failures, and missing bindings. */
export const nudgeAll = async <Q extends Queue>(
  env: NudgeEnv<NoInfer<Q>>['Bindings'],
  ...queues: Q[]
): Promise<void> => {
  await Promise.allSettled(queues.map(async (queue) => env[queue].nudge()))
}

export const nudge = <Q extends Queue>(
  c: Pick<Context<NudgeEnv<NoInfer<Q>>>, 'env' | 'executionCtx'>,
  ...queues: Q[]
): void => c.executionCtx.waitUntil(nudgeAll(c.env, ...queues))

/** Nudges after each successful request that may have changed something. */
export const nudgeAfterChanges = <Q extends Queue>(...queues: Q[]) =>
  createMiddleware<NudgeEnv<Q>>(async function nudgeAfterChanges(c, next) {
    await next()
    if (c.req.method !== 'GET' && c.res.status < 400) nudge(c, ...queues)
  })

/** One of this many reports and clicks has its totals folded. Pages also read unfolded ones. */
const REPORTS_PER_FOLD = 500

/** Folds totals after some of the calls. */
export const foldSometimes = (
  c: Pick<Context<NudgeEnv<'OUTBOX'>>, 'env' | 'executionCtx'>,
  reports = 1,
): void => {
  if (Math.random() * REPORTS_PER_FOLD < reports) nudge(c, 'OUTBOX')
}

/** How long a nudged Worker sends. It may work for 30 seconds, and its last requests take ten. */
export const ROUND_MS = 18_000

/** A request may lead to 32 calls of Workers. */
const MOST_ROUNDS = 24

export type SelfEnv = { SELF: NudgesService }

/**
 * Works after the call of a nudge, and calls the Worker again if more is due.
 *
 * @param work logs its failures. @returns whether more is due
 */
export const answerNudge = (
  ctx: { waitUntil: (promise: Promise<unknown>) => void },
  { SELF }: SelfEnv,
  round: number,
  work: () => Promise<boolean>,
): void => {
  const goOn = async () => {
    if ((await work()) && round < MOST_ROUNDS) await SELF.nudge(round + 1)
  }
  ctx.waitUntil(goOn().catch(() => {}))
}
