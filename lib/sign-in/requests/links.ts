/** Signing in by mail: sending and redeeming links, and reading sessions. */

import { LINK_MINUTES, MAX_SESSION_DAYS } from '../../auth/better-auth.ts'
import type { AuthBindings, AuthContext } from '../../auth/context.ts'
import { expiredCookie, sessionCookies } from '../../auth/cookies.ts'
import { limitFailures } from '../../auth/keys/failed-attempts.ts'
import type { Session } from '../../auth/session.ts'
import type { Db } from '../../db/connection.ts'
import { newToken, TOKEN_LENGTH } from '../../db/ids.ts'
import { ApiError } from '../../http/errors.ts'
import { noteForLog } from '../../http/logging.ts'
import type { Language } from '../../languages/languages.ts'
import { EXHAUSTED_MS } from '../../mail/transport/accounts.ts'
import { limitedMailbox } from '../../mail/transport/address.ts'
import { sha256 } from '../../platform/sha256.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { browserName } from './browsers.ts'
import { knowBrowser, type Verified } from './known-browsers.ts'
import type { Asking } from './link-requests.queries.ts'
import { askingBrowser } from './requesting-browser.ts'
import { dropLink, endSession, findLink, type SignInLink, saveLink } from './sign-in.queries.ts'

const TOKEN = new RegExp(`^[0-9A-Za-z]{${TOKEN_LENGTH}}$`)

/** What a link is made with. `url` is the request's, and `asking` its browser. */
export type LinkRequest = {
  db: Db
  now: Date
  env: Pick<AuthBindings, 'MAILER'>
  url: string
  asking: Asking
  language: Language
}

/**
 * Mails a sign-in link, to unknown addresses as to known ones. A mailbox with too many unused links
 * gets no mail: those links work, so repeated requests lock nobody out.
 *
 * @param next the path to open, made safe by `safePath`. Stored, because a mail contains no text
 *   that the requester chose
 * @returns `on_the_way` if several links are unused, `refused` if no mail reaches the address
 * @throws {ApiError} `try_again` if the mail was not sent
 */
export const sendLink = async (
  { db, now, env, url: requestUrl, asking, language }: LinkRequest,
  email: string,
  next: string,
): Promise<'mailed' | 'on_the_way' | 'refused'> => {
  const mailbox = limitedMailbox(email)
  const token = newToken()
  const expiresAt = new Date(now.getTime() + LINK_MINUTES * 60_000)
  const tokenHash = await sha256(token)
  if (!(await saveLink(db, { email, mailbox, tokenHash, next, now, expiresAt, asking })))
    return 'on_the_way'
  const url = confirmUrl(requestUrl, token)
  try {
    const mail = { to: email, url, expiresInMinutes: LINK_MINUTES, language }
    const outcome = await env.MAILER.sendSignInLink(mail)
    if (outcome === 'sent') return 'mailed'
    await dropLink(db, tokenHash)
    if (outcome === 'exhausted') throw quotaGone(new Date(now.getTime() + EXHAUSTED_MS))
    return outcome
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    // If this fails too, the link expires.
    await dropLink(db, tokenHash).catch(() => {})
    throw notSent(cause)
  }
}

/** The error while the provider's quota is used up. @param until when it is tried again */
export const quotaGone = (until: Date): ApiError =>
  new ApiError(
    'try_again',
    `This installation has reached its email limit, so it sends no sign-in links for now. Open sessions still work. Try again after ${until.toISOString().slice(11, 16)} (UTC).`,
    { retryAfter: Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1_000)) },
  )

const notSent = (cause: unknown): ApiError => {
  const message = 'The mail could not be sent. Try again in a minute.'
  const error = new ApiError('try_again', message, { retryAfter: 60 })
  // For the log. The mailer's error contains neither the address nor the link.
  error.cause = cause
  return error
}

/**
 * An unused link. Null if it is used, expired or unknown, which counts as a failure of the caller.
 * @throws {ApiError} `rate_limited`
 */
export const readLink = async (c: AuthContext, token: string): Promise<SignInLink | null> => {
  if (!TOKEN.test(token)) return null
  const hash = await sha256(token)
  const opening = await askingBrowser(c.req.raw.headers, {
    secret: c.env.AUTH_SECRET,
    secure: c.var.secure,
  })
  let link: SignInLink | null = null
  await limitFailures(c, hash, async () => {
    link = await findLink(c.var.db, hash, opening, c.var.now)
    return link !== null
  })
  return link
}

/**
 * The URL in the mail, on the host of the request. It cannot lead to another site: Cloudflare routes
 * only our hosts here, and X-Forwarded-Host is never read.
 */
const confirmUrl = (requestUrl: string, token: string): string => {
  const url = new URL('/auth/confirm', requestUrl)
  url.searchParams.set('token', token)
  return url.href
}

export type SignedIn = { userId: string; cookies: string[]; next: string }

/**
 * Redeems a link once: one statement reads and deletes it. A lost response wastes the link.
 * @returns null if it is used, expired or unknown
 */
export const redeemLink = async (c: AuthContext, token: string): Promise<SignedIn | null> => {
  const link = await readLink(c, token)
  if (!link) return null
  const answer = await c.var.auth.api.magicLinkVerify({
    query: { token },
    // Better Auth stores no other header. The list of sessions shows it.
    headers: new Headers({ 'User-Agent': browserName(c.req.header('User-Agent')) }),
    asResponse: true,
  })
  if (answer.status !== 200) return null
  const verified = (await answer.json()) as Verified
  noteForLog(c, { actor: `user ${verified.user.id}`, outcome: 'signed_in' })
  const browser = await knowBrowser(c, verified, await sha256(token))
  return {
    userId: verified.user.id,
    cookies: [...sessionCookies(answer.headers, c.var.secure), browser],
    next: link.next,
  }
}

/**
 * The session of a cookie. One that was renewed more than a day ago is renewed, until
 * MAX_SESSION_DAYS after the sign-in. The token is for `endSession` only.
 *
 * @throws {Unavailable}
 */
export const findSession = async (
  { auth, secure }: Pick<AuthContext['var'], 'auth' | 'secure'>,
  cookie: string | null | undefined,
): Promise<(Session & { id: string; token: string; expiresAt: Date }) | null> => {
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
  const lastDay = session.createdAt.getTime() + MAX_SESSION_DAYS * 86_400_000
  if (lastDay <= Date.now()) return null
  return {
    user: { id: user.id, email: user.email, name: user.name },
    id: session.id,
    token: session.token,
    expiresAt: new Date(Math.min(session.expiresAt.getTime(), lastDay)),
    signedInAt: new Date(Math.max(session.createdAt.getTime(), session.passkeyAt?.getTime() ?? 0)),
    passkeyAt: session.passkeyAt ?? null,
    setCookie: sessionCookies(headers, secure),
  }
}

/** Ends the request's session, if any. @returns the Set-Cookie header that deletes the cookie */
export const signOut = async (c: AuthContext): Promise<string> => {
  const session = await findSession(c.var, c.req.header('Cookie'))
  if (session) {
    noteForLog(c, { actor: `user ${session.user.id}` })
    await endSession(c.var.db, session.token)
  }
  return expiredCookie(c.var.secure)
}
