/**
 * Log lines: one line of JSON per request and job. They name people and keys by id, and callers by
 * a truncated address. They contain no secret, no email address and no data of a row. All logging
 * of Workers goes through this file.
 */
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Client } from '../db/neon.ts'
import { toApiError } from './errors.ts'
import { truncatedAddress } from './rate-limit.ts'

/** Tells an SQLSTATE from other error codes. */
const SQLSTATE = /^[0-9A-Z]{5}$/

/** SQLSTATEs of invalid data, whose messages quote the data. */
const QUOTES_DATA = /^22/

/** Email addresses, connection strings, prefixed keys, and long random texts such as tokens. */
const SECRET =
  /[^\s"'<>()=,;:]+@[^\s"'<>()=,;]+|\w+:\/\/[^\s/]*@\S*|\b(trib|sk|rk|whsec|re)_\w+|[0-9A-Za-z]{32,}/g

/** Further facts for the line of a request. Ids only. */
export type LogFacts = {
  /** `user <id>` or `key <id>`. */
  actor?: string | undefined
  /** The start of an API key's hash, until its id is known. */
  keyHash?: string | undefined
  workspaceId?: string | undefined
  /** The outcome, if no error says it. */
  outcome?: string | undefined
}

export const noteForLog = (c: Context, facts: LogFacts): void =>
  c.set('logFacts', { ...(c.get('logFacts') as LogFacts | undefined), ...facts })

/** Writes one line of JSON. Pass texts of other origin as errors, by `describeError`. */
export const log = (level: 'info' | 'error', entry: object): void =>
  console.log(JSON.stringify({ level, ...entry }))

/**
 * Logs one line per request, with the route's pattern instead of the path. @param onlyFailures for
 * a Worker with very many requests
 */
export const logRequest = ({ onlyFailures = false } = {}): MiddlewareHandler =>
  async function logRequest(c, next) {
    const start = Date.now()
    await next()

    const { error } = c
    const { status } = c.res
    if (onlyFailures && status < 400) return
    const db: Client | undefined = c.get('db')
    log(status >= 500 ? 'error' : 'info', {
      requestId: c.get('requestId'),
      method: c.req.method,
      route: matchedRoutes(c).at(-1)?.path,
      status,
      ms: Date.now() - start,
      fetches: db?.fetches(),
      address: truncatedAddress(c.req.header('CF-Connecting-IP')),
      ...(c.get('logFacts') as LogFacts | undefined),
      code: error && toApiError(error).code,
      ...(status >= 500 && error && describeError(error)),
    })
  }

/**
 * Runs a scheduled job, and logs one line about it, unless it had nothing to do.
 *
 * @param work returns counts for the line
 * @returns these counts
 * @throws {Error} the failure without its cause and messages that quote data, which the runtime
 *   would log
 */
export const runJob = async <Tally extends object>(
  job: string,
  work: () => Promise<Tally | null>,
): Promise<Tally | null> => {
  const start = Date.now()
  try {
    const tally = await work()
    if (tally) log('info', { job, ms: Date.now() - start, ...tally })
    return tally
  } catch (failure) {
    const description = describeError(failure)
    log('error', { job, ms: Date.now() - start, ...description })
    throw new Error(`The job "${job}" failed: ${description.error ?? description.sqlState}`)
  }
}

const redact = (text: string): string => text.replaceAll(SECRET, '[redacted]')

const messageOf = (error: Error & { code?: unknown }) => {
  const sqlState =
    typeof error.code === 'string' && SQLSTATE.test(error.code) ? error.code : undefined
  const quotesData = error instanceof SyntaxError || (sqlState && QUOTES_DATA.test(sqlState))
  return { sqlState, message: quotesData ? undefined : redact(error.message) }
}

/** An error's message and SQLSTATE, without Postgres's `detail`, which quotes the row. */
export const describeError = (failure: unknown) => {
  const error: Error & { code?: unknown } =
    failure instanceof Error ? failure : new Error(typeof failure)
  const { sqlState, message } = messageOf(error)
  return {
    sqlState,
    error: message ?? (sqlState ? undefined : error.name),
    cause: error.cause instanceof Error ? messageOf(error.cause).message : undefined,
  }
}
