// What Cloudflare does around a Worker, as a module beside its bundle in the same isolate. Miniflare has Workers of its
// own for it: several more hops for each request, and a limiter that writes to SQLite.
// It is not built: workers.ts gives Miniflare the text of this file.
import worker from './worker.js'

// The entrypoints for other Workers.
export * from './worker.js'

/** Keys are forgotten all together past this number, which a local run hardly reaches. */
const MAX_KEYS = 100_000

/** A rate limit that counts in memory, as Cloudflare does: calls of one key per period, in seconds. */
const countCalls = ({ limit, period: seconds }) => {
  const counts = new Map()
  return {
    limit: async ({ key }) => {
      const period = Math.floor(Date.now() / 1000 / seconds)
      const last = counts.get(key)
      const calls = last?.period === period ? last.calls : 0
      if (calls >= limit) return { success: false }
      if (counts.size >= MAX_KEYS) counts.clear()
      counts.set(key, { period, calls: calls + 1 })
      return { success: true }
    },
  }
}

/** Fetches from this machine without the Worker that Miniflare puts between any Worker and the network. */
const fetchDirectly = (local) => {
  const { fetch } = globalThis
  // TLS remains with Miniflare, which knows the machine's certificates.
  const isLocal = (input) => typeof input === 'string' && input.startsWith('http://127.0.0.1:')
  globalThis.fetch = (input, init) =>
    isLocal(input) ? local.fetch(input, init) : fetch(input, init)
}

let provided
/** The Worker's own bindings: an isolate has only one set of them. */
const provide = ({ LIMITS = {}, LOCAL, ASSETS, ...env }) => {
  if (provided) return provided
  fetchDirectly(LOCAL)
  provided = {
    ...env,
    ...Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, countCalls(limit)])),
  }
  return provided
}

/** Below these paths of the router, public/ has no files. */
const NO_FILES = /^\/(api|app|portal)(\/|$)/

/** The file of public/ that a request is for. */
const findFile = async (request, { ASSETS }) => {
  const mayBeFile = request.method === 'GET' || request.method === 'HEAD'
  if (!ASSETS || !mayBeFile || NO_FILES.test(new URL(request.url).pathname)) return undefined
  const file = await ASSETS.fetch(request)
  return file.status === 404 ? undefined : file
}

export default typeof worker === 'function'
  ? class extends worker {
      constructor(context, env) {
        super(context, provide(env))
      }
    }
  : {
      fetch: async (request, env, context) =>
        (await findFile(request, env)) ?? worker.fetch(request, provide(env), context),
    }
