/** Middleware: authenticates calls by API key, and checks access to Connect. */
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'
import { isRestricted, isTestKey, keyOf, masked } from './keys.ts'
import type { Platforms } from './platforms.ts'

/** Authenticates a request by its secret key, and sets the platform. */
export const secretKey = (platforms: Platforms): MiddlewareHandler<ApiEnv> =>
  async function secretKey(c, next) {
    const key = keyOf(c.req.header('Authorization'))
    if (!key) {
      throw new StripeError(401, {
        message:
          "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      })
    }
    if (!isTestKey(key)) throw new StripeError(401, { message: `Invalid API Key provided: ${masked(key)}` })
    if (platforms.isRevoked(key)) {
      throw new StripeError(401, {
        code: 'api_key_expired',
        message: `Expired API Key provided: ${masked(key)}`,
      })
    }
    c.set('key', key)
    c.set('platform', platforms.of(key))
    await next()
  }

/** Refuses restricted keys on Connect endpoints. */
export const mayConnect = (): MiddlewareHandler<ApiEnv> =>
  async function mayConnect(c, next) {
    const { key, platform } = c.var
    if (isRestricted(key)) {
      const message = `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account '${platform.id}'.`
      throw new StripeError(403, { message }, { begun: false })
    }
    await next()
  }
