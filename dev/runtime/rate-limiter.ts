import { WorkerEntrypoint } from 'cloudflare:workers'

/** A rate limit of wrangler.toml: calls of one key per period, in seconds. */
type Limit = { namespace: string; limit: number; period: number }

let window = 0
const counts = new Map<string, number>()

/**
 * The rate limit binding of the local runtime. It counts in memory, as Cloudflare does. Miniflare's own writes each call
 * to SQLite, which takes longer than the rest of a request.
 */
export class RateLimiter extends WorkerEntrypoint<unknown, Limit> {
  limit({ key }: { key: string }): { success: boolean } {
    const { namespace, limit, period } = this.ctx.props
    const now = Math.floor(Date.now() / 1000 / period)
    if (now !== window) counts.clear()
    window = now
    const id = `${namespace} ${key}`
    const count = counts.get(id) ?? 0
    if (count >= limit) return { success: false }
    counts.set(id, count + 1)
    return { success: true }
  }
}

/** workerd requires a default export. */
export default {}
