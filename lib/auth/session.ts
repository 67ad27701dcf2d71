/** Sessions: who is signed in, as the auth Worker tells it, and from where a signed-in browser may change things. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from '../http/app.ts'
import { ApiError } from '../http/errors.ts'
import { limitRate } from '../http/rate-limit.ts'
import { rpc } from '../http/rpc.ts'

/** A person who has signed in. The address was proved by a mailed link. */
export type User = { id: string; email: string; name: string }

/** What the auth Worker offers to the others. */
export type AuthService = {
  /**
   * The person whose session the headers carry, or null. `setCookie` renews the session's cookie and is to be
   * passed on.
   *
   * @param url the request's own address: https takes another cookie than a local run without it
   * @throws when the database can't be asked: the door stays shut
   */
  getSession: (headers: Headers, url: string) => Promise<{ user: User; setCookie: string[] } | null>
}

/** The app of an endpoint that people use. */
export type SessionEnv = AppEnv & { Bindings: { AUTH: AuthService }; Variables: { user: User } }

/** Methods that change nothing, so that it doesn't matter who makes a browser send them. */
const SAFE_METHODS = ['GET', 'HEAD']

/**
 * Refuses what a page of another site makes a browser send: the session's cookie would go with it.
 * Browsers say where a request comes from; programs, which say nothing, hold their cookie themselves.
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
    throw new ApiError('cross_site_request', 'This came from a page of another site, so nothing was done.')
  }
}

/**
 * Who is signed in, or null. The cookie is renewed on the way.
 *
 * @throws {ApiError} `cross_site_request`, `rate_limited`
 */
export const readSession = async (c: Context<SessionEnv>): Promise<User | null> => {
  refuseCrossSite(c)
  const cookie = c.req.header('Cookie')
  if (!cookie) return null
  const session = await rpc('auth', c.env.AUTH.getSession(new Headers({ Cookie: cookie }), c.req.url))
  if (!session) return null
  for (const value of session.setCookie) c.header('Set-Cookie', value, { append: true })
  await limitRate(c.env.RATE_LIMIT, session.user.email)
  return session.user
}

/** Asks for a session, for `c.var.user`. @throws {ApiError} `not_signed_in`, `cross_site_request`, `rate_limited` */
export const session = () =>
  createMiddleware<SessionEnv>(async function session(c, next) {
    const user = await readSession(c)
    if (!user) throw new ApiError('not_signed_in', 'Sign in first, at /sign-in.')
    c.set('user', user)
    await next()
  })
