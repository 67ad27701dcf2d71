/** API keys: who may call, and whose account it is. */
import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api.ts'
import { Refusal } from './errors.ts'
import type { Platforms } from './platforms.ts'

const CREDENTIALS = /^(Bearer |Basic )(\S+)$/i
const KEY = /^(?:sk|rk)_test_\w+$/
/** Keys that end so are restricted ones, which may not do anything about Connect. */
const NO_CONNECT = /_noconnect$/

/** The caller's secret key, by either scheme that Stripe takes. */
export const keyOf = (authorization = ''): string | undefined => {
  const [, scheme, value = ''] = CREDENTIALS.exec(authorization) ?? []
  if (!scheme) return undefined
  return scheme.trim().toLowerCase() === 'bearer' ? value : atob(value).split(':')[0]
}

/**
 * The id of the account that a key is of. An account has several: `sk_test_a`, `rk_test_a`, `sk_test_a_rolled2`,
 * which is there to replace the first, and `rk_test_a_noconnect`, which may too little.
 */
export const accountOfKey = (key: string): string => {
  const name = key.replace(/^(?:sk|rk)_test_/, '').replace(/_(?:noconnect|rolled\d*)$/, '')
  return `acct_1${createHash('sha256').update(name).digest('hex').slice(0, 15)}`
}

const masked = (key: string): string => `${key.slice(0, 8)}****`

/** Lets those in who have a key, and says whose it is. */
export const secretKey = (platforms: Platforms): MiddlewareHandler<ApiEnv> =>
  async function secretKey(c, next) {
    const key = keyOf(c.req.header('Authorization'))
    if (!key) {
      throw new Refusal(401, {
        message:
          "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      })
    }
    if (!KEY.test(key)) throw new Refusal(401, { message: `Invalid API Key provided: ${masked(key)}` })
    if (platforms.isRevoked(key)) {
      throw new Refusal(401, { code: 'api_key_expired', message: `Expired API Key provided: ${masked(key)}` })
    }
    c.set('key', key)
    c.set('platform', platforms.of(key))
    await next()
  }

/** Keeps restricted keys away from what is about Connect. */
export const mayConnect = (): MiddlewareHandler<ApiEnv> =>
  async function mayConnect(c, next) {
    const { key, platform } = c.var
    if (NO_CONNECT.test(key)) {
      const message = `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account '${platform.id}'.`
      throw new Refusal(403, { message }, { begun: false })
    }
    await next()
  }
