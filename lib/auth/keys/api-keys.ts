/**
 * API keys: `trib_live_` or, in a test workspace, `trib_test_`, 32 random characters, and a
 * checksum that detects a mistyped key without a query.
 */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { randomBase62 } from '../../db/ids.ts'
import { ApiError } from '../../http/errors.ts'
import { noteForLog } from '../../http/logging.ts'
import { limitRate } from '../../http/rate-limit.ts'
import { sha256 } from '../../platform/sha256.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import type { ApiKeyScope } from '../../tenancy/keys/api-keys.ts'
import { type FailureEnv, limitFailures } from './failed-attempts.ts'
import { recordKeyUse } from './key-use.queries.ts'

/** The app of an endpoint that is called with an API key. */
export type KeyEnv = FailureEnv & { Variables: { apiKeyHash: string } }

/** 190 bits. */
const RANDOM_LENGTH = 32
/** Hexadecimal digits. One mistyped key in 16 million passes, and the database refuses it. */
const CHECKSUM_LENGTH = 6
/** Characters of a key's hash in the log: enough to find the key, too few to test guesses. */
const LOGGED_LENGTH = 12
const FORM = new RegExp(
  `^trib_(live|test)_[0-9A-Za-z]{${RANDOM_LENGTH}}[0-9a-f]{${CHECKSUM_LENGTH}}$`,
)

const checksum = async (unchecked: string): Promise<string> =>
  (await sha256(unchecked)).slice(0, CHECKSUM_LENGTH)

export const newApiKey = async ({ mode }: { mode: Mode }): Promise<string> => {
  const unchecked = `trib_${mode}_${randomBase62(RANDOM_LENGTH)}`
  return unchecked + (await checksum(unchecked))
}

/** A key, by default a new one, and what is stored of it: its hash, and its last 4 characters. */
export const createApiKey = async (
  workspace: { mode: Mode },
  made?: string,
): Promise<{ key: string; hash: string; last4: string }> => {
  const key = made ?? (await newApiKey(workspace))
  return { key, hash: await sha256(key), last4: key.slice(-4) }
}

/** The hash of a key, or null when it is malformed. */
export const hashApiKey = async (key: string): Promise<string | null> => {
  if (!FORM.test(key)) return null
  const intact = key.endsWith(await checksum(key.slice(0, -CHECKSUM_LENGTH)))
  return intact ? sha256(key) : null
}

/** The hash of the key in `Authorization`; null without one, or if it is malformed. */
export const requestKeyHash = async (c: Context): Promise<string | null> => {
  const [, key] = /^Bearer +(\S+) *$/i.exec(c.req.header('Authorization') ?? '') ?? []
  return key === undefined ? null : await hashApiKey(key)
}

/** The same error for missing, malformed, unknown, revoked and expired keys. */
export const invalidApiKey = () =>
  new ApiError(
    'invalid_api_key',
    'Send an active API key of this workspace as "Authorization: Bearer trib_live_...".',
  )

export const insufficientScope = (scope: ApiKeyScope) =>
  new ApiError(
    'insufficient_scope',
    `This API key lacks the scope "${scope}". Create a key that has it.`,
  )

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'invalid_api_key'

/**
 * Sets `c.var.apiKeyHash`, and counts the request against the key's rate limit. Only the form of
 * the key is checked: the first query checks the rest, which saves a round trip. A refused key
 * counts as a failure of the caller's address.
 *
 * @throws {ApiError} `invalid_api_key`, `rate_limited`
 */
export const apiKey = () =>
  createMiddleware<KeyEnv>(async function apiKey(c, next) {
    const hash = await requestKeyHash(c)
    if (hash === null) throw invalidApiKey()
    noteForLog(c, { keyHash: hash.slice(0, LOGGED_LENGTH) })
    await limitRate(c.env.RATE_LIMIT, hash)
    c.set('apiKeyHash', hash)
    let thrown: unknown
    await limitFailures(c, hash, async () => {
      await next().catch((error: unknown) => {
        thrown = error
      })
      const error = thrown ?? c.error
      if (isRefusal(error)) return false
      // Other errors may occur before the key is checked.
      return error ? null : true
    })
    if (thrown) throw thrown
    if (c.res.ok) recordKeyUse(c.env, hash, c.var.now, (work) => c.executionCtx.waitUntil(work))
  })
