/** Middleware: authenticates calls by API key, and checks access to Connect. */
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'
import { isNoPlatform, isTestKey, keyOf, masked, mayUse, type Permission } from './keys.ts'
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
    if (!isTestKey(key))
      throw new StripeError(401, { message: `Invalid API Key provided: ${masked(key)}` })
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

/** Refuses restricted keys without a permission. */
export const needs = (permission: Permission): MiddlewareHandler<ApiEnv> =>
  async function needs(c, next) {
    const { key, platform } = c.var
    if (!mayUse(key, permission)) {
      const message = `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account '${platform.id}'. Having the 'rak_${permission}' permission would allow this request to continue.`
      throw new StripeError(403, { message }, { begun: false })
    }
    await next()
  }

/** Refuses accounts that have not turned on Connect. */
export const platformsOnly = (): MiddlewareHandler<ApiEnv> =>
  async function platformsOnly(c, next) {
    if (isNoPlatform(c.var.key)) {
      const message =
        "You can only create new accounts if you've signed up for Connect, which you can do at https://dashboard.stripe.com/connect."
      throw new StripeError(400, { message }, { begun: false })
    }
    await next()
  }
