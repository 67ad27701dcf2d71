/**
 * Limits failed attempts with API keys and sign-in links by the caller's address, before they reach
 * the database. Failures are counted by Cloudflare's binding for the data center, and in the memory
 * of this isolate. A credential that this isolate has accepted is never refused, even if others
 * with the same address fail.
 */
import type { Context } from 'hono'
import type { BaseEnv } from '../../http/base-app.ts'
import {
  callerKey,
  isWithinLimit,
  type RateLimiter,
  tooManyRequests,
} from '../../http/rate-limit.ts'

/** Failures per period: many for people with an old key, few for guessing. As in wrangler.toml. */
const MAX_FAILURES = 30
const PERIOD_MS = 10_000

/** Addresses and credentials in memory. Beyond that, all are forgotten. */
const MAX_KEPT = 10_000

/** The attempts of an address. */
type Caller = {
  failures: number
  /** Credentials that are being checked: concurrent guesses count before they fail. */
  open: Set<string>
  until: number
}

const callers = new Map<string, Caller>()
const accepted = new Set<string>()

const callerOf = (key: string, now: number): Caller => {
  const known = callers.get(key)
  if (known && now < known.until) return known
  if (callers.size >= MAX_KEPT) callers.clear()
  const fresh = { failures: 0, open: new Set<string>(), until: now + PERIOD_MS }
  callers.set(key, fresh)
  return fresh
}

export type FailureEnv = BaseEnv & { Bindings: { FAILURE_LIMIT: RateLimiter } }

/**
 * Checks a credential, unless the caller's address has failed too often.
 *
 * @param credential a hash or another text that identifies it
 * @param check returns whether it was accepted; null, if unknown, counts as neither
 * @throws {ApiError} `rate_limited`
 */
export const limitFailures = async <E extends FailureEnv>(
  c: Context<E>,
  credential: string,
  check: () => Promise<boolean | null>,
): Promise<void> => {
  const isKnown = accepted.has(credential)
  const key = callerKey(c)
  const caller = callerOf(key, c.var.now.getTime())
  if (!isKnown) {
    const isOpen = caller.open.has(credential)
    const count = caller.failures + (isOpen ? 0 : caller.open.size)
    if (count >= MAX_FAILURES) throw tooManyRequests()
    caller.open.add(credential)
  }
  let outcome: boolean | null = null
  try {
    outcome = await check()
  } finally {
    caller.open.delete(credential)
  }
  if (outcome) {
    if (accepted.size >= MAX_KEPT) accepted.clear()
    accepted.add(credential)
  }
  if (outcome !== false) return
  accepted.delete(credential)
  caller.failures++
  // Other isolates of the data center count too.
  if (!(await isWithinLimit(c.env.FAILURE_LIMIT, key))) caller.failures = MAX_FAILURES
}
