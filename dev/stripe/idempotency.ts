/** Idempotency keys: the same request is done once, and answered the same each time. */
import type { MiddlewareHandler } from 'hono'
import { Refusal } from './errors.ts'

/** How long Stripe remembers a key, at least. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1_000
const MAX_KEY_LENGTH = 255

type Answered = { request: string; response: Response; at: number }

/**
 * Answers a repeated POST as it was answered before. An answer is kept only of what was begun: a request that was
 * refused for its parameters may be corrected under the same key.
 */
export const idempotency = (): MiddlewareHandler => {
  const answered = new Map<string, Answered>()

  return async function idempotency(c, next) {
    const key = c.req.header('Idempotency-Key')
    if (c.req.method !== 'POST' || key === undefined) return next()
    if (key.length > MAX_KEY_LENGTH) {
      throw new Refusal(400, {
        type: 'idempotency_error',
        message: `Idempotency keys must be ${MAX_KEY_LENGTH} characters or less.`,
      })
    }
    const request = `${c.req.path}\n${await c.req.text()}`
    const earlier = answered.get(key)
    if (earlier && Date.now() - earlier.at < KEY_LIFETIME_MS) {
      if (earlier.request !== request) {
        throw new Refusal(400, {
          type: 'idempotency_error',
          message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        })
      }
      const response = earlier.response.clone()
      response.headers.set('Idempotent-Replayed', 'true')
      return response
    }
    await next()
    c.header('Idempotency-Key', key)
    if (c.res.status === 200) answered.set(key, { request, response: c.res.clone(), at: Date.now() })
  }
}
