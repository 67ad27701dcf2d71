/** Rate limits, by Cloudflare's binding: approximate and per data centre, enough against a runaway loop. */
import { ApiError } from './errors.ts'

/** Cloudflare's rate limit binding. The limits themselves stand in wrangler.toml. */
export type RateLimiter = { limit: (options: { key: string }) => Promise<{ success: boolean }> }

/** The period of every limit in wrangler.toml, in seconds: after it, the count starts again. */
const PERIOD_SECONDS = 10

/** Counts a call against a key's limit. @throws {ApiError} `rate_limited` when it is one too many */
export const limitRate = async (limiter: RateLimiter, key: string): Promise<void> => {
  const { success } = await limiter.limit({ key })
  if (!success) {
    throw new ApiError(
      'rate_limited',
      `Too many calls. Wait ${PERIOD_SECONDS} seconds and repeat the call.`,
      {
        retryAfter: PERIOD_SECONDS,
      },
    )
  }
}

/**
 * What an address is counted by: itself, or for IPv6 its first four groups, since one household
 * or one server holds a whole /64.
 */
export const addressKey = (ip: string): string => {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [left, right] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = left ?? []
  const gap = right ? Math.max(0, 8 - groups.length - right.length) : 0
  return [...groups, ...Array<string>(gap).fill('0'), ...(right ?? [])].slice(0, 4).join(':')
}
