/** Signing in by mail: sending a link, using it, and who is signed in after that. */
import { randomBase62 } from '../db/ids.ts'
import { ApiError } from '../http/errors.ts'
import { sha256 } from '../sha256.ts'
import { Unavailable } from '../unavailable.ts'
import { LINK_MINUTES } from './better-auth.ts'
import type { AuthContext } from './context.ts'
import { expiredCookie, sessionCookies } from './cookies.ts'
import type { User } from './session.ts'
import { dropLink, endSession, findLink, saveLink } from './sign-in.queries.ts'

/** 190 bits. Letters and digits only, so that no mail program breaks the link. */
const TOKEN_LENGTH = 32
const TOKEN = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`)

/**
 * Mails a link that signs somebody in. Whether anybody knows the address makes no difference.
 *
 * @param next where the link leads, a safe path
 * @throws {ApiError} `rate_limited` when unused links are on their way already, `try_again` when the mail was not sent
 */
export const sendLink = async (c: AuthContext, email: string, next: string): Promise<void> => {
  const { db, now } = c.var
  const token = randomBase62(TOKEN_LENGTH)
  const expiresAt = new Date(now.getTime() + LINK_MINUTES * 60_000)
  const tokenHash = await sha256(token)
  if (!(await saveLink(db, { email, tokenHash, now, expiresAt }))) {
    throw new ApiError(
      'rate_limited',
      `Several links are on their way to ${email} already. Use the newest, or wait ${LINK_MINUTES} minutes.`,
      { retryAfter: LINK_MINUTES * 60 },
    )
  }
  const url = confirmUrl(c.req.url, token, next)
  try {
    await c.env.MAILER.sendSignInLink({ to: email, url, expiresInMinutes: LINK_MINUTES })
  } catch (cause) {
    // If that fails too, the link's time ends by itself.
    await dropLink(db, tokenHash).catch(() => {})
    throw notSent(cause)
  }
}

const notSent = (cause: unknown): ApiError => {
  const message = 'The mail could not be sent just now. Ask for it again in a minute.'
  const error = new ApiError('try_again', message, { retryAfter: 60 })
  // For the log, which has no other word of it; the mailer names neither address nor link.
  error.cause = cause
  return error
}

/** Whom a link would sign in, or null when it can't be used: it was before, is too old, or never was one. */
export const whoseLink = async (c: AuthContext, token: string): Promise<string | null> =>
  TOKEN.test(token) ? findLink(c.var.db, await sha256(token), c.var.now) : null

/**
 * The address in the mail: of the host at which the link was asked for. Cloudflare hands over only requests to hosts
 * that are routed here, and X-Forwarded-Host is never read, so nobody can have a link mailed that leads elsewhere.
 */
const confirmUrl = (asked: string, token: string, next: string): string => {
  const url = new URL('/auth/confirm', asked)
  url.searchParams.set('token', token)
  if (next !== '/app') url.searchParams.set('next', next)
  return url.href
}

/**
 * Uses a link, which works once, for whoever comes first. A session that the browser had before ends.
 * An answer of the database that gets lost on the way may cost the link, but never lets in twice: the statement that
 * takes it deletes it, and a repeat of that finds nothing.
 *
 * @returns the cookies of the new session; null when the link was used before, is too old, or never was one
 */
export const redeemLink = async (c: AuthContext, token: string): Promise<string[] | null> => {
  if (!TOKEN.test(token)) return null
  const answer = await c.var.auth.api.magicLinkVerify({
    query: { token },
    headers: new Headers(),
    asResponse: true,
  })
  if (answer.status !== 200) return null
  // The new session is there, whether the old one could be ended or not.
  await endSessionOf(c).catch(() => {})
  return sessionCookies(answer.headers, c.var.secure)
}

/**
 * Who is signed in, by their cookie. A session that was last renewed more than a day ago is renewed.
 *
 * @returns null without a session; its token is for `endSession` only
 * @throws {Unavailable} when that could not be found out
 */
export const findSession = async (
  { auth, secure }: Pick<AuthContext['var'], 'auth' | 'secure'>,
  cookie: string | null | undefined,
): Promise<{ user: User; token: string; expiresAt: Date; setCookie: string[] } | null> => {
  if (!cookie) return null
  const { response, headers } = await auth.api
    .getSession({ headers: new Headers({ Cookie: cookie }), returnHeaders: true })
    .catch((cause: { statusCode?: unknown }) => {
      // It was ended while it was being renewed.
      if (cause.statusCode === 401) return { response: null, headers: new Headers() }
      throw new Unavailable('The session could not be looked up.', { cause })
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

/** Ends the session of a cookie on the server, if it has one. @returns the header that takes the cookie away */
export const signOut = async (c: AuthContext): Promise<string> => {
  await endSessionOf(c)
  return expiredCookie(c.var.secure)
}

const endSessionOf = async (c: AuthContext): Promise<void> => {
  const session = await findSession(c.var, c.req.header('Cookie'))
  if (session) await endSession(c.var.db, session.token)
}
