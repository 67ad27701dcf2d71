/** Sessions, and protection against cross-site requests. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../http/app.ts'
import { ApiError } from '../http/errors.ts'
import { noteForLog } from '../http/logging.ts'
import { limitRate } from '../http/rate-limit.ts'
import { rpc } from '../http/rpc/rpc.ts'
import type { Language } from '../languages/languages.ts'

/** A signed-in person, whose address a mailed link has verified. */
export type User = { id: string; email: string; name: string }

/** A session, and when it was last confirmed. */
export type Session = {
  user: User
  /** When the sign-in link was used or a passkey confirmed the session, whichever is later. */
  signedInAt: Date
  passkeyAt: Date | null
  setCookie: string[]
}

/** Whether a person has a passkey that counts, only ones that will count later, or none. */
export type PasskeyState = 'counts' | 'waits' | 'none'

/** The RPC methods of the auth Worker. */
export type AuthService = {
  /**
   * The session of the cookie in `headers`, or null. The caller passes on `setCookie`, which renews
   * the cookie.
   *
   * @param url of the request: the cookie's name differs between https and a local run
   * @throws if the database does not respond
   */
  getSession: (headers: Headers, url: string) => Promise<Session | null>

  /**
   * How the person can confirm: with a passkey, or by a sign-in link, which is mailed.
   *
   * @param headers `Cookie`, and of the browser, `User-Agent` and `CF-Connecting-IP`
   * @param next the path of this site that the link leads to
   * @param language of the mail
   * @returns `on_the_way` if several links are unused
   * @throws if there is no session, or the mail was not sent
   */
  startConfirmation: (
    headers: Headers,
    url: string,
    next: string,
    language: Language,
  ) => Promise<'passkey' | 'mailed' | 'on_the_way'>

  /** @param headers `Cookie` */
  passkeyState: (headers: Headers, url: string) => Promise<PasskeyState>
}

/** The app of endpoints and pages for signed-in people. */
export type SessionEnv = AppEnv & {
  Bindings: { AUTH: AuthService }
  Variables: { user: User; signedInAt: Date; passkeyAt: Date | null }
}

/** Names the person who opened a page, which must not act as another who signs in later. */
const USER_HEADER = 'Tributary-User'

/** Methods without side effects, which other sites may trigger. */
const SAFE_METHODS = ['GET', 'HEAD']

/**
 * Refuses requests that a page of another site sends with the session's cookie (CSRF). Browsers
 * send the origin. Programs do not, and no other site controls them.
 *
 * @throws {ApiError} `cross_site_request`
 */
export const refuseCrossSite = (c: Context): void => {
  if (SAFE_METHODS.includes(c.req.method)) return
  const site = c.req.header('Sec-Fetch-Site')
  const origin = c.req.header('Origin')
  const foreign = site
    ? site !== 'same-origin' && site !== 'none'
    : origin !== undefined && origin !== new URL(c.req.url).origin
  if (foreign) {
    throw new ApiError(
      'cross_site_request',
      'The request came from a page of another site, so it was refused.',
    )
  }
}

/**
 * The signed-in user, or null. Renews the cookie, and sets `c.var.signedInAt` and
 * `c.var.passkeyAt`.
 * @throws {ApiError} `cross_site_request`, `rate_limited`
 */
export const readSession = async (c: Context<SessionEnv>): Promise<User | null> => {
  refuseCrossSite(c)
  const cookie = c.req.header('Cookie')
  if (!cookie) return null
  const session = await rpc(
    'auth',
    c.env.AUTH.getSession(new Headers({ Cookie: cookie }), c.req.url),
  )
  if (!session) return null
  for (const value of session.setCookie) c.header('Set-Cookie', value, { append: true })
  noteForLog(c, { actor: `user ${session.user.id}` })
  const expected = c.req.header(USER_HEADER)
  if (expected !== undefined && expected !== session.user.id) {
    throw new ApiError(
      'not_signed_in',
      'Another person is signed in in this browser now. Switch accounts at /auth/accounts, or sign in again.',
    )
  }
  await limitRate(c.env.RATE_LIMIT, session.user.email)
  c.set('signedInAt', session.signedInAt)
  c.set('passkeyAt', session.passkeyAt)
  return session.user
}

/**
 * Requires a session. Sets `c.var.user`.
 * @throws {ApiError} `not_signed_in`, `cross_site_request`, `rate_limited`
 */
export const session = () =>
  createMiddleware<SessionEnv>(async function session(c, next) {
    const user = await readSession(c)
    if (!user) throw new ApiError('not_signed_in', 'Sign in at /sign-in first.')
    c.set('user', user)
    await next()
  })
