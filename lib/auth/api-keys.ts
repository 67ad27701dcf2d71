/** API keys: `trib_live_`, 32 random characters, and a checksum that refuses a mistyped key without a query. */
import { createMiddleware } from 'hono/factory'
import { randomBase62 } from '../db/ids.ts'
import type { AppEnv } from '../http/app.ts'
import { ApiError } from '../http/errors.ts'
import { limitRate } from '../http/rate-limit.ts'
import { sha256 } from '../sha256.ts'

/** The app of an endpoint that is called with an API key. */
export type KeyEnv = AppEnv & { Variables: { apiKeyHash: string } }

const PREFIX = 'trib_live_'
/** 190 bits. */
const RANDOM_LENGTH = 32
/** Hexadecimal digits: of 16 million mistyped keys one gets through, to be refused by the database. */
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH}}[0-9a-f]{${CHECKSUM_LENGTH}}$`)

const checksum = async (unchecked: string): Promise<string> =>
  (await sha256(unchecked)).slice(0, CHECKSUM_LENGTH)

/** A new key, to be shown once, and the hash that is kept of it. */
export const createApiKey = async (): Promise<{ key: string; hash: string }> => {
  const unchecked = PREFIX + randomBase62(RANDOM_LENGTH)
  const key = unchecked + (await checksum(unchecked))
  return { key, hash: await sha256(key) }
}

/** The hash under which a key would be known, or null when no key looks like that. */
export const hashApiKey = async (key: string): Promise<string | null> => {
  if (!FORM.test(key)) return null
  const intact = key.endsWith(await checksum(key.slice(0, -CHECKSUM_LENGTH)))
  return intact ? sha256(key) : null
}

/** The error for a key that is missing, malformed, unknown or revoked: which of them is nobody's business. */
export const invalidApiKey = () =>
  new ApiError(
    'invalid_api_key',
    'Send a live API key of this workspace as "Authorization: Bearer trib_live_...".',
  )

/**
 * Reads the API key of a request into `c.var.apiKeyHash`, and counts the call against the key's limit. The key's
 * form is checked here; whether it is known and not revoked comes back with the request's first read, which saves
 * a fetch.
 *
 * @throws {ApiError} `invalid_api_key`, `rate_limited`
 */
export const apiKey = () =>
  createMiddleware<KeyEnv>(async function apiKey(c, next) {
    const [, key] = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '') ?? []
    const hash = key === undefined ? null : await hashApiKey(key)
    if (hash === null) throw invalidApiKey()
    await limitRate(c.env.RATE_LIMIT, hash)
    c.set('apiKeyHash', hash)
    await next()
  })
