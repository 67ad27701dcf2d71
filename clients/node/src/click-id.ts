/** Where a request keeps its cookies, in the frameworks that readClickId knows. */
type HeadersLike = { get: (name: string) => string | null | undefined }
type CookieStoreLike = { get: (name: string) => { value: string } | undefined }
type HeaderRecord = Record<string, string | string[] | undefined>
type WithHeaders = { headers: HeadersLike | HeaderRecord }
type WithHeaderMethod = { header: (name: string) => string | undefined }

/**
 * A `Request` (Workers, Next's route handlers and middleware, Bun, Deno), a request of Node's
 * `http`, Express or Fastify, Hono's context or request, or what Next's `await headers()` and
 * `await cookies()` return.
 */
export type RequestLike =
  | WithHeaders
  | { req: WithHeaders | WithHeaderMethod }
  | WithHeaderMethod
  | HeadersLike
  | CookieStoreLike

/** As the snippet writes it. At most 200 characters, Stripe's limit for a reference. */
const COOKIE = /(?:^|;\s*)tributary_click=(clk_\w{1,196})(?=\s*(?:;|$))/
const CLICK_ID = /^clk_\w{1,196}$/

const fromHeader = (cookie: unknown): string | undefined => {
  const text = Array.isArray(cookie) ? cookie.join('; ') : cookie
  // Not decoded, so malformed escapes in other cookies do no harm.
  return typeof text === 'string' ? COOKIE.exec(text)?.[1] : undefined
}

const isGetter = (headers: HeadersLike | HeaderRecord): headers is HeadersLike =>
  typeof headers.get === 'function'

const hasHeaders = (request: RequestLike): request is WithHeaders =>
  'headers' in request && typeof request.headers === 'object' && request.headers !== null

/** Looks a header up, or a cookie in a store of cookies. */
const fromGetter = (store: HeadersLike | CookieStoreLike): string | undefined => {
  const header = store.get('cookie')
  if (typeof header === 'string') return fromHeader(header)
  const cookie = store.get('tributary_click')
  const value = typeof cookie === 'object' && cookie ? cookie.value : undefined
  return typeof value === 'string' ? CLICK_ID.exec(value)?.[0] : undefined
}

/**
 * The visitor's click id, from the snippet's cookie `tributary_click`; undefined if the cookie is
 * missing or malformed. Never throws because of a visitor's cookie. Of several cookies, the first
 * valid one counts.
 *
 * @example
 * ```ts
 * await tributary.track.lead({ externalId: user.id, clickId: readClickId(request) })
 * ```
 */
export const readClickId = (request: RequestLike): string | undefined => {
  if (hasHeaders(request)) {
    const { headers } = request
    return isGetter(headers) ? fromGetter(headers) : fromHeader(headers.cookie)
  }
  if ('req' in request) return readClickId(request.req)
  if ('header' in request) return fromHeader(request.header('cookie'))
  return fromGetter(request)
}
