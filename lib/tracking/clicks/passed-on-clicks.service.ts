/**
 * Clicks that a proxy under the merchant's own domain passes on: docs/snippet.md. All of them come
 * from the proxy's address, so the limit per visitor needs the visitor's, which the proxy gives
 * with an API key of the scope `clicks`.
 */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { requestKeyHash } from '../../auth/keys/api-keys.ts'
import { type FailureEnv, limitFailures } from '../../auth/keys/failed-attempts.ts'
import { recordKeyUse } from '../../auth/keys/key-use.queries.ts'
import type { Client } from '../../db/neon.ts'
import { noteForLog } from '../../http/logging.ts'
import { addressKey, callerKey, limitRate } from '../../http/rate-limit.ts'
import type { NudgeEnv } from '../../http/rpc/nudge.service.ts'
import { type HeldClick, type NewClick, saveClick, savePassedOnClick } from './clicks.queries.ts'

/** `keyHash` is null unless a key came with a visitor's address. Saving the click checks it. */
export type ClickEnv = FailureEnv &
  NudgeEnv<'OUTBOX'> & { Variables: { db: Client; keyHash: string | null } }

/** In characters: longer than any IP address. */
const MAX_ADDRESS_LENGTH = 64

/** Counts a click under the visitor's address. @throws {ApiError} `rate_limited` */
export const limitByVisitor = () =>
  createMiddleware<ClickEnv>(async function limitByVisitor(c, next) {
    const address = c.req.header('Tributary-Visitor-Address')?.slice(0, MAX_ADDRESS_LENGTH)
    const keyHash = address ? await requestKeyHash(c) : null
    c.set('keyHash', keyHash)
    await limitRate(
      c.env.RATE_LIMIT,
      address && keyHash ? `${keyHash} ${addressKey(address)}` : callerKey(c),
    )
    await next()
  })

/**
 * Saves a click. One with a key that may not pass on this program's clicks is saved too, and counts
 * under the proxy's address: a revoked key must not lose clicks.
 *
 * @returns null when the program has no active partner with that slug
 * @throws {ApiError} `rate_limited`
 */
export const recordClick = async (
  c: Context<ClickEnv>,
  click: NewClick,
): Promise<HeldClick | null> => {
  const { db, keyHash, now } = c.var
  if (keyHash === null) return saveClick(db, click)
  const attempt: { saved: HeldClick | null | 'refused' } = { saved: 'refused' }
  await limitFailures(c, keyHash, async () => {
    attempt.saved = await savePassedOnClick(db, click, keyHash)
    return attempt.saved !== 'refused'
  })
  if (attempt.saved !== 'refused') {
    if (attempt.saved) recordKeyUse(c.env, keyHash, now, (work) => c.executionCtx.waitUntil(work))
    return attempt.saved
  }
  noteForLog(c, { outcome: 'key_refused' })
  await limitRate(c.env.RATE_LIMIT, callerKey(c))
  return saveClick(db, click)
}
