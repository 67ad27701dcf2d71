/**
 * Idempotency keys.
 *
 * v1 of the API stores the response of every request that began execution, errors included, for a
 * day. v2 stores successful responses for 30 days, and executes failed requests again.
 */
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const LIFETIME_MS = { v1: DAY_MS, v2: 30 * DAY_MS }
const MAX_KEY_LENGTH = 255

type Generation = keyof typeof LIFETIME_MS
type Answered = { request: string; response: Response; at: number }

const generationOf = (c: Context): Generation => (c.req.path.startsWith('/v2/') ? 'v2' : 'v1')

/** The parameters in a canonical order. */
const parametersOf = async (c: Context): Promise<string> => {
  const body = await c.req.text()
  if (generationOf(c) === 'v2') return body
  const params = new URLSearchParams(body)
  params.sort()
  return String(params)
}

/**
 * Whether to store a response. Malformed, unauthenticated, concurrent and rate-limited requests
 * never begin.
 */
const isKept = (c: Context): boolean => {
  if (c.res.ok) return true
  if (generationOf(c) === 'v2' || [401, 409, 429].includes(c.res.status)) return false
  return c.error instanceof StripeError && c.error.begun
}

const mismatch = (key: string): StripeError =>
  new StripeError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  })

const inUse = (key: string): StripeError =>
  new StripeError(409, {
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  })

/** A request's idempotency key, and the same scoped to account and API version. */
const keyOf = (c: Context<ApiEnv>): { key: string; name: string } | null => {
  const key = c.req.header('Idempotency-Key')
  if (c.req.method !== 'POST' || key === undefined) return null
  if (key.length > MAX_KEY_LENGTH) {
    throw new StripeError(400, {
      type: 'idempotency_error',
      message: `Idempotency keys must be ${MAX_KEY_LENGTH} characters or less.`,
    })
  }
  return { key, name: `${c.var.platform.id} ${generationOf(c)} ${key}` }
}

/** Refuses a request while another one with its key is in progress. */
export const oneAtATime = (): MiddlewareHandler<ApiEnv> => {
  const inProgress = new Set<string>()

  return async function oneAtATime(c, next) {
    const given = keyOf(c)
    if (!given) return next()
    if (inProgress.has(given.name)) throw inUse(given.key)
    inProgress.add(given.name)
    try {
      await next()
    } finally {
      inProgress.delete(given.name)
    }
  }
}

/**
 * Replays the stored response of a repeated request. Refuses a different request with the same key.
 */
export const idempotency = (now: () => Date): MiddlewareHandler<ApiEnv> => {
  const answered = new Map<string, Answered>()

  return async function idempotency(c, next) {
    const given = keyOf(c)
    if (!given) return next()
    const { key, name } = given
    const request = `${c.req.path}\n${await parametersOf(c)}`
    const at = now().getTime()
    const earlier = answered.get(name)
    if (earlier && at - earlier.at < LIFETIME_MS[generationOf(c)]) {
      if (earlier.request !== request) throw mismatch(key)
      const response = earlier.response.clone()
      response.headers.set('Idempotent-Replayed', 'true')
      return response
    }
    await next()
    c.header('Idempotency-Key', key)
    if (isKept(c)) answered.set(name, { request, response: c.res.clone(), at })
  }
}
