/** The base of every Worker's app: request id, log line, security headers, errors, database and time. */
import { type Context, Hono } from 'hono'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import { connect, type DatabaseEnv, type Db } from '../db/connection.ts'
import { ApiError, errorResponse, toApiError } from './errors.ts'
import { logRequest } from './logging.ts'
import type { RateLimiter } from './rate-limit.ts'
import { securityHeaders } from './security-headers.ts'

export type AppEnv = {
  Bindings: DatabaseEnv & { RATE_LIMIT: RateLimiter }
  Variables: RequestIdVariables & {
    db: Db
    /** When the request arrived: the "now" of all its decisions. */
    now: Date
  }
}

/** The error for a method and path without an endpoint. */
export const noSuchEndpoint = (c: Context) =>
  new ApiError('not_found', `${c.req.method} ${c.req.path} does not exist. See /openapi.json for the API.`)

/**
 * The app of one Worker.
 *
 * @typeParam Bindings what it needs beyond the database and the rate limit
 * @example
 * ```ts
 * export default createApp().get('/api/ping', (c) => c.json({ now: c.var.now }))
 * ```
 */
export const createApp = <Bindings extends object = object>() =>
  new Hono<AppEnv & { Bindings: Bindings }>()
    // The router sets the request id. Callers can't choose it.
    .use(requestId())
    .use(logRequest())
    .use(securityHeaders())
    .use(async function openRequest(c, next) {
      c.set('now', new Date())
      c.set('db', connect(c.env))
      await next()
    })
    .onError((error, c) => errorResponse(c, toApiError(error)))
    .notFound((c) => errorResponse(c, noSuchEndpoint(c)))

/**
 * Routes that a Worker's app mounts. The app prepares their requests and answers their errors.
 *
 * @example
 * ```ts
 * export default createApp().route('/', createRoutes().get('/api/ping', (c) => c.json({ now: c.var.now })))
 * ```
 */
export const createRoutes = <E extends AppEnv = AppEnv>() => new Hono<E>()
