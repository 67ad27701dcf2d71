/** Rate limits by Cloudflare's binding: approximate, per data center, against a runaway loop. */
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

/** The key that counts the requests of a caller. Only Cloudflare sets the header. */
export const callerKey = (c: Context): string =>
  addressKey(c.req.header('CF-Connecting-IP') ?? 'unknown')

/** The groups of an IPv6 address: eight, if it is valid. */
const groupsOf = (ip: string): string[] => {
  const [left, right] = ip.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = left ?? []
  const gap = right ? Math.max(0, 8 - groups.length - right.length) : 0
  return [...groups, ...Array<string>(gap).fill('0'), ...(right ?? [])]
}

/** The key that counts an IP address. For IPv6, the /64, which one household or server holds. */
export const addressKey = (ip: string): string =>
  !ip.includes(':') || ip.includes('.') ? ip : groupsOf(ip).slice(0, 4).join(':')

const IPV4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/i
const IPV6_GROUP = /^[0-9a-f]{1,4}$/i

/** The network of an IP address, for logs: the /24 of IPv4 or the /48 of IPv6; else undefined. */
export const truncatedAddress = (ip = ''): string | undefined => {
  const [, network] = IPV4.exec(ip) ?? []
  if (network) return `${network}.0/24`
  const groups = ip.includes(':') ? groupsOf(ip) : []
  return groups.length === 8 && groups.every((group) => IPV6_GROUP.test(group))
    ? `${groups.slice(0, 3).join(':')}::/48`
    : undefined
}
