import { WorkerEntrypoint } from 'cloudflare:workers'

/** A rate limit of wrangler.toml: calls of one key per period, in seconds. */
type Limit = { namespace: string; limit: number; period: number }

/** Keys are forgotten all together past this number, which a local run hardly reaches. */
const MAX_KEYS = 100_000

const counts = new Map<string, { period: number; calls: number }>()

/**
 * The rate limit binding of the local runtime. It counts in memory, as Cloudflare does. Miniflare's own writes each call
 * to SQLite, which takes longer than the rest of a request.
 */
export class RateLimiter extends WorkerEntrypoint<unknown, Limit> {
  limit({ key }: { key: string }): { success: boolean } {
    const { namespace, limit, period: seconds } = this.ctx.props
    const id = `${namespace} ${key}`
    const period = Math.floor(Date.now() / 1000 / seconds)
    const last = counts.get(id)
    const calls = last?.period === period ? last.calls : 0
    if (calls >= limit) return { success: false }
    if (counts.size >= MAX_KEYS) counts.clear()
    counts.set(id, { period, calls: calls + 1 })
    return { success: true }
  }
}

/** workerd requires a default export. */
export default {}
