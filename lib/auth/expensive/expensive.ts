/**
 * The budget of expensive requests: 10 in ten seconds and 2 concurrent ones per workspace, across
 * all keys, people and Workers. docs/api.md.
 */
import type { Context, Next } from 'hono'
import { createMiddleware } from 'hono/factory'
import { connect } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { ApiError } from '../../http/errors.ts'
import { describeError, log } from '../../http/logging.ts'
import { numberSetting } from '../../platform/settings.ts'
import type { WorkspaceEnv } from '../access.ts'
import type { SessionEnv } from '../session.ts'
import { beginExpensive, endExpensive, renewExpensive } from './expensive.queries.ts'

/** Settings of wrangler.toml; empty for the defaults. */
type ExpensiveSettings = { EXPENSIVE_REQUESTS?: string; EXPENSIVE_AT_ONCE?: string }

const MOST = 10
const MOST_AT_ONCE = 2
/** A third of the lease. */
const RENEW_MS = 5_000

type Env = WorkspaceEnv & { Bindings: ExpensiveSettings }

/**
 * Limits an expensive request of a workspace. Use it after access, and before the body.
 *
 * @throws {ApiError} `rate_limited`
 * @example
 * ```ts
 * .post(path, reader(), expensive(), body(ProgramUpdate), async (c) => ...)
 * ```
 */
export const expensive = () =>
  createMiddleware<WorkspaceEnv>((c, next) => withinBudget(c, next, c.var.workspace.id))

/** The same for a partner, without using the merchant's budget. */
export const expensiveToPerson = () =>
  createMiddleware<SessionEnv>((c, next) => withinBudget(c, next, c.var.user.id))

const withinBudget = async (context: Context, next: Next, budgetId: string): Promise<void> => {
  const c = context as Context<Env>
  const most = numberSetting(c.env.EXPENSIVE_REQUESTS, MOST)
  const mostAtOnce = numberSetting(c.env.EXPENSIVE_AT_ONCE, MOST_AT_ONCE)
  const id = newId()
  const seconds = await beginExpensive(c.var.db, { id, budgetId, most, mostAtOnce })
  if (seconds > 0) {
    throw new ApiError(
      'rate_limited',
      `Exports, statements and previews are limited to ${most} in 10 seconds, and ${mostAtOnce} at once. Retry after ${seconds} seconds.`,
      { retryAfter: seconds },
    )
  }
  // A streamed list may outlast the deadline of the connection.
  const end = () => endExpensive(connect(c.env), id).catch(unfinished)
  const renew = () => renewExpensive(connect(c.env), id).catch(unfinished)
  try {
    await next()
  } finally {
    if (c.var.isStreamed && c.res.body)
      c.res = new Response(whileSent(c, c.res.body, renew, end), c.res)
    else c.executionCtx.waitUntil(end())
  }
}

/** The lease also ends. */
const unfinished = (error: unknown): void =>
  log('error', { event: 'expensive_not_ended', ...describeError(error) })

/** Streams a body, and extends the lease until it is sent or canceled. */
const whileSent = (
  c: Context,
  body: ReadableStream<Uint8Array>,
  renew: () => Promise<void>,
  end: () => Promise<void>,
): ReadableStream<Uint8Array> => {
  let renewedAt = Date.now()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      controller.enqueue(chunk)
      if (Date.now() - renewedAt < RENEW_MS) return
      renewedAt = Date.now()
      await renew()
    },
  })
  // A broken connection rejects it. The stream reports a broken body.
  const sent = body.pipeTo(writable).catch(() => {})
  c.executionCtx.waitUntil(sent.then(end))
  return readable
}
