/** The base of every Worker's app, independent of its database client: see app.ts. */
import type { Context, Hono } from 'hono'
import { type RequestIdVariables, requestId } from 'hono/request-id'
import type { Client, DatabaseEnv } from '../db/neon.ts'
import { ApiError, errorResponse, toApiError } from './errors.ts'
import { type LogFacts, logRequest } from './logging.ts'
import type { RateLimiter } from './rate-limit.ts'
import { securityHeaders } from './security-headers.ts'

export type BaseEnv = {
  Bindings: DatabaseEnv & { RATE_LIMIT: RateLimiter }
  Variables: RequestIdVariables & {
    /** When the request arrived: the "now" of all of its decisions. */
    now: Date
    /** Facts for the log line: see noteForLog. */
    logFacts?: LogFacts
  }
}

/** The error for a method and path without an endpoint. */
export const noSuchEndpoint = (c: Context) =>
  new ApiError(
    'not_found',
    `${c.req.method} ${c.req.path} does not exist. See /openapi.json for the API.`,
  )

type BaseApp<Bindings extends object, Database> = Hono<
  BaseEnv & { Bindings: Bindings; Variables: { db: Database } }
>

/**
 * The app of one Worker.
 *
 * @param app  a new one, with the router that the Worker needs
 * @param open connects a request to the database, for `c.var.db`
 * @param logs which requests are logged
 * @typeParam Bindings what it needs beyond the database and the rate limit
 */
export const createBase = <Bindings extends object, Database extends Pick<Client, 'fetches'>>(
  app: BaseApp<Bindings, Database>,
  open: (env: DatabaseEnv) => Database,
  logs: { onlyFailures?: boolean } = {},
) =>
  app
    // The router sets the request id. Callers can't choose it.
    .use(requestId())
    .use(logRequest(logs))
    .use(securityHeaders())
    .use(async function openRequest(c, next) {
      c.set('now', new Date())
      c.set('db', open(c.env))
      await next()
    })
    .onError((error, c) => errorResponse(c, toApiError(error)))
    .notFound((c) => errorResponse(c, noSuchEndpoint(c)))
