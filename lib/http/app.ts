/** What every Worker's app has in common: request id, log line, security headers, errors, database and clock. */
import { Hono, type MiddlewareHandler } from 'hono'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import { matchedRoutes } from 'hono/route'
import { secureHeaders } from 'hono/secure-headers'
import { connect, type DatabaseEnv, type Db } from '../data/connection.ts'
import { ApiError, errorResponse, toApiError } from './errors.ts'
import type { RateLimiter } from './rate-limit.ts'

export type AppEnv = {
  Bindings: DatabaseEnv & { RATE_LIMIT: RateLimiter }
  Variables: RequestIdVariables & {
    db: Db
    /** When the request came in: the one "now" of everything that it decides. */
    now: Date
  }
}

/**
 * The app of one Worker.
 *
 * @example
 * ```ts
 * export default createApp().get('/api/ping', (c) => c.json({ now: c.var.now }))
 * ```
 */
export const createApp = () =>
  new Hono<AppEnv>()
    // The router gives each request its id; whoever calls from outside can't choose one.
    .use(requestId())
    .use(logRequest())
    .use(
      secureHeaders({
        // One year, without subdomains: those of a merchant's own domain are not ours to decide for.
        strictTransportSecurity: 'max-age=31536000',
        contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        // Answers are JSON for programs; which sites may read them is CORS's to say.
        crossOriginResourcePolicy: 'cross-origin',
      }),
    )
    .use(async function openRequest(c, next) {
      c.set('now', new Date())
      c.set('db', connect(c.env))
      c.header('Cache-Control', 'no-store')
      await next()
    })
    .onError((error, c) => errorResponse(c, toApiError(error)))
    .notFound((c) =>
      errorResponse(c, new ApiError('not_found', `There is no ${c.req.method} ${c.req.path} here.`)),
    )

/**
 * One line of JSON per request, without personal data: the route's pattern instead of the path,
 * and of an unforeseen error the message and the SQLSTATE, but not Postgres's `detail`, which quotes rows.
 */
const logRequest = (): MiddlewareHandler<AppEnv> =>
  async function logRequest(c, next) {
    const start = Date.now()
    await next()
    const { error } = c
    const { cause } = error ?? {}
    console.log(
      JSON.stringify({
        level: c.res.status >= 500 ? 'error' : 'info',
        requestId: c.get('requestId'),
        method: c.req.method,
        route: matchedRoutes(c).at(-1)?.path,
        status: c.res.status,
        ms: Date.now() - start,
        fetches: c.get('db')?.fetches(),
        ...(error && { code: toApiError(error).code }),
        ...(c.res.status >= 500 && {
          error: error?.message,
          cause: cause instanceof Error ? cause.message : undefined,
          sqlState: (error as { code?: string } | undefined)?.code,
        }),
      }),
    )
  }
