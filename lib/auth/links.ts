/** Signing in by mail: sending and redeeming links, and reading sessions. */
import { randomBase62 } from '../db/ids.ts'
import { ApiError } from '../http/errors.ts'
import { sha256 } from '../sha256.ts'
import { Unavailable } from '../unavailable.ts'
import { LINK_MINUTES } from './better-auth.ts'
import type { AuthContext } from './context.ts'
import { expiredCookie, sessionCookies } from './cookies.ts'
import type { User } from './session.ts'
import { dropLink, endSession, findLink, saveLink } from './sign-in.queries.ts'

/** 190 bits. Letters and digits only, because mail programs break links at other characters. */
const TOKEN_LENGTH = 32
const TOKEN = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`)

/**
 * Mails a sign-in link. An unknown address is treated like a known one.
 *
 * @param next the path that the link leads to, made safe by `safePath`
 * @throws {ApiError} `rate_limited` when the address has too many unused links, `try_again` when the mail was not sent
 */
export const sendLink = async (c: AuthContext, email: string, next: string): Promise<void> => {
  const { db, now } = c.var
  const token = randomBase62(TOKEN_LENGTH)
  const expiresAt = new Date(now.getTime() + LINK_MINUTES * 60_000)
  const tokenHash = await sha256(token)
  if (!(await saveLink(db, { email, tokenHash, now, expiresAt }))) {
    throw new ApiError(
      'rate_limited',
      `Several sign-in links have already been sent to ${email}. Use the newest, or wait ${LINK_MINUTES} minutes.`,
      { retryAfter: LINK_MINUTES * 60 },
    )
  }
  const url = confirmUrl(c.req.url, token, next)
  try {
    await c.env.MAILER.sendSignInLink({ to: email, url, expiresInMinutes: LINK_MINUTES })
  } catch (cause) {
    // If this fails too, the link expires.
    await dropLink(db, tokenHash).catch(() => {})
    throw notSent(cause)
  }
}

const notSent = (cause: unknown): ApiError => {
  const message = 'The mail could not be sent. Try again in a minute.'
  const error = new ApiError('try_again', message, { retryAfter: 60 })
  // For the log. The mailer's error contains neither the address nor the link.
  error.cause = cause
  return error
}

/** The email address that a link signs in, or null when the link is used, expired or unknown. */
export const findLinkEmail = async (c: AuthContext, token: string): Promise<string | null> =>
  TOKEN.test(token) ? findLink(c.var.db, await sha256(token), c.var.now) : null

/**
 * The URL in the mail, on the host of the request. Cloudflare passes on only requests to hosts that are routed here,
 * and X-Forwarded-Host is never read, so nobody can have a link mailed that leads to another site.
 */
const confirmUrl = (requestUrl: string, token: string, next: string): string => {
  const url = new URL('/auth/confirm', requestUrl)
  url.searchParams.set('token', token)
  if (next !== '/app') url.searchParams.set('next', next)
  return url.href
}

/**
 * Redeems a link, which works once, and ends the session that the browser had before. A database response that is
 * lost may waste the link but never redeems it twice: one statement reads and deletes it, and a retry finds nothing.
 *
 * @returns the cookies of the new session, or null when the link is used, expired or unknown
 */
export const redeemLink = async (c: AuthContext, token: string): Promise<string[] | null> => {
  if (!TOKEN.test(token)) return null
  const answer = await c.var.auth.api.magicLinkVerify({
    query: { token },
    headers: new Headers(),
    asResponse: true,
  })
  if (answer.status !== 200) return null
  // The new session is valid even if the old one could not be ended.
  await endSessionOf(c).catch(() => {})
  return sessionCookies(answer.headers, c.var.secure)
}

/**
 * The session of a cookie, or null. A session that was last renewed more than a day ago is renewed. The token is for
 * `endSession` only.
 *
 * @throws {Unavailable}
 */
export const findSession = async (
  { auth, secure }: Pick<AuthContext['var'], 'auth' | 'secure'>,
  cookie: string | null | undefined,
): Promise<{ user: User; token: string; expiresAt: Date; setCookie: string[] } | null> => {
  if (!cookie) return null
  const { response, headers } = await auth.api
    .getSession({ headers: new Headers({ Cookie: cookie }), returnHeaders: true })
    .catch((cause: { statusCode?: unknown }) => {
      // The session ended while it was being renewed.
      if (cause.statusCode === 401) return { response: null, headers: new Headers() }
      throw new Unavailable('The session could not be read.', { cause })
    })
  if (!response) return null
  const { user, session } = response
  return {
    user: { id: user.id, email: user.email, name: user.name },
    token: session.token,
    expiresAt: session.expiresAt,
    setCookie: sessionCookies(headers, secure),
  }
}

/** Ends the session of the request's cookie, if any. @returns the Set-Cookie header that deletes the cookie */
export const signOut = async (c: AuthContext): Promise<string> => {
  await endSessionOf(c)
  return expiredCookie(c.var.secure)
}

const endSessionOf = async (c: AuthContext): Promise<void> => {
  const session = await findSession(c.var, c.req.header('Cookie'))
  if (session) await endSession(c.var.db, session.token)
}
