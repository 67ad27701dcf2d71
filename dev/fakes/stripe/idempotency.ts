/**
 * Idempotency keys: the same request is done once.
 *
 * The first version of the API keeps the answer of whatever it had begun, errors too, for a day. The second one keeps
 * what succeeded, for a month, and does again what failed.
 */
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from './env.ts'
import { Refusal } from './errors.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const LIFETIME_MS = { v1: DAY_MS, v2: 30 * DAY_MS }
const MAX_KEY_LENGTH = 255

type Generation = keyof typeof LIFETIME_MS
type Answered = { request: string; response: Response; at: number }

const generationOf = (c: Context): Generation => (c.req.path.startsWith('/v2/') ? 'v2' : 'v1')

/** The parameters in one order: their own is nobody's business. */
const parametersOf = async (c: Context): Promise<string> => {
  const body = await c.req.text()
  if (generationOf(c) === 'v2') return body
  const params = new URLSearchParams(body)
  params.sort()
  return String(params)
}

/** Whether an answer is kept. A request that was refused for its form, its key or its haste never began. */
const isKept = (c: Context): boolean => {
  if (c.res.ok) return true
  if (generationOf(c) === 'v2' || [401, 409, 429].includes(c.res.status)) return false
  return c.error instanceof Refusal && c.error.begun
}

const mismatch = (key: string): Refusal =>
  new Refusal(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  })

const inUse = (key: string): Refusal =>
  new Refusal(409, {
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  })

/** The key of a request that has one, and the name under which it is known: each account has its own. */
const keyOf = (c: Context<ApiEnv>): { key: string; name: string } | null => {
  const key = c.req.header('Idempotency-Key')
  if (c.req.method !== 'POST' || key === undefined) return null
  if (key.length > MAX_KEY_LENGTH) {
    throw new Refusal(400, {
      type: 'idempotency_error',
      message: `Idempotency keys must be ${MAX_KEY_LENGTH} characters or less.`,
    })
  }
  return { key, name: `${c.var.platform.id} ${generationOf(c)} ${key}` }
}

/** Refuses a request while another one is under way under its key. */
export const oneAtATime = (): MiddlewareHandler<ApiEnv> => {
  const underWay = new Set<string>()

  return async function oneAtATime(c, next) {
    const given = keyOf(c)
    if (!given) return next()
    if (underWay.has(given.name)) throw inUse(given.key)
    underWay.add(given.name)
    try {
      await next()
    } finally {
      underWay.delete(given.name)
    }
  }
}

/** Answers a repeated request as it was answered before, and refuses another one under its key. */
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
