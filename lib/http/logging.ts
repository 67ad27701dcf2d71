import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Client } from '../db/neon.ts'
import { toApiError } from './errors.ts'

/** Tells an SQLSTATE from the codes of other errors. */
const SQLSTATE = /^[0-9A-Z]{5}$/

/** SQLSTATEs of invalid data, whose messages quote the data. */
const QUOTES_DATA = /^22/

/**
 * Logs one line of JSON per request, without personal data: the route's pattern instead of the path, and for an
 * unexpected error its message and SQLSTATE, but not Postgres's `detail`, which quotes the row.
 */
export const logRequest = (): MiddlewareHandler =>
  async function logRequest(c, next) {
    const start = Date.now()
    await next()

    const { error } = c
    const db: Client | undefined = c.get('db')
    const entry = {
      level: c.res.status >= 500 ? 'error' : 'info',
      requestId: c.get('requestId'),
      method: c.req.method,
      route: matchedRoutes(c).at(-1)?.path,
      status: c.res.status,
      ms: Date.now() - start,
      fetches: db?.fetches(),
      code: error && toApiError(error).code,
    }
    console.log(JSON.stringify(c.res.status >= 500 && error ? { ...entry, ...describeError(error) } : entry))
  }

/** An error without personal data, for a log line. */
export const describeError = (error: Error & { code?: unknown }) => {
  const sqlState = typeof error.code === 'string' && SQLSTATE.test(error.code) ? error.code : undefined
  return {
    sqlState,
    error: sqlState && QUOTES_DATA.test(sqlState) ? undefined : error.message,
    cause: error.cause instanceof Error ? error.cause.message : undefined,
  }
}
