/** Rate limits by Cloudflare's binding. They are approximate and per data center, enough against a runaway loop. */
import type { Context } from 'hono'
import { ApiError } from './errors.ts'

/** Cloudflare's rate limit binding. wrangler.toml sets the limits. */
export type RateLimiter = { limit: (options: { key: string }) => Promise<{ success: boolean }> }

/** The period of every limit in wrangler.toml. */
const PERIOD_SECONDS = 10

/** Counts a request against a key's limit. @returns whether it is within the limit */
export const isWithinLimit = async (limiter: RateLimiter, key: string): Promise<boolean> =>
  (await limiter.limit({ key })).success

/** Counts a request against a key's limit. @throws {ApiError} `rate_limited` */
export const limitRate = async (limiter: RateLimiter, key: string): Promise<void> => {
  if (!(await isWithinLimit(limiter, key))) throw tooManyRequests()
}

export const tooManyRequests = () =>
  new ApiError('rate_limited', `Too many requests. Retry after ${PERIOD_SECONDS} seconds.`, {
    retryAfter: PERIOD_SECONDS,
  })

/** The key that a request's caller is counted under. Cloudflare sets the header; callers can't. */
export const callerKey = (c: Context): string => addressKey(c.req.header('CF-Connecting-IP') ?? 'unknown')

/** The key that an IP address is counted under. For IPv6 it is the /64, which one household or server holds. */
export const addressKey = (ip: string): string => {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [left, right] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = left ?? []
  const gap = right ? Math.max(0, 8 - groups.length - right.length) : 0
  return [...groups, ...Array<string>(gap).fill('0'), ...(right ?? [])].slice(0, 4).join(':')
}
